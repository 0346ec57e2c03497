import TestSupport
@_spi(WindTunnel) import WindTunnelCore

@testable import WindTunnel
@testable import WindTunnelServer
@testable import WindTunnelWire

/// How tunnels end while the link still holds something, and what is seen of it.
@Suite(.timeLimit(.minutes(5)), .stopsLoops) struct TunnelEndTests {
  private static let late = Link.Direction(delay: .milliseconds(300))

  @Test func `a reset behind an end overtakes nothing that is on its way`() async throws {
    let asking = Locked<RawClient?>(nil)
    let address = try await EventLoop.serve { script in
      var hasSpoken = false
      script.received = { channel, _ in
        if hasSpoken {
          channel.socket.resetOnClose()
          return channel.abandon()
        }
        hasSpoken = true
        channel.write(pattern(200))
        channel.finishWriting()
        channel.notifyWhenDrained()
      }
      // The FIN is out by now. The client speaks on this thread, which no other test keeps waiting:
      // what it says has to be there before the link lets go of what came.
      script.drained = { _ in
        let client = asking.withLock { $0 }
        _ = Array("more".utf8).withUnsafeBytes { client?.socket.write($0) }
      }
    }
    let link = Link(up: .init(), down: Link.Direction(delay: .seconds(2)))
    try await ReplayServer.proxying(Scenario("x", link: link)) { server, _, seen async throws in
      let client = try await server.tunnel(to: address)
      asking.withLock { $0 = client }
      #expect(await client.all(after: "go") == (pattern(200), .reset))
      guard case .tunnel(let tunnel) = try await seen.next() else { return }
      #expect(tunnel.reason == .originReset && tunnel.bytesDown == 200)
    }
  }

  @Test func `a client's reset comes behind what it sent`() async throws {
    let ends = Events<([UInt8], SocketError.Kind?)>()
    let address = try await EventLoop.serve { script in
      var bytes: [UInt8] = []
      script.received = { _, more in bytes += more }
      script.closed = { ends((bytes, $0?.kind)) }
    }
    let link = Link(up: Self.late, down: .init())
    try await ReplayServer.proxying(Scenario("x", link: link)) { server, _, seen async throws in
      let client = try await server.tunnel(to: address)
      await client.send("hello")
      client.socket.resetOnClose()
      client.close()
      let (bytes, kind) = try await ends.next()
      #expect(bytes == Array("hello".utf8) && kind == .reset)
      guard case .tunnel(let tunnel) = try await seen.next() else { return }
      #expect(tunnel.reason == .clientReset && tunnel.bytesUp == 5)
    }
  }

  @Test func `a client that has said everything in advance gets its tunnel`() async throws {
    let echo = try await Echo()
    let link = Link(up: Self.late, down: .init())
    try await ReplayServer.proxying(Scenario("x", link: link)) { server, _, _ async throws in
      let client = try server.client()
      await client.send("CONNECT \(echo.address) HTTP/1.1\r\nHost: x\r\n\r\nhello")
      client.socket.finishWriting()
      let (bytes, end) = await client.finish()
      expectEqual(
        String(decoding: bytes, as: UTF8.self),
        "HTTP/1.1 200 Connection Established\r\n\r\nhello"
      )
      expectEqual(end, .finished)
    }
  }

  @Test func `a client that leaves before its handshake is let go`() async throws {
    let scenario: Scenario = [.always(.always, .connection(.tls(.handshakeFailure)))]
    try await ReplayServer.proxying(scenario) { server, _, seen async throws in
      let client = try await server.tunnel(to: .loopback(port: 1))
      client.socket.finishWriting()
      #expect(await client.finish() == ([], .finished))
      guard case .tunnel(let tunnel) = try await seen.next() else { return }
      expectEqual(tunnel.reason, .clientReset)
    }
  }

  @Test(arguments: [nil, Link(up: .init(), down: .init())])
  func `a stalled tunnel notices that its client has left`(link: Link?) async throws {
    let echo = try await Echo()
    var scenario: Scenario = [.on("CONNECT *", .always, .stall(afterBodyBytes: 3))]
    scenario.link = link
    try await ReplayServer.proxying(scenario) { server, _, seen async throws in
      let client = try await server.tunnel(to: echo.address)
      await client.send("hello")
      await expectEqual(client.receive(exactly: 3), Array("hel".utf8))
      await client.send("and more that nobody hears")
      client.close()
      guard case .tunnel(let tunnel) = try await seen.next() else { return }
      #expect(tunnel.reason == .cut && tunnel.bytesDown == 3)
    }
  }

  @Test func `a tunnel that is open when the proxy is ended is seen, though its ends stay open`()
    async throws
  {
    let echo = try await Echo()
    try await ReplayServer.proxying { server, _, seen async throws in
      let client = try await server.tunnel(to: echo.address)
      await client.send("hello")
      await expectEqual(client.receive(exactly: 5), Array("hello".utf8))
      await server.stop(grace: .zero)
      let ended = EndedExchange.tunnel(to: "\(echo.address)", bytes: 5, .stopped)
      try await expectEqual(seen.next().timeless, ended)
      client.close()
    }
  }

  @Test func `an origin is held while the last bytes before a cut are on their way`() async throws {
    let taken = Locked(0)
    let address = try await EventLoop.serve { $0.flood(64 << 20, taken) }
    // 1600 bytes a second: what may pass takes longer than sending everything does.
    var scenario: Scenario = [.on("CONNECT *", .always, .reset(afterBodyBytes: 3200))]
    scenario.link = Link(up: .init(), down: .init(bitsPerSecond: 12_800, queueBytes: 1 << 20))
    try await ReplayServer.proxying(scenario) { server, _, _ async throws in
      let client = try await server.tunnel(to: address)
      #expect(await client.all(after: "go") == (Array(pattern(3200)), .reset))
      // What two systems' socket buffers hold; the whole would be 64 MiB.
      #expect(taken.withLock { $0 } < 32 << 20)
    }
  }
}
