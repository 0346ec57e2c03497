import TestSupport
@_spi(WindTunnel) import WindTunnelCore

@testable import WindTunnelDrill

@Suite struct SharedTimerTests {
  @Test func `each timeout rings once and not before its time, unless it is cancelled`() async {
    let timer = SharedTimer()
    let rings = Locked<[Int: [Duration]]>([:])
    let begin = ContinuousClock.now
    let (rung, ring) = AsyncStream<Void>.makeStream()
    @Sendable func note(_ number: Int) {
      rings.withLock { $0[number, default: []].append(ContinuousClock.now - begin) }
    }
    for number in 0..<1000 { timer.set(number, after: .seconds(3600)) { note(number) } }
    for number in 0..<1000 { timer.cancel(number) }
    // A later timeout does not delay an earlier one.
    for (number, time) in [(1001, 30), (1002, 20), (1003, 10)] {
      timer.set(number, after: .milliseconds(time)) {
        note(number)
        if rings.withLock({ $0.count }) == 3 { ring.finish() }
      }
    }
    for await _ in rung {}
    let all = rings.withLock { $0 }
    expectEqual(all.keys.sorted(), [1001, 1002, 1003])
    for (number, time) in [(1001, 30), (1002, 20), (1003, 10)] {
      expectEqual(all[number]?.count, 1)
      #expect(all[number]?.first ?? .zero >= .milliseconds(time))
    }
  }
}
