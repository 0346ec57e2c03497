import Origins
import TestSupport

@testable import WindTunnel
@testable import WindTunnelServer

/// How a server ends.
@Suite(.timeLimit(.minutes(5)), .stopsLoops) struct StoppingTests {
  static let answer = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok"

  @Test func `a stopping server finishes the requests in flight, and starts no others`()
    async throws
  {
    let origin = try await Origin(holdingFirstUntilAnotherCame: Self.answer)
    let deck = Deck(Cassette(), mode: .rewrite)
    let options = try ReplayServer.Options.before(origin.url)
    let server = try await ReplayServer(deck, options)
    let idle = try server.client()
    let busy = try server.client()
    await busy.send("GET /first HTTP/1.1\r\nHost: x\r\n\r\nGET /second HTTP/1.1\r\nHost: x\r\n\r\n")
    _ = try await origin.asked.next()
    async let stopped: Void = server.stop(grace: .seconds(40))
    // The listener closes first.
    while true {
      let probe = try server.client()
      let isOpen = await probe.send("GET")
      probe.close()
      if !isOpen { break }
    }
    let releasing = try RawClient(origin.address)
    await releasing.send("GET /other HTTP/1.1\r\n\r\n")
    let (bytes, end) = await busy.receiveAll()
    expectEqual(String(decoding: bytes, as: UTF8.self), Self.answer)
    expectEqual(end, .finished)
    #expect(await idle.receiveAll() == ([], .finished))
    // Neither client has closed its end, and neither is waited for.
    await stopped
    expectEqual(deck.recorded().cassette.interactions.map(\.request.url.path), ["/first"])
    for client in [idle, busy, releasing] { client.close() }
  }

  @Test func `a server that is forgotten frees its port and ends its connections`() async throws {
    var server: ReplayServer? = try await ReplayServer(.echo("/a"), .patient)
    let address = SocketAddress.loopback(port: try #require(server?.port))
    let client = try RawClient(address)
    await client.send("GET /a HTTP/1.1\r\nHost: x\r\n\r\n")
    _ = await client.receive(atLeast: 60)
    server = nil
    #expect(await client.receiveAll() == ([], .finished))
    let late = try RawClient(address)
    await expectEqual(late.send("GET"), false)
    late.close()
    client.close()
  }

  @Test func `a client that keeps its end open is not waited for`() async throws {
    var options = ReplayServer.Options.patient
    // Whoever waited for it would do so for longer than this test may take.
    options.limits.lingerSeconds = 3600
    let server = try await ReplayServer(.echo("/a"), options)
    let client = try server.client()
    await client.send("GET /a HTTP/1.1\r\nHost: x\r\n\r\n")
    _ = await client.receive(atLeast: 60)
    await server.stop(grace: .seconds(3600))
    client.close()
  }
}
