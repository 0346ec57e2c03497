import TestSupport

@testable import WindTunnel
@testable import WindTunnelLink
@testable import WindTunnelServer
@testable import WindTunnelWire

@Suite(.timeLimit(.minutes(5)), .stopsLoops) struct RelayTests {
  /// A port that relays to another, over a link to the client.
  func relay(
    to origin: SocketAddress,
    on loop: EventLoop,
    over link: Link? = nil,
    _ faults: [ConversationFault] = [],
    ended: Events<SocketError?> = Events()
  ) async throws -> SocketAddress {
    try await loop.run { reactor in
      try Listener(on: reactor) { socket in
        let waiting = Script()
        // A client that has gone already gets nothing, and its test sees that.
        guard let client = try? Channel(socket, on: reactor, delegate: waiting) else { return }
        client.pauseReading()
        waiting.connected = { upstream in
          let linked = LinkedConnection(
            client,
            down: link.map { Shaper($0.down) },
            up: link.map { Shaper($0.up) }
          )
          let conversation = faults.isEmpty ? nil : ConversationRelay(faults, most: 1 << 20)
          Relay(linked, upstream, through: conversation, ended: { ended($0) }).begin()
          linked.begin(with: Data())
        }
        // A refused origin would show as a test that gets nothing.
        _ = try? Channel(connectingTo: origin, on: reactor, delegate: waiting)
      }.address
    }
  }

  /// A queue that is full again and again, so that each side has to wait.
  private static let narrow = Link.Direction(
    delay: .milliseconds(1),
    bitsPerSecond: 100_000_000,
    queueBytes: 8192
  )

  @Test(arguments: [nil, Link(up: narrow, down: narrow)])
  func `a relay carries both ways, however much, and passes the ends on`(link: Link?) async throws {
    let loop = try EventLoop.ofTheTest()
    let ended = Events<SocketError?>()
    let origin = try await loop.serve { script in
      script.received = { channel, bytes in channel.write(bytes) }
      script.ended = { $0.close() }
    }
    let address = try await relay(to: origin, on: loop, over: link, ended: ended)
    let client = try RawClient(address)
    let sent = pattern(5_000_000)
    async let received = client.receiveAll()
    #expect(await client.send(sent))
    client.socket.finishWriting()
    let (bytes, end) = await received
    #expect(bytes == sent && end == .finished)
    try await expectNil(ended.next())
    client.close()
  }

  @Test func `over a link what a client sends before its reset comes, and the reset behind it`()
    async throws
  {
    let loop = try EventLoop.ofTheTest()
    let heard = Events<([UInt8], SocketError.Kind?)>()
    let origin = try await loop.serve { script in
      var bytes: [UInt8] = []
      script.received = { channel, piece in
        if bytes.isEmpty { channel.write([1]) }
        bytes += piece
      }
      script.closed = { heard((bytes, $0?.kind)) }
    }
    let slow = Link.Direction(delay: .milliseconds(20))
    let address = try await relay(to: origin, on: loop, over: Link(up: slow, down: slow))
    let client = try RawClient(address)
    await client.send([0])
    await expectEqual(client.receive(exactly: 1), [1])
    await client.send(pattern(200))
    client.socket.resetOnClose()
    client.close()
    let (bytes, kind) = try await heard.next()
    #expect(bytes == [0] + pattern(200) && kind == .reset)
  }

  @Test(arguments: [nil, Link(up: narrow, down: narrow)])
  func `a relay passes a reset on as a reset, after the bytes before it`(link: Link?) async throws {
    let loop = try EventLoop.ofTheTest()
    let origin = try await loop.serve { $0.reset(after: pattern(200)) }
    let address = try await relay(to: origin, on: loop, over: link)
    for _ in 0..<20 {
      #expect(try await RawClient(address).all(after: "go") == (pattern(200), .reset))
    }
  }

  @Test(arguments: [nil, Link(up: narrow, down: narrow)])
  func `an origin's reset comes behind what a fault holds back`(link: Link?) async throws {
    let loop = try EventLoop.ofTheTest()
    let message: [UInt8] = [0x81, 1, 0x31]
    let origin = try await loop.serve { $0.reset(after: message) }
    for change in [ConversationFault.Change.swap, .late(.milliseconds(30))] {
      let address = try await relay(to: origin, on: loop, over: link, [.message(change, 1)])
      #expect(try await RawClient(address).all(after: "go") == (message, .reset), "\(change)")
    }
  }

  @Test(arguments: [nil, Link(up: narrow, down: narrow)])
  func `a fault that comes in the place of an origin's reset lets nothing of it through`(
    link: Link?
  ) async throws {
    let loop = try EventLoop.ofTheTest()
    let reset = Events<Void>()
    let origin = try await loop.serve { script in
      script.received = { channel, _ in channel.reset() }
      script.closed = { _ in reset(()) }
    }
    let fault = ConversationFault.control(.unansweredClose)
    let address = try await relay(to: origin, on: loop, over: link, [fault])
    let client = try RawClient(address)
    await client.send(Array(WebSocketClose(1000).frame.encoded(masking: 9)))
    _ = try await reset.next()
    client.socket.finishWriting()
    #expect(await client.finish() == ([], .finished))
  }
}
