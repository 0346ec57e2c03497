import Synchronization
import TestSupport
import WindTunnelVirtualTime

/// Virtual time by a clock alone: what takes it, and nothing else, has its time.
@Suite(.timeLimit(.minutes(2))) struct VirtualClockTests {
  private actor Log {
    private(set) var lines: [String] = []
    func add(_ line: String) { lines.append(line) }
  }

  @available(macOS 15, iOS 18, *)
  @Test func `a year of sleeps takes no time`() async throws {
    let clock = VirtualClock()
    let begun = ContinuousClock.now
    let days = try await VirtualTime.run(on: clock) {
      for _ in 0..<365 { try await clock.sleep(for: .seconds(86_400)) }
      return clock.now.elapsed / .seconds(86_400)
    }
    expectEqual(days, 365)
    #expect(ContinuousClock.now - begun < .seconds(60))
  }

  @available(macOS 15, iOS 18, *)
  @Test func `sleepers wake by their moments, and of one moment as they came`() async throws {
    let clock = VirtualClock()
    let lines = try await VirtualTime.run(on: clock) {
      let log = Log()
      await withTaskGroup(of: Void.self) { group in
        for (name, wait) in [("a", 3), ("b", 1), ("c", 2), ("d", 1), ("e", 3), ("f", 0)] {
          group.addTask {
            try? await clock.sleep(for: .seconds(wait))
            await log.add("\(name) \(clock.now.elapsed.components.seconds)")
          }
        }
      }
      return await log.lines
    }
    expectEqual(lines, ["f 0", "b 1", "d 1", "c 2", "a 3", "e 3"])
  }

  @available(macOS 15, iOS 18, *)
  @Test func `instants are exact to the last digit`() async throws {
    let clock = VirtualClock()
    let step = Duration(secondsComponent: 0, attosecondsComponent: 1)
    try await VirtualTime.run(on: clock) {
      try await clock.sleep(for: .seconds(5))
      try await clock.sleep(for: step)
    }
    expectEqual(clock.now.elapsed, .seconds(5) + step)
    expectEqual(clock.minimumResolution, step)
  }

  @available(macOS 15, iOS 18, *)
  @Test func `who is cancelled wakes at that instant, and the clock stays`() async throws {
    let clock = VirtualClock()
    try await VirtualTime.run(on: clock) {
      await withTaskGroup(of: Bool.self) { group in
        group.addTask {
          do { try await clock.sleep(for: .seconds(3600)) } catch is CancellationError {
            return true
          } catch {}
          return false
        }
        try? await clock.sleep(for: .seconds(5))
        group.cancelAll()
        await expectEqual(group.next(), true)
        // Whoever is cancelled does not lie down.
        group.addTask {
          do { try await clock.sleep(for: .zero) } catch is CancellationError { return true } catch
          {}
          return false
        }
        await expectEqual(group.next(), true)
      }
      expectEqual(clock.now.elapsed, .seconds(5))
      try await clock.sleep(for: .seconds(1))
    }
    expectEqual(clock.now.elapsed, .seconds(6), "nobody waits for the hour any more")
  }

  @available(macOS 15, iOS 18, *)
  @Test func `a time-out beside work that is slower, and beside work that is not`() async throws {
    struct Late: Error {}
    let clock = VirtualClock()
    @Sendable func within(_ limit: Int, _ work: Int) async throws -> Int {
      try await withThrowingTaskGroup(of: Int.self) { group in
        group.addTask {
          try await clock.sleep(for: .seconds(work))
          return work
        }
        group.addTask {
          try await clock.sleep(for: .seconds(limit))
          throw Late()
        }
        defer { group.cancelAll() }
        return try await group.next() ?? 0
      }
    }
    try await VirtualTime.run(on: clock) {
      let value = try await within(60, 3)
      expectEqual(value, 3)
      expectEqual(clock.now.elapsed, .seconds(3))
      await #expect(throws: Late.self) { _ = try await within(60, 3600) }
      expectEqual(clock.now.elapsed, .seconds(63))
    }
  }

  /// Sleeps in its own methods, in which others come in.
  @available(macOS 15, iOS 18, *)
  private actor Sleepy {
    let clock: VirtualClock
    var lines: [String] = []

    init(_ clock: VirtualClock) { self.clock = clock }

    func work(_ number: Int) async throws {
      for round in 1...2 {
        try await clock.sleep(for: .seconds(number))
        await Task.yield()
        lines.append("\(number).\(round) \(clock.now.elapsed.components.seconds)")
      }
    }
  }

  @available(macOS 15, iOS 18, *)
  @Test func `actors, async let, streams and yields stay on it`() async throws {
    let clock = VirtualClock()
    let lines = try await VirtualTime.run(on: clock, patience: .zero) {
      let actor = Sleepy(clock)
      let (stream, tick) = AsyncStream.makeStream(of: Int.self)
      async let three: Void = actor.work(3)
      async let two: Void = actor.work(2)
      async let heard = stream.reduce(0, +)
      for number in 0..<10 {
        try await clock.sleep(for: .milliseconds(1))
        await Task.yield()
        tick.yield(number)
      }
      tick.finish()
      await expectEqual(heard, 45)
      _ = try await (three, two)
      return await actor.lines
    }
    expectEqual(lines, ["2.1 2", "3.1 3", "2.2 4", "3.2 6"])
  }

  @available(macOS 15, iOS 18, *)
  @Test func `a task of its own takes the clock for its executor`() async throws {
    let clock = VirtualClock()
    try await VirtualTime.run(on: clock, patience: .zero) {
      let task = Task(executorPreference: clock) {
        try await clock.sleep(for: .seconds(600))
        return clock.now.elapsed
      }
      try await clock.sleep(for: .seconds(60))
      try await expectEqual(task.value, .seconds(600))
    }
  }

  @available(macOS 15, iOS 18, *)
  @Test func `the next run on a clock begins where the last has ended`() async throws {
    let clock = VirtualClock()
    for number in 1...3 {
      try await VirtualTime.run(on: clock) { try await clock.sleep(for: .seconds(10)) }
      expectEqual(clock.now.elapsed, .seconds(10 * number))
    }
  }

  @available(macOS 15, iOS 18, *)
  @Test func `what the work throws comes out`() async {
    struct Own: Error {}
    await #expect(throws: Own.self) {
      try await VirtualTime.run(on: VirtualClock()) { throw Own() }
    }
  }

  @available(macOS 15, iOS 18, *)
  @Test func `task-local values come in`() async throws {
    try await Local.$value.withValue(7) {
      let value = try await VirtualTime.run(on: VirtualClock()) { Local.value }
      expectEqual(value, 7)
    }
  }

  private enum Local {
    @TaskLocal static var value = 0
  }

  // MARK: Others

  /// Sleeps so long in rounds of its own, drawn by the run's number, and tells of each.
  @available(macOS 15, iOS 18, *)
  private static func flight(_ step: Int, _ order: TurnOrder = .arrival) async throws -> String {
    let clock = VirtualClock()
    return try await VirtualTime.run(on: clock, in: order, patience: .zero) {
      let log = Log()
      await withTaskGroup(of: Void.self) { group in
        for number in 0..<20 {
          group.addTask {
            for round in 0..<5 {
              try? await clock.sleep(for: .milliseconds((number * 7 + round) % 5 * step))
              await Task.yield()
              await log.add("\(number).\(round) \(clock.now.elapsed)")
            }
          }
        }
      }
      return await log.lines.joined(separator: "\n")
    }
  }

  @available(macOS 15, iOS 18, *)
  @Test func `a hundred runs have the same bytes`() async throws {
    let first = try await Self.flight(100)
    expectEqual(first.split(separator: "\n").count, 100)
    for _ in 0..<100 { try await expectEqual(Self.flight(100), first) }
    let drawn = try await Self.flight(100, .drawn(seed: 3))
    #expect(drawn != first)
    try await expectEqual(Self.flight(100, .drawn(seed: 3)), drawn)
  }

  @available(macOS 15, iOS 18, *)
  @Test func `runs at once do not disturb each other`() async throws {
    let alone = [try await Self.flight(3), try await Self.flight(11)]
    try await withThrowingTaskGroup(of: (Int, String).self) { group in
      for number in 0..<40 {
        group.addTask { (number % 2, try await Self.flight([3, 11][number % 2])) }
      }
      for try await (kind, text) in group { expectEqual(text, alone[kind]) }
    }
  }

  @available(macOS 15, iOS 18, *)
  @Test func `twenty neighbours keep the machine's time`() async throws {
    let expected = try await Self.flight(60_000)
    async let neighbours = withTaskGroup(of: Duration.self) { group in
      for number in 0..<20 {
        group.addTask {
          let start = ContinuousClock.now
          if number.isMultiple(of: 2) {
            try? await Task.sleep(for: .milliseconds(100))
          } else {
            await Task { try? await Task.sleep(for: .milliseconds(100)) }.value
          }
          return ContinuousClock.now - start
        }
      }
      return await group.reduce(into: [Duration]()) { $0.append($1) }
    }
    for _ in 0..<20 { try await expectEqual(Self.flight(60_000), expected) }
    for slept in await neighbours {
      #expect(slept >= .milliseconds(100) && slept < .seconds(60))
    }
  }
}
