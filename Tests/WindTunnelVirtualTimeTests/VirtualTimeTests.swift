import TestSupport
import WindTunnelVirtualTimeTesting

@Suite(.onThisSystem, .timeLimit(.minutes(5))) struct VirtualTimeTests {
  @Test func `hours of sleep take no time, and all clocks see them`() async throws {
    let real = ContinuousClock.now
    let (continuous, date, suspending) = try await VirtualTime.run {
      let (start, date, suspending) = (ContinuousClock.now, Date(), SuspendingClock.now)
      for _ in 0..<100 { try await Task.sleep(for: .seconds(60)) }
      return (
        ContinuousClock.now - start, Date().timeIntervalSince(date),
        SuspendingClock.now - suspending
      )
    }
    expectEqual(continuous, .seconds(6000))
    #expect(abs(date - 6000) < 0.001)
    expectEqual(suspending, .seconds(6000))
    #expect(ContinuousClock.now - real < .seconds(60))
  }
}

@Suite(.onThisSystem, .virtualTime, .timeLimit(.minutes(5))) struct TraitTests {
  @Test func `a test waits an hour`() async throws {
    let start = Date()
    try await Task.sleep(for: .seconds(3600))
    #expect(abs(Date().timeIntervalSince(start) - 3600) < 0.001)
  }

  @Test(arguments: 1...20) func `each case has a time of its own`(hours: Int) async throws {
    let start = ContinuousClock.now
    try await Task.sleep(for: .seconds(3600 * hours))
    expectEqual(ContinuousClock.now - start, .seconds(3600 * hours))
  }

  @Test(.virtualTime)
  func `an expectation that fails is told at its line`() async throws {
    try await Task.sleep(for: .seconds(1))
    withKnownIssue { #expect(Bool(false)) }
  }

  @MainActor @Test func `a test on the main actor`() async throws {
    let start = ContinuousClock.now
    try await Task.sleep(for: .seconds(3600))
    expectEqual(ContinuousClock.now - start, .seconds(3600))
    dispatchPrecondition(condition: .onQueue(.main))
  }
}

/// Sleeps five hundred times until a date that is no whole number of a clock's steps.
private func sleepInSteps(from start: Date) {
  for step in 1...500 { Thread.sleep(until: start + 0.1 * Double(step) + 0.000_000_3) }
}

/// Runs that are at the same time, each on a thread and with a time of its own.
@Suite(.onThisSystem, .timeLimit(.minutes(5))) struct TogetherTests {
  /// What one sees of its time, its draws and its turns.
  private static func seen(by number: Int) async throws -> [String] {
    try await VirtualTime.run(seed: UInt64(number), startingAt: Date(timeIntervalSince1970: 0)) {
      let start = ContinuousClock.now
      return try await withThrowingTaskGroup(of: String.self) { group in
        for place in 0..<20 {
          group.addTask {
            try await Task.sleep(for: .seconds(number * place))
            // Without a preference, and behind an actor's back to it.
            let drawn = await Task.detached { await Counter().next(Int.random(in: 0..<1000)) }.value
            try await Task.sleep(for: .seconds(1))
            return
              "\(place) \(drawn) \(ContinuousClock.now - start) \(Date().timeIntervalSince1970)"
          }
        }
        return try await group.reduce(into: []) { $0.append($1) }
      }
    }
  }

  private actor Counter {
    func next(_ number: Int) async -> Int {
      await Task.yield()
      return number
    }
  }

  @Test func `each sees what it sees alone`() async throws {
    var alone: [[String]] = []
    for number in 1...4 { alone.append(try await Self.seen(by: number)) }
    for _ in 0..<20 {
      let together = try await VirtualTime.together {
        try await withThrowingTaskGroup(of: (Int, [String]).self) { group in
          for number in 1...4 { group.addTask { (number, try await Self.seen(by: number)) } }
          return try await group.reduce(into: [:]) { $0[$1.0] = $1.1 }
        }
      }
      expectEqual((1...4).map { together[$0] ?? [] }, alone)
    }
  }

  @Test func `together within together is one`() async throws {
    let one = try await VirtualTime.together {
      try await VirtualTime.together { try await VirtualTime.run { 1 } }
    }
    expectEqual(one, 1)
  }

  /// Foundation sleeps what is left of its sum again and again, down to less than a nanosecond.
  @Test func `a thread sleeps until a date`() async throws {
    let passed = try await VirtualTime.run {
      let start = Date()
      sleepInSteps(from: start)
      return Date().timeIntervalSince(start)
    }
    #expect(abs(passed - 50) < 0.01)
  }

  /// CoreFoundation's spin locks do so while another thread has them.
  @Test func `a sleep of nothing lets no time pass`() async throws {
    let passed = try await VirtualTime.run {
      let start = ContinuousClock.now
      sleep(0)
      usleep(0)
      return ContinuousClock.now - start
    }
    expectEqual(passed, .zero)
  }
}
