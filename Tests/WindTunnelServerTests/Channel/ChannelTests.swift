import TestSupport
@_spi(WindTunnel) import WindTunnelCore

@testable import WindTunnel
@testable import WindTunnelWire

@Suite(.timeLimit(.minutes(5)), .stopsLoops) struct ChannelTests {
  @Test(arguments: [0, 1, 200, 3_000_000])
  func `all bytes before a reset arrive, and then the reset`(count: Int) async throws {
    let address = try await EventLoop.serve { $0.reset(after: pattern(count)) }
    for _ in 0..<(count > 1000 ? 2 : 30) {
      let (bytes, end) = try await RawClient(address).all(after: "go")
      #expect(areSame(bytes, pattern(count)), "\(bytes.count) of \(count) bytes")
      expectEqual(end, .reset)
    }
  }

  @Test func `a close is a FIN after all bytes, even while the client still sends`() async throws {
    let address = try await EventLoop.serve { script in
      script.received = { channel, _ in
        channel.write(pattern(200))
        channel.close()
      }
    }
    for _ in 0..<20 {
      let client = try RawClient(address)
      async let isSent = client.send(pattern(500_000))
      #expect(await client.receiveAll() == (pattern(200), .finished))
      #expect(await isSent)
      client.close()
    }
  }

  @Test func `after a half-close the server still hears the client`() async throws {
    let heard = Events<[UInt8]>()
    let address = try await EventLoop.serve { script in
      var all: [UInt8] = []
      script.received = { channel, bytes in
        if all.isEmpty {
          channel.write(Array("early".utf8))
          channel.finishWriting()
          channel.write(Array("too late".utf8))
        }
        all += bytes
      }
      script.ended = { channel in
        heard(all)
        channel.close()
      }
    }
    let client = try RawClient(address)
    await client.send("a")
    #expect(await client.receiveAll() == (Array("early".utf8), .finished))
    await client.send("bc")
    client.socket.finishWriting()
    try await expectEqual(heard.next(), Array("abc".utf8))
    client.close()
  }

  @Test func `a producer that minds congestion never queues much more than the limit`()
    async throws
  {
    let highest = Locked(0)
    let slice = pattern(64 * 1024)
    let address = try await EventLoop.serve { $0.send(256, slice, noting: highest) }
    let (bytes, end) = try await RawClient(address).all(after: "go")
    #expect(bytes.count == 256 * slice.count && end == .finished)
    #expect(bytes.suffix(slice.count).elementsEqual(slice))
    #expect(highest.withLock { $0 } <= Limits().queuedBytesMax + slice.count)
  }

  @Test func `what one round writes leaves in one piece and in order`() async throws {
    let address = try await EventLoop.serve { script in
      script.received = { channel, _ in
        for number in 0..<100 { channel.write { $0.appendDecimal(number) } }
        channel.close()
      }
    }
    let client = try RawClient(address)
    await client.send("go")
    let text = (0..<100).map(String.init).joined()
    #expect(await client.finish() == (Array(text.utf8), .finished))
  }

  @Test(arguments: [Channel.CloseMethod.close, .reset])
  func `a client that does not read cannot keep an ending connection`(
    ending: Channel.CloseMethod
  ) async throws {
    let closed = Events<SocketError?>()
    var limits = Limits()
    limits.lingerSeconds = 0.05
    let address = try await EventLoop.serve(limits: limits) { script in
      script.received = { channel, _ in
        channel.write(pattern(16_000_000))
        if ending == .close { channel.close() } else { channel.reset() }
      }
      script.closed = { closed($0) }
    }
    let client = try RawClient(address)
    await client.send("go")
    try await expectNil(closed.next())
    client.close()
  }

  @Test func `a client's reset is told as one, also to a server that does not read`() async throws {
    let (heard, closed) = (Events<Void>(), Events<SocketError?>())
    let address = try await EventLoop.serve { script in
      script.received = { channel, _ in
        channel.pauseReading()
        heard(())
      }
      script.closed = { closed($0) }
    }
    let client = try RawClient(address)
    await client.send("x")
    _ = try await heard.next()
    client.socket.resetOnClose()
    client.close()
    try await expectEqual(closed.next()?.kind, .reset)
  }

  @Test func `a paused channel loses nothing when the client has gone`() async throws {
    let all = Events<Int>()
    let address = try await EventLoop.serve { script in
      var count = 0
      script.received = { channel, bytes in
        count += bytes.count
        guard count == bytes.count else { return }
        channel.finishWriting()
        channel.pauseReading()
        channel.reactor.schedule(after: 1_000_000) { _ in channel.resumeReading() }
      }
      script.ended = { channel in
        all(count)
        channel.close()
      }
    }
    let client = try RawClient(address)
    await client.send(pattern(200_000))
    client.socket.finishWriting()
    try await expectEqual(all.next(), 200_000)
    client.close()
  }
}
