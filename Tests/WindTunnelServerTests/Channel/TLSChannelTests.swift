import Origins
import TestSupport
@_spi(WindTunnel) import WindTunnelCore
import WindTunnelSymptoms

@testable import WindTunnelReports
@testable import WindTunnelWire

/// What a channel promises, with TLS between it and the socket.
@Suite(.timeLimit(.minutes(5)), .stopsLoops, .enabled(if: TLSKit.isThere, TLSKit.isMissing))
struct TLSChannelTests {
  private let loop: EventLoop
  private let met = Events<Met>()

  init() throws { loop = try EventLoop.ofTheTest() }

  /// What a client meets.
  struct Met: Sendable {
    var heard: [UInt8] = []
    /// Whether the end was said, and not only there.
    var isAgreed: Bool?
    var error: SocketError?
  }

  /// Listens and speaks TLS at once; `play` says what each connection's script is.
  static func serve(
    on loop: EventLoop,
    limits: Limits = .patient,
    leaf: Leaf = Leaf(),
    _ play: @escaping @Sendable (Script) -> Void
  ) async throws -> SocketAddress {
    let context = try TLSKit.server()
    return try await loop.run { reactor in
      let listener = try Listener(on: reactor) { socket in
        let script = Script()
        play(script)
        // A connection that has gone already is seen by the test's client.
        guard
          let channel = try? Channel(socket, on: reactor, limits: limits, delegate: script),
          let engine = try? TLSEngine(context, leaf: leaf)
        else { return }
        channel.startTLS(engine)
      }
      return listener.address
    }
  }

  /// Connects by TLS; `met` is told once, when the connection has gone.
  static func connect(
    to address: SocketAddress,
    as host: String = "localhost",
    on loop: EventLoop,
    limits: Limits = .upstream,
    _ met: Events<Met>,
    _ begin: @escaping @Sendable (Channel, Script) -> Void
  ) async throws {
    let context = try TLSKit.client()
    try await loop.run { reactor in
      let script = Script()
      var seen = Met()
      script.received = { _, bytes in seen.heard += bytes }
      script.ended = { channel in
        seen.isAgreed = !channel.isInputTruncated
        channel.close()
      }
      script.closed = { error in
        seen.error = error
        met(seen)
      }
      let channel = try Channel(
        connectingTo: address,
        on: reactor,
        limits: limits,
        tls: try TLSEngine(context, host: HostName(host)),
        delegate: script
      )
      begin(channel, script)
    }
  }

  @Test func `much goes both ways, and each end is passed on as one`() async throws {
    let address = try await Self.serve(on: loop) { script in
      script.received = { channel, bytes in
        channel.write(bytes)
        if channel.isCongested {
          channel.pauseReading()
          channel.notifyWhenDrained()
        }
      }
      script.drained = { $0.resumeReading() }
      script.ended = { channel in
        #expect(!channel.isInputTruncated)
        channel.write([7])
        channel.close()
      }
    }
    let sent = pattern(3_000_000)
    try await Self.connect(to: address, on: loop, met) { channel, script in
      // Before there is a connection, let alone a handshake.
      channel.write(sent)
      script.connected = { $0.finishWriting() }
    }
    let seen = try await met.next()
    expectEqual(seen.heard, sent + [7])
    #expect(seen.isAgreed == true && seen.error == nil)
  }

  @Test(arguments: [0, 1, 200, 3_000_000])
  func `all bytes before a reset arrive, and then the reset`(count: Int) async throws {
    let address = try await Self.serve(on: loop) { $0.reset(after: pattern(count)) }
    for _ in 0..<(count > 1000 ? 2 : 20) {
      let met = Events<Met>()
      try await Self.connect(to: address, on: loop, met) { channel, _ in channel.write([1]) }
      let seen = try await met.next()
      #expect(areSame(seen.heard, pattern(count)))
      #expect(seen.isAgreed == nil && seen.error?.kind == .reset)
    }
  }

  @Test(arguments: [true, false])
  func `a connection end without close_notify differs from an announced end`(isAgreed: Bool)
    async throws
  {
    let address = try await Self.serve(on: loop) { script in
      script.received = { channel, _ in
        channel.write(pattern(100))
        if isAgreed { channel.finishWriting() } else { channel.notifyWhenDrained() }
      }
      script.drained = { $0.socket.finishWriting() }
      script.ended = { $0.close() }
    }
    try await Self.connect(to: address, on: loop, met) { channel, _ in channel.write([1]) }
    let seen = try await met.next()
    expectEqual(seen.heard, pattern(100))
    #expect(seen.isAgreed == isAgreed && seen.error == nil)
  }

  @Test func `a producer that minds congestion never queues much more than the limit`()
    async throws
  {
    let (met, highest) = (Events<Met>(), Locked(0))
    let slice = pattern(64 * 1024)
    let address = try await Self.serve(on: loop) { $0.send(128, slice, noting: highest) }
    try await Self.connect(to: address, on: loop, met) { channel, _ in channel.write([1]) }
    let seen = try await met.next()
    #expect(seen.heard.count == 128 * slice.count && seen.isAgreed == true)
    #expect(seen.heard.suffix(slice.count).elementsEqual(slice))
    // What is sealed has grown by its records' heads and seals.
    #expect(highest.withLock { $0 } <= Limits().queuedBytesMax + slice.count + 4096)
  }

  @Test func `what one round writes is one record`() async throws {
    let sealed = Locked(0)
    let address = try await Self.serve(on: loop) { script in
      script.received = { channel, _ in
        let before = channel.sentBytes
        for number in 0..<100 { channel.write { $0.appendDecimal(number) } }
        channel.reactor.schedule(after: 0) { _ in
          let count = channel.sentBytes - before
          sealed.withLock { $0 = count }
          channel.close()
        }
      }
    }
    try await Self.connect(to: address, on: loop, met) { channel, _ in channel.write([1]) }
    let text = (0..<100).map(String.init).joined()
    try await expectEqual(met.next().heard, Array(text.utf8))
    // RFC 8446 §5.2: a head of 5 bytes, the inner type, and a seal of 16.
    expectEqual(sealed.withLock { $0 }, text.utf8.count + 22)
  }

  @Test func `a certificate that does not hold ends both ends with the reason`() async throws {
    let (met, closed) = (Events<Met>(), Events<SocketError?>())
    let address = try await Self.serve(on: loop, leaf: Leaf(validity: .expired)) { script in
      script.received = { _, _ in Issue.record("the server has heard something") }
      script.closed = { closed($0) }
    }
    try await Self.connect(to: address, on: loop, met) { channel, script in
      script.connected = { _ in Issue.record("it is told as connected") }
      channel.write([1])
    }
    let seen = try await met.next()
    #expect(seen.heard.isEmpty && seen.isAgreed == nil)
    let failure = try #require(seen.error?.failure)
    expectEqual(failure.symptom, .serverCertificateHasBadDate)
    expectEqual("\(failure)", "its certificate is invalid: certificate has expired")
    let told = try await closed.next()
    let alert = try #require(told?.failure, "the server does not know why")
    #expect(alert.kind == .alert(45) && alert.symptom == .serverCertificateHasBadDate)
  }

  @Test func `a handshake that does not come to its end is given up at both ends`() async throws {
    var limits = Limits()
    limits.handshakeSeconds = 0.05
    let closed = Events<SocketError?>()
    let server = try await Self.serve(on: loop, limits: limits) { script in
      script.closed = { closed($0) }
    }
    let client = try RawClient(server)
    await client.send([22, 3, 1])
    await expectEqual(client.receiveAll().1, .finished)
    client.close()
    let error = try await closed.next()
    let failure = try #require(error?.failure, "the server does not know why")
    expectEqual(failure.kind, .tooSlow)

    let silent = try await loop.serve { script in script.ended = { $0.close() } }
    try await Self.connect(to: silent, on: loop, limits: limits, met) { channel, _ in
      channel.write([1])
    }
    let timeout = try await met.next().error
    let late = try #require(timeout?.failure, "the client does not know why")
    #expect(late.kind == .tooSlow && late.symptom == .timedOut)
  }

  @Test func `a handshake that is larger than allowed is ended`() async throws {
    var limits = Limits()
    limits.handshakeBytesMax = 1000
    let closed = Events<SocketError?>()
    let server = try await Self.serve(on: loop, limits: limits) { script in
      script.closed = { closed($0) }
    }
    let client = try RawClient(server)
    // A record that announces more than comes, of a hello that does so, too.
    await expectEqual(
      client.all(after: [22, 3, 1, 0x30, 0, 1, 0, 0x2F, 0xFC] + pattern(2000)).1,
      .finished
    )
    let error = try await closed.next()
    let failure = try #require(error?.failure, "the server does not know why")
    expectEqual(failure.kind, .tooLarge)
  }

  @Test func `rubbish costs its connection and no other`() async throws {
    let address = try await Self.serve(on: loop) { script in
      script.received = { channel, bytes in
        channel.write(bytes)
        channel.close()
      }
    }
    for bytes in [
      [0], [22, 3, 1, 0, 1, 9], [23, 3, 3, 0, 2, 0, 0], [255, 255, 255, 255, 255, 255],
    ] {
      let client = try RawClient(address)
      await client.send(bytes.map { UInt8($0) })
      client.socket.finishWriting()
      await expectEqual(client.finish().1, .finished)
    }
    try await Self.connect(to: address, on: loop, met) { channel, _ in channel.write([1, 2]) }
    try await expectEqual(met.next().heard, [1, 2])
  }
}
