import Origins
import TestSupport
@_spi(WindTunnel) import WindTunnelCore
import WindTunnelSymptoms

@testable import WindTunnel
@testable import WindTunnelServer
@testable import WindTunnelWire

@Suite(.timeLimit(.minutes(5)), .stopsLoops) struct TunnelTests {
  @Test(arguments: [nil, Link(up: .init(), down: .init())])
  func `ten megabytes pass both ways unharmed, and each end by itself`(link: Link?) async throws {
    let echo = try await Echo()
    try await ReplayServer.proxying(Scenario("x", link: link)) { server, _, seen async throws in
      let client = try await server.tunnel(to: echo.address)
      let sent = pattern(10_000_000)
      async let received = client.receiveAll()
      #expect(await client.send(sent))
      client.socket.finishWriting()
      let (bytes, end) = await received
      #expect(bytes == sent && end == .finished)
      client.close()
      let ended = EndedExchange.tunnel(to: "\(echo.address)", in: "x", bytes: sent.count, .closed)
      try await expectEqual(seen.next().timeless, ended)
    }
  }

  @Test func `what a client sends in advance is not lost`() async throws {
    let echo = try await Echo()
    try await ReplayServer.proxying { server, _, _ async throws in
      let client = try await server.tunnel(to: echo.address, early: "hello")
      client.socket.finishWriting()
      #expect(await client.finish() == (Array("hello".utf8), .finished))
    }
  }

  @Test func `an origin that has finished still hears its client, and the other way round`()
    async throws
  {
    let heard = Events<[UInt8]>()
    let address = try await EventLoop.serve { script in
      var bytes: [UInt8] = []
      script.received = { channel, more in
        if bytes.isEmpty {
          channel.write(Array("bye".utf8))
          channel.finishWriting()
        }
        bytes += more
      }
      script.ended = { channel in
        heard(bytes)
        channel.close()
      }
    }
    try await ReplayServer.proxying { server, _, _ async throws in
      let client = try await server.tunnel(to: address)
      await client.send("a")
      // Everything up to its FIN; then the client goes on.
      #expect(await client.receiveAll() == (Array("bye".utf8), .finished))
      await client.send("bc")
      client.socket.finishWriting()
      try await expectEqual(heard.next(), Array("abc".utf8))
      client.close()
    }
  }

  @Test(arguments: [nil, Link(up: .init(), down: .init(delay: .milliseconds(5)))])
  func `a reset is passed on as a reset, after the bytes before it`(link: Link?) async throws {
    let address = try await EventLoop.serve { $0.reset(after: pattern(200)) }
    try await ReplayServer.proxying(Scenario("x", link: link)) { server, _, _ async throws in
      for _ in 0..<20 {
        let client = try await server.tunnel(to: address)
        #expect(await client.all(after: "go") == (pattern(200), .reset))
      }
    }
  }

  @Test func `a client's reset reaches the origin as one`() async throws {
    let ends = Events<SocketError.Kind?>()
    let address = try await EventLoop.serve { script in
      script.closed = { ends($0?.kind) }
    }
    try await ReplayServer.proxying { server, _, seen async throws in
      let client = try await server.tunnel(to: address)
      client.socket.resetOnClose()
      client.close()
      try await expectEqual(ends.next(), .reset)
      guard case .tunnel(let tunnel) = try await seen.next() else { return }
      expectEqual(tunnel.reason, .clientReset)
    }
  }

  @Test(arguments: [
    (Fault.reset(afterBodyBytes: 100_000), RawClient.End.reset),
    (.truncate(afterBodyBytes: 100_000), .finished),
  ])
  func `a cut comes at its byte, and the next tunnel is whole`(fault: Fault, end: RawClient.End)
    async throws
  {
    let sent = pattern(500_000)
    let address = try await EventLoop.serve { script in
      script.received = { channel, _ in
        channel.write(sent)
        channel.close()
      }
    }
    let scenario: Scenario = [.on("CONNECT *", .first(1), fault)]
    try await ReplayServer.proxying(scenario) { server, _, seen async throws in
      let first = try await server.tunnel(to: address)
      #expect(await first.all(after: "go") == (Array(sent[..<100_000]), end))
      guard case .tunnel(let tunnel) = try await seen.next() else { return }
      #expect(tunnel.reason == .cut && tunnel.bytesDown == 100_000)
      let second = try await server.tunnel(to: address)
      #expect(await second.all(after: "go") == (sent, .finished))
    }
  }

  @Test func `a stalled tunnel stays open and says nothing more`() async throws {
    let echo = try await Echo()
    let scenario: Scenario = [.on("CONNECT *", .always, .stall(afterBodyBytes: 3))]
    try await ReplayServer.proxying(scenario) { server, _, seen async throws in
      let client = try await server.tunnel(to: echo.address)
      await client.send("hello")
      await expectEqual(client.receive(exactly: 3), Array("hel".utf8))
      // The only end it has is the proxy's own.
      async let rest = client.receiveAll()
      await server.stop(grace: .zero)
      await expectEqual(rest.0, [])
      client.close()
    }
  }

  @Test func `the link's delay and rate are in a tunnel, each way its own`() async throws {
    let echo = try await Echo()
    // 20 ms up and 30 down; 1.6 Mbit/s down are 200 bytes a millisecond.
    let link = Link(
      up: .init(delay: .milliseconds(20)),
      down: .init(delay: .milliseconds(30), bitsPerSecond: 1_600_000, queueBytes: 8192)
    )
    try await ReplayServer.proxying(Scenario("slow", link: link)) { server, _, seen async throws in
      let start = ContinuousClock.now
      let client = try await server.tunnel(to: echo.address)
      #expect(ContinuousClock.now - start >= .milliseconds(50), "a round trip for the connection")
      await client.send("x")
      _ = await client.receive(exactly: 1)
      #expect(ContinuousClock.now - start >= .milliseconds(100), "and one for the byte")
      let sent = pattern(40_000)
      let begin = ContinuousClock.now
      await client.send(sent)
      await expectEqual(client.receive(exactly: sent.count), sent)
      #expect(ContinuousClock.now - begin >= .milliseconds(250), "200 ms for the bytes")
      client.close()
      guard case .tunnel(let tunnel) = try await seen.next() else { return }
      #expect(try #require(tunnel.connect) >= .milliseconds(50))
    }
  }

  @Test func `an origin that refuses is a 502 in words and a symptom`() async throws {
    let port = try ClosedPort()
    try await ReplayServer.proxying { server, _, seen async throws in
      let place = "127.0.0.1:\(port.port)"
      let answer = try await server.answer(to: "CONNECT \(place) HTTP/1.1\r\nHost: x\r\n\r\n")
      expectEqual(answer.statusLine, "HTTP/1.1 502 Bad Gateway")
      expectEqual(answer.content, "\(place) failed: \(place) refused the connection.\n")
      guard case .tunnel(let tunnel) = try await seen.next() else { return }
      #expect(tunnel.reason == .failed(.connectionRefused) && tunnel.connect == nil)
    }
  }

  @Test(arguments: [false, true])
  func `a tunnel that nothing passes through, or that lasts too long, is closed`(isTotal: Bool)
    async throws
  {
    let echo = try await Echo()
    var limits = Limits.patient
    if isTotal { limits.tunnelSeconds = 0.2 } else { limits.tunnelIdleSeconds = 0.2 }
    try await ReplayServer.proxying(limits: limits) { server, _, seen async throws in
      let start = ContinuousClock.now
      let client = try await server.tunnel(to: echo.address)
      #expect(await client.finish() == ([], .finished))
      #expect(ContinuousClock.now - start >= .milliseconds(200))
      guard case .tunnel(let tunnel) = try await seen.next() else { return }
      expectEqual(tunnel.reason, .expired)
    }
  }

  @Test(arguments: [nil, Link(up: .init(), down: .init(delay: .milliseconds(1)))])
  func `a client that does not read holds the origin up, not the memory`(link: Link?) async throws {
    let taken = Locked(0)
    let address = try await EventLoop.serve { $0.flood(64 << 20, taken) }
    try await ReplayServer.proxying(Scenario("x", link: link)) { server, _, _ async throws in
      let client = try await server.tunnel(to: address)
      await client.send("go")
      // It comes to rest: the same for many looks in a row.
      var (last, same) = (-1, 0)
      while same < 20 {
        try await Task.sleep(for: .milliseconds(10))
        let now = taken.withLock { $0 }
        same = now == last && now > 0 ? same + 1 : 0
        last = now
      }
      // What is here and what two systems' socket buffers hold; the whole would be 64 MiB.
      #expect(last < 32 << 20)
      client.close()
    }
  }

  @Test(arguments: [false, true])
  func `a handshake fails without certificate, origin or library, also in the CONNECT's own packet`(
    isEarly: Bool
  ) async throws {
    let scenario: Scenario = [.always(.always, .connection(.tls(.handshakeFailure)))]
    try await ReplayServer.proxying(scenario) { server, _, _ async throws in
      let address = try #require(SocketAddress("127.0.0.1", port: 1))
      // A ClientHello as far as it is looked at: type, version, length, that many bytes.
      let hello = "\u{16}\u{3}\u{1}\u{0}\u{3}\u{1}\u{0}\u{0}"
      let client = try await server.tunnel(to: address, early: isEarly ? hello : "")
      if !isEarly { await client.send(hello) }
      #expect(await client.finish() == ([21, 3, 3, 0, 2, 2, 40], .finished))
    }
  }
}
