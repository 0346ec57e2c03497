import TestSupport

@testable import WindTunnel
@testable import WindTunnelServer

/// WebSockets through a proxy: bytes that pass as they are once the origin has agreed.
@Suite(.timeLimit(.minutes(5)), .stopsLoops) struct WebSocketTests {
  private static func wish(_ target: String) -> String {
    "GET \(target) HTTP/1.1\r\nHost: x\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n"
      + "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Version: 13\r\n\r\n"
  }
  private static let agreed =
    "HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
    + "Sec-WebSocket-Accept: s3pPLMBiTxaQ9kYGzzhZRbK+xOo=\r\n\r\n"
  /// Every byte there is: none of them means anything to who passes them on.
  private static let frame = (0...255).map { UInt8($0) }

  /// An origin that agrees, says something at once, and then sends back whatever comes.
  private static func echo(_ script: Script, _ asked: Events<String>) {
    var head = ""
    script.received = { channel, bytes in
      if head.hasSuffix("\r\n\r\n") { return channel.write(bytes) }
      head += String(decoding: bytes, as: UTF8.self)
      guard head.hasSuffix("\r\n\r\n") else { return }
      asked(head)
      channel.write(Array(agreed.utf8) + frame)
    }
    script.ended = { $0.close() }
  }

  private static func flies(
    through server: ReplayServer,
    _ target: String
  ) async throws -> RawClient.End {
    let client = try server.client()
    await client.send(wish(target))
    await expectEqual(client.receive(exactly: agreed.utf8.count), Array(agreed.utf8))
    await expectEqual(client.receive(exactly: 256), frame)
    await client.send(frame.reversed())
    await expectEqual(client.receive(exactly: 256), frame.reversed())
    client.socket.finishWriting()
    let (rest, end) = await client.finish()
    #expect(rest.isEmpty)
    return end
  }

  private static let slow = Scenario(
    "slow",
    link: Link(up: .init(delay: .milliseconds(5)), down: .init(delay: .milliseconds(5)))
  )

  @Test(arguments: [RecordMode.none, .newEpisodes], [.calm, slow])
  func `a proxy passes them on as they are, and keeps nothing of them`(
    mode: RecordMode,
    scenario: Scenario
  ) async throws {
    let asked = Events<String>()
    let address = try await EventLoop.serve { Self.echo($0, asked) }
    try await ReplayServer.proxying(scenario, mode: mode) { server, deck, _ async throws in
      try await expectEqual(Self.flies(through: server, "http://\(address)/chat"), .finished)
      try await expectEqual(
        asked.next(),
        "GET /chat HTTP/1.1\r\nHost: \(address)\r\n"
          + "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Version: 13\r\n"
          + "Connection: Upgrade\r\nUpgrade: websocket\r\n\r\n"
      )
      #expect(deck.recorded().cassette.interactions.isEmpty)
      expectEqual(deck.arrivals.carriedCount, 0)
    }
  }

  @Test func `a server's end ends them`() async throws {
    let address = try await EventLoop.serve { Self.echo($0, Events()) }
    try await ReplayServer.proxying { server, _, _ async throws in
      let client = try server.client()
      await client.send(Self.wish("http://\(address)/chat"))
      _ = await client.receive(exactly: Self.agreed.utf8.count + 256)
      async let end = client.receiveAll()
      await server.stop(grace: .seconds(60))
      #expect(await end == ([], .finished))
      client.close()
    }
  }

  @Test func `an origin that does not agree answers as it likes`() async throws {
    let origin = try await Origin { _ in
      (["HTTP/1.1 426 Upgrade Required\r\nContent-Length: 2\r\n\r\nno"], .stays)
    }
    try await ReplayServer.proxying { server, _, _ async throws in
      let client = try server.client()
      await client.send(Self.wish("\(origin.url.origin ?? "")/chat"))
      let expected = "HTTP/1.1 426 Upgrade Required\r\nContent-Length: 2\r\n\r\nno"
      let heard = await client.receive(exactly: expected.utf8.count)
      expectEqual(String(decoding: heard, as: UTF8.self), expected)
      client.close()
    }
  }
}
