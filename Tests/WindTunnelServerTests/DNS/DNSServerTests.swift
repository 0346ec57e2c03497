import TestSupport
import WindTunnel

@testable import WindTunnelServer

@Suite(.timeLimit(.minutes(5))) struct DNSServerTests {
  private static let own = [DNSAddress("127.0.0.1")].compactMap(\.self)

  /// A question for the addresses of a name, by this id.
  private static func query(_ name: String, id: UInt8 = 7) -> [UInt8] {
    [0, id] + DNSMessages.query(name).dropFirst(2)
  }

  /// The answer with one address in it.
  private static func answer(to query: [UInt8], _ address: [UInt8] = [127, 0, 0, 1]) -> [UInt8] {
    var bytes = Array(query[..<2])
    bytes += [0x85, 0x80, 0, 1, 0, 1, 0, 0, 0, 0] as [UInt8]
    bytes += query[12...]
    bytes += [0xC0, 0x0C, 0, 1, 0, 1, 0, 0, 0, 0, 0, 4] as [UInt8]
    bytes += address
    return bytes
  }

  private static func serving<Result>(
    _ entries: DNSEntry...,
    // A test may be made to wait for its turn longer than a resolver's connection is waited for.
    idleMax: Duration = .seconds(3600),
    body: (DNSServer, Events<DNSDecision>) async throws -> Result
  ) async throws -> Result {
    let told = Events<DNSDecision>()
    let server = try await DNSServer(DNSScript(entries), idleMax: idleMax) { told($0) }
    do {
      let result = try await body(server, told)
      await server.stop()
      return result
    } catch {
      await server.stop()
      throw error
    }
  }

  /// A resolver's socket by UDP.
  private struct Resolver {
    let datagrams: Socket
    let server: SocketAddress

    init(_ server: DNSServer) throws {
      datagrams = try Socket.forDatagrams(at: .loopback())
      self.server = .loopback(port: server.port)
    }

    func ask(_ bytes: [UInt8]) { datagrams.send(bytes, to: server) }

    /// The next answer.
    func hear() async -> [UInt8] {
      let datagrams = datagrams
      return await blocking {
        var request = pollfd(fd: datagrams.descriptor, events: Int16(POLLIN), revents: 0)
        guard poll(&request, 1, 60_000) == 1 else { return [] }
        var buffer = [UInt8](repeating: 0, count: 70_000)
        let got = buffer.withUnsafeMutableBytes { datagrams.receive(into: $0) }
        return Array(buffer.prefix(got?.count ?? 0))
      }
    }
  }

  @Test func `a name is looked up by UDP, and each decision is told`() async throws {
    let slow = DNSEntry("slow.test", addresses: Self.own, delay: .milliseconds(300))
    try await Self.serving(
      slow,
      DNSEntry("lost.test", turn: .init(first: 1), fault: .drop),
      DNSEntry("*", addresses: Self.own)
    ) { server, told async throws in
      let resolver = try Resolver(server)
      defer { resolver.datagrams.close() }
      let (late, lost, good) = (
        Self.query("slow.test", id: 1), Self.query("lost.test", id: 2), Self.query("a.test", id: 3)
      )
      // Nobody waits for one who is slow, and what is lost is lost once.
      let start = ContinuousClock.now
      for query in [late, lost, good] { resolver.ask(query) }
      await expectEqual(resolver.hear(), Self.answer(to: good))
      resolver.ask(lost)
      let next = [await resolver.hear(), await resolver.hear()]
      #expect(.now - start >= .milliseconds(300))
      expectEqual(Set(next), [Self.answer(to: lost), Self.answer(to: late)])
      await expectEqual(
        told.first(4).map(\.line),
        [
          "slow.test A 1: 127.0.0.1 after 300 ms", "lost.test A 1: drop", "a.test A 1: 127.0.0.1",
          "lost.test A 2: 127.0.0.1",
        ]
      )
    }
  }

  private static func framed(_ bytes: [UInt8]) -> [UInt8] {
    [UInt8(bytes.count >> 8), UInt8(bytes.count & 0xFF)] + bytes
  }

  @Test func `a DNS response too long for UDP is sent by TCP, however the query is split`()
    async throws
  {
    try await Self.serving(DNSEntry("*", addresses: Self.own, fault: .truncated)) {
      server,
      _ async throws in
      let resolver = try Resolver(server)
      defer { resolver.datagrams.close() }
      let query = Self.query("a.test")
      resolver.ask(query)
      // TC, and nothing else.
      let head: [UInt8] = [0, 7, 0x87, 0x80, 0, 1, 0, 0, 0, 0, 0, 0]
      await expectEqual(resolver.hear(), head + Array(query[12...]))
      let client = try RawClient(.loopback(port: server.port))
      for byte in Self.framed(query) { await client.send([byte]) }
      let answer = Self.framed(Self.answer(to: query))
      await expectEqual(client.receive(atLeast: answer.count), answer)
      // Two at once, and an end behind them.
      let other = Self.query("b.test", id: 9)
      await client.send(Self.framed(query) + Self.framed(other))
      client.socket.finishWriting()
      let (bytes, end) = await client.finish()
      #expect(bytes == answer + Self.framed(Self.answer(to: other)) && end == .finished)
    }
  }

  @Test func `a DNS server without TCP closes TCP connections without a response`() async throws {
    try await Self.serving(DNSEntry("*", fault: .truncatedWithoutTCP)) { server, _ async throws in
      let (bytes, end) = try await RawClient(.loopback(port: server.port)).all(
        after: Self.framed(Self.query("a.test"))
      )
      #expect(bytes.isEmpty && end == .finished)
    }
  }

  @Test func `a resolver that says nothing is not waited for`() async throws {
    let entry = DNSEntry("*", addresses: Self.own)
    try await Self.serving(entry, idleMax: .milliseconds(20)) { server, _ async throws in
      let client = try RawClient(.loopback(port: server.port))
      // Half a question is none.
      let (bytes, end) = await client.all(after: Array(Self.framed(Self.query("a.test")).prefix(9)))
      #expect(bytes.isEmpty && end == .finished)
    }
  }

  @Test func `garbage is survived`() async throws {
    try await Self.serving(DNSEntry("*", addresses: Self.own)) { server, _ async throws in
      let resolver = try Resolver(server)
      defer { resolver.datagrams.close() }
      let query = Self.query("a.test")
      for count in 0..<query.count { resolver.ask(Array(query.prefix(count))) }
      resolver.ask(Self.answer(to: query))
      resolver.ask([UInt8](repeating: 0xFF, count: 60_000))
      resolver.ask(query)
      var answer: [UInt8] = []
      // Those with a header and no more have heard of their errors before.
      for _ in 0...query.count - 12 {
        answer = await resolver.hear()
        #expect(answer.count == 12 || answer == Self.answer(to: query))
      }
      expectEqual(answer, Self.answer(to: query))
    }
  }

  @Test func `a port that is taken is refused by name`() async throws {
    try await Self.serving(DNSEntry("*", fault: .drop)) { server, _ async throws in
      let error = try await #require(throws: ServerError.self) {
        _ = try await DNSServer(DNSScript([]), port: server.port)
      }
      expectEqual(error, .portInUse(server.port))
    }
  }
}
