import Origins
import TestSupport

@testable import WindTunnelHTTP
@testable import WindTunnelWire

/// The race for a connection that speaks TLS: which address wins, and what becomes of the others.
@Suite(.timeLimit(.minutes(5)), .stopsLoops, .enabled(if: TLSKit.isThere, TLSKit.isMissing))
struct OriginConnectorRaceTests {
  /// A server that takes connections and is silent until it is told to speak TLS.
  private struct Silent {
    let address: SocketAddress
    let came = Events<Bool>()
    let gone = Events<Bool>()
    private let loop: EventLoop
    private let waiting: Waiting

    /// The connection that waits, on the loop's thread.
    private final class Waiting: @unchecked Sendable { var channel: Channel? }

    init(on loop: EventLoop) async throws {
      let (waiting, came, gone) = (Waiting(), came, gone)
      (self.loop, self.waiting) = (loop, waiting)
      address = try await loop.run { reactor in
        try Listener(on: reactor) { socket in
          let script = Script()
          script.ended = { $0.close() }
          script.closed = { _ in gone(true) }
          do {
            let channel = try Channel(socket, on: reactor, limits: .patient, delegate: script)
            channel.pauseReading()
            waiting.channel = channel
            came(true)
          } catch {
            Issue.record("\(error)")
          }
        }.address
      }
    }

    /// Reads what the client has said by now, and answers as a server of TLS.
    func speak(_ context: TLSContext) async throws {
      let waiting = waiting
      try await loop.run { _ in
        waiting.channel?.startTLS(try TLSEngine(context, leaf: Leaf()))
        waiting.channel?.resumeReading()
      }
    }

    /// Reads, so that it sees the client leave.
    func listen() async throws {
      let waiting = waiting
      try await loop.run { _ in waiting.channel?.resumeReading() }
    }
  }

  private static func connector(
    to addresses: [SocketAddress],
    on reactor: Reactor,
    by context: TLSContext,
    _ end: Events<String>
  ) -> OriginConnector {
    OriginConnector(
      to: Destination(
        url: "https://localhost",
        addresses: addresses,
        connectSeconds: 3600,
        engine: { () throws(SocketError) in
          do { return try TLSEngine(context, host: HostName("localhost")) } catch {
            throw SocketError(.connect, ENOMEM, nil)
          }
        }
      ),
      on: reactor,
      within: 3600
    ) { result in
      switch result {
      case .success(let channel):
        end("\(channel.target.map(\.description) ?? "")")
        channel.abandon()
      case .failure(.socket(let error)): end("\(error.operation)")
      case .failure(let failure): end("\(failure)")
      }
    }
  }

  /// How a bad server ends what it has taken.
  enum Badness: CaseIterable { case closes, resets }

  /// A server that ends each connection as soon as something is said.
  private static func bad(
    _ badness: Badness,
    on loop: EventLoop,
    _ wasBad: Events<Bool>
  ) async throws -> SocketAddress {
    try await loop.serve { script in
      script.received = { channel, _ in
        if badness == .closes { channel.close() } else { channel.reset() }
        wasBad(true)
      }
    }
  }

  @Test(arguments: Badness.allCases)
  func `a good address that is slow wins over a bad one that is quick`(
    badness: Badness
  ) async throws {
    let loop = try EventLoop.ofTheTest()
    let context = try TLSKit.client()
    let good = try await Silent(on: loop)
    let wasBad = Events<Bool>()
    let bad = try await Self.bad(badness, on: loop, wasBad)
    let end = Events<String>()
    try await loop.run { reactor in
      Self.connector(to: [good.address, bad], on: reactor, by: context, end).begin()
    }
    #expect(try await good.came.next())
    #expect(try await wasBad.next())
    try await good.speak(try TLSKit.server())
    try await expectEqual(end.next(), "\(good.address)")
  }

  // As with other clients, the address is chosen once it has taken a connection that no other has.
  @Test(arguments: Badness.allCases)
  func `a bad address that is alone so far is the origin's answer`(badness: Badness) async throws {
    let loop = try EventLoop.ofTheTest()
    let context = try TLSKit.client()
    let good = try await Silent(on: loop)
    let bad = try await Self.bad(badness, on: loop, Events())
    let end = Events<String>()
    try await loop.run { reactor in
      Self.connector(to: [bad, good.address], on: reactor, by: context, end).begin()
    }
    let said = try await end.next()
    // A machine that is busy for a quarter of a second tries the good one, too, which says nothing.
    #expect(["secure", "read", "write"].contains(said), "\(said)")
  }

  @Test func `whoever loses is hung up on`() async throws {
    let loop = try EventLoop.ofTheTest()
    let context = try TLSKit.client()
    let (slow, quick) = (try await Silent(on: loop), try await Silent(on: loop))
    let end = Events<String>()
    try await loop.run { reactor in
      Self.connector(to: [slow.address, quick.address], on: reactor, by: context, end).begin()
    }
    #expect(try await slow.came.next())
    #expect(try await quick.came.next())
    try await quick.speak(try TLSKit.server())
    try await expectEqual(end.next(), "\(quick.address)")
    try await slow.listen()
    #expect(try await slow.gone.next())
  }

  @Test func `a search that is cancelled hangs up and says no more`() async throws {
    let loop = try EventLoop.ofTheTest()
    let context = try TLSKit.client()
    let (first, second) = (try await Silent(on: loop), try await Silent(on: loop))
    let end = Events<String>()
    final class Held: @unchecked Sendable { var connector: OriginConnector? }
    let held = Held()
    try await loop.run { reactor in
      let addresses = [first.address, second.address]
      held.connector = Self.connector(to: addresses, on: reactor, by: context, end)
      held.connector?.begin()
    }
    #expect(try await first.came.next())
    #expect(try await second.came.next())
    try await loop.run { _ in held.connector?.cancel() }
    for silent in [first, second] {
      try await silent.listen()
      #expect(try await silent.gone.next())
    }
    end("nothing")
    try await expectEqual(end.next(), "nothing")
  }
}
