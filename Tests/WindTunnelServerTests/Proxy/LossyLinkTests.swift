import TestSupport

@testable import WindTunnel
@testable import WindTunnelServer

/// A tenth of the packets is lost each way, and of the bytes none.
@Suite(.timeLimit(.minutes(5)), .stopsLoops) struct LossyLinkTests {
  private static let direction = Link.Direction(
    delay: .milliseconds(1),
    jitter: Jitter(.microseconds(500)),
    loss: .bernoulli(0.1)
  )
  private static let link = Link(up: direction, down: direction)

  @Test(.world) func `ten megabytes through a tunnel are their source's at a tenth of loss`()
    async throws
  {
    let sent = pattern(10_000_000)
    let address = try await EventLoop.serve { script in
      script.received = { channel, _ in
        channel.write(sent)
        channel.finishWriting()
      }
      script.ended = { channel in channel.close() }
    }
    try await ReplayServer.proxying(Scenario("lossy", link: Self.link)) {
      server,
      _,
      _ async throws in
      let client = try await server.tunnel(to: address)
      let (bytes, end) = await client.all(after: "x")
      #expect(bytes.count == sent.count && SHA256.hexadecimal(bytes) == SHA256.hexadecimal(sent))
      expectEqual(end, .finished)
    }
  }

  @Test func `what plain HTTP brings is whole, and later than without loss`() async throws {
    let body = String(decoding: pattern(300_000).map { 97 + $0 % 26 }, as: UTF8.self)
    let origin = try await Origin { _ in
      (["HTTP/1.1 200 OK\r\nContent-Length: \(body.utf8.count)\r\n\r\n", body], .stays)
    }
    try await ReplayServer.proxying(Scenario("lossy", link: Self.link)) {
      server,
      _,
      _ async throws in
      let start = ContinuousClock.now
      let answer = try await server.answer(to: closing("GET \(origin.url)"))
      expectEqual(answer.content, body)
      // Twenty losses of 200 segments are not repaired without a timeout of 200 ms.
      #expect(ContinuousClock.now - start >= .milliseconds(200))
    }
  }
}
