import TestSupport

@testable import WindTunnel
@testable import WindTunnelWire

/// The choice among an origin's addresses (RFC 8305), with sockets that take connections and such
/// as never will.
@Suite(.timeLimit(.minutes(5)), .stopsLoops) struct OriginConnectorTests {
  private static func address(_ host: String, _ port: Int = 80) throws -> SocketAddress {
    try #require(SocketAddress(host, port: port))
  }

  /// Connects, with a limit for each address that no test waits for, and returns the address that
  /// took the connection.
  private static func connected(
    to addresses: [SocketAddress],
    _ loop: EventLoop,
    within seconds: Double = 3600
  ) async throws -> String {
    let end = Events<String>()
    try await loop.run { reactor in
      OriginConnector(
        to: Destination(
          url: "http://a.test",
          addresses: addresses,
          connectSeconds: seconds,
          engine: { () throws(SocketError) in nil }
        ),
        on: reactor,
        within: seconds
      ) { result in
        switch result {
        case .success(let channel):
          end("\(channel.target.map(\.description) ?? "")")
          channel.abandon()
        case .failure(.socket(let error)): end("failed: \(error)")
        case .failure(let failure): end("something else: \(failure)")
        }
      }.begin()
    }
    return try await end.next()
  }

  @Test func `families are tried by turns, that of the first address first`() throws {
    let addresses = try ["::1", "::2", "::3", "10.0.0.1", "10.0.0.2"].map { try Self.address($0) }
    expectEqual(
      OriginConnector.byTurns(addresses).map(\.host),
      ["::1", "10.0.0.1", "::2", "10.0.0.2", "::3"]
    )
    let reversed = Array(addresses.reversed())
    expectEqual(
      OriginConnector.byTurns(reversed).map(\.host),
      ["10.0.0.2", "::3", "10.0.0.1", "::2", "::1"]
    )
    expectEqual(OriginConnector.byTurns([]), [])
  }

  @Test func `of two that take connections the second is not troubled`() async throws {
    let loop = try EventLoop.ofTheTest()
    let second = Events<Bool>()
    let first = try await loop.serve { _ in }
    let other = try await loop.serve { _ in second(true) }
    var found = ""
    // A loop that does not get its turn for a quarter of a second tries both.
    for _ in 0..<5 where found != "\(first)" {
      found = try await Self.connected(to: [first, other], loop)
    }
    expectEqual(found, "\(first)")
    let client = try RawClient(other)
    #expect(try await second.next())
    client.close()
  }

  @Test func `one that is refused is followed by the next at once, and the first reason is told`()
    async throws
  {
    let loop = try EventLoop.ofTheTest()
    let live = try await loop.serve { _ in }
    let closed = try Socket.listening(at: .loopback(), backlog: 1)
    let dead = try #require(closed.localAddress)
    closed.close()
    try await expectEqual(Self.connected(to: [dead, dead, live], loop), "\(live)")
    #expect(try await Self.connected(to: [dead], loop).contains("\(dead)"))
    let none = SocketError(.resolve, EAI_NONAME)
    try await expectEqual(Self.connected(to: [], loop), "failed: \(none)")
  }

  #if os(Linux)
    /// A port that takes no connection: one waits in its queue, and the system drops what the next
    /// one says.
    private struct Hole {
      let address: SocketAddress
      private let socket: Socket
      private let first: RawClient

      init() throws {
        socket = try Socket.listening(at: .loopback(), backlog: 0)
        address = try #require(socket.localAddress)
        first = try RawClient(address)
      }

      func close() {
        first.close()
        socket.close()
      }
    }

    @Test func `a silent address holds up nobody behind it`() async throws {
      let loop = try EventLoop.ofTheTest()
      let (hole, other) = (try Hole(), try Hole())
      defer {
        hole.close()
        other.close()
      }
      let live = try await loop.serve { _ in }
      // Their own limits are an hour each.
      try await expectEqual(
        Self.connected(to: [hole.address, other.address, live], loop),
        "\(live)"
      )
      let end = try await Self.connected(to: [hole.address, other.address], loop, within: 0.4)
      #expect(end.hasPrefix("failed: \(hole.address) did not respond in time"), "\(end)")
    }
  #endif
}
