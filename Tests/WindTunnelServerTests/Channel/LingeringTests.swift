import TestSupport

@testable import WindTunnelWire

/// The end of a connection whose peer still sends (RFC 9112 §9.6).
@Suite(.timeLimit(.minutes(5)), .stopsLoops) struct LingeringTests {
  // Both ends on one loop, so that however busy the machine is no time goes by between them.
  @Test func `by the standard limits a client that only sends still gets all that was said`()
    async throws
  {
    let loop = try EventLoop.ofTheTest()
    let told = Events<String>()
    let address = try await loop.serve(limits: .standard) { script in
      script.received = { channel, _ in
        channel.write(pattern(200_000))
        channel.close()
      }
    }
    try await loop.run { reactor in
      let script = Script()
      let piece = pattern(64 * 1024)
      var (pieces, bytes) = (0, [UInt8]())
      script.connected = { channel in
        channel.pauseReading()
        channel.notifyWhenDrained()
      }
      script.drained = { channel in
        pieces += 1
        if pieces == 64 { channel.resumeReading() }
        // As many again while it reads and behind the server's end.
        if pieces == 128 { return channel.finishWriting() }
        channel.write(piece)
        channel.notifyWhenDrained()
      }
      script.received = { bytes += $1 }
      script.ended = { _ in told(areSame(bytes, pattern(200_000)) ? "all" : "\(bytes.count)") }
      script.closed = { told($0.map { "\($0)" } ?? "closed") }
      _ = try Channel(connectingTo: address, on: reactor, limits: .standard, delegate: script)
    }
    try await expectEqual(told.next(), "all")
  }

  @Test func `an end waits for whatever moves, and for a client that only sends not for ever`() {
    let limits = Limits.standard
    let start = Moment(nanoseconds: 0)
    func after(_ seconds: Double) -> Moment { start + Int64(nanosecondsOf: seconds) }
    func ends(taken: Int, _ looks: [(taken: Int, heard: Int, seconds: Double)]) -> [Bool] {
      var lingering = Lingering(taken: taken, heard: 0, at: start, limits)
      return looks.map { lingering.isOver(taken: $0.taken, heard: $0.heard, at: after($0.seconds)) }
    }
    expectEqual(ends(taken: 0, [(0, 0, 5)]), [true])
    let reading = ends(taken: 0, (1...1000).map { ($0, 0, 5 * Double($0)) })
    #expect(!reading.contains(true))
    let sending = ends(taken: 9, (1...20).map { (9, $0, 5 * Double($0)) })
    expectEqual(sending.firstIndex(of: true), Int(limits.requestSeconds) / 5 - 1)
    // Taking something begins the time anew.
    let both = ends(taken: 0, [(1, 1, 58), (1, 2, 63), (1, 3, 118), (1, 3, 119)])
    expectEqual(both, [false, false, true, true])
  }
}
