import TestSupport

@testable import WindTunnelNetworkLayer

@Suite struct AlarmClockTests {
  @Test func `each rings once, not before its time, and none waits for a later one`() async {
    let clock = AlarmClock()
    let (rung, ring) = AsyncStream<Int>.makeStream()
    let start = ContinuousClock.now
    for milliseconds in [3_600_000, 30, 10, 20] {
      _ = clock.set(after: .milliseconds(milliseconds)) { ring.yield(milliseconds) }
    }
    var rings: [Int] = []
    for await milliseconds in rung {
      #expect(ContinuousClock.now - start >= .milliseconds(milliseconds))
      rings.append(milliseconds)
      if rings.count == 3 { break }
    }
    // On a machine that was busy they may be due at once, and then in any order.
    expectEqual(rings.sorted(), [10, 20, 30])
    expectEqual(clock.count, 1)
  }

  @Test func `who is called off does not ring and leaves nothing behind`() async {
    let clock = AlarmClock()
    let counts = Locked(0)
    let alarms = (0..<1000).map { _ in
      clock.set(after: .seconds(3600)) { counts.withLock { $0 += 1 } }
    }
    expectEqual(clock.count, 1000)
    for alarm in alarms { clock.callOff(alarm) }
    expectEqual(clock.count, 0)
    let (rung, ring) = AsyncStream<Void>.makeStream()
    _ = clock.set(after: .milliseconds(1)) { ring.finish() }
    for await _ in rung {}
    expectEqual(counts.withLock { $0 }, 0)
    expectEqual(clock.count, 0)
  }

  @Test func `a thousand that are set and called off at once ring once or never`() async {
    let clock = AlarmClock()
    let rings = Locked([Int](repeating: 0, count: 1000))
    await withTaskGroup(of: Void.self) { group in
      for number in 0..<1000 {
        group.addTask {
          let alarm = clock.set(after: .microseconds(number)) { rings.withLock { $0[number] += 1 } }
          await Task.yield()
          if number.isMultiple(of: 2) { clock.callOff(alarm) }
        }
      }
    }
    while clock.count > 0 { await Task.yield() }
    let (rung, ring) = AsyncStream<Void>.makeStream()
    // Behind all that still ring.
    _ = clock.set(after: .zero) { ring.finish() }
    for await _ in rung {}
    let counts = rings.withLock { $0 }
    #expect(counts.allSatisfy { $0 <= 1 })
    #expect(counts.enumerated().allSatisfy { $0.isMultiple(of: 2) || $1 == 1 })
  }
}
