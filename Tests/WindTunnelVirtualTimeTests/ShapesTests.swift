import Dispatch
import TestSupport
import WindTunnelVirtualTime

/// Code as people write it, none of it for virtual time: each has to see its hour go by.
@Suite(.onThisSystem, .timeLimit(.minutes(5))) struct ShapesTests {
  private static let hour = Duration.seconds(3600)

  /// Runs work, and returns how long it took by its own clock.
  private static func time(_ work: @escaping @Sendable () async throws -> Void) async throws
    -> Duration
  {
    try await VirtualTime.run {
      let start = ContinuousClock.now
      try await work()
      return ContinuousClock.now - start
    }
  }

  private actor Sleeper {
    var count = 0
    func sleep() async throws {
      try await Task.sleep(for: ShapesTests.hour)
      count += 1
    }
    func begin() -> Task<Void, any Error> { Task { try await self.sleep() } }
  }

  private actor HoppingActor {
    func sleep() async throws {
      try await Task {
        await self.hop()
        try await Task.sleep(for: ShapesTests.hour)
        await self.hop()
      }.value
    }
    private func hop() async {
      await withCheckedContinuation { continuation in
        DispatchQueue.global().async { continuation.resume() }
      }
    }
  }

  /// The token refresher of every tutorial: all wait for one task.
  private actor Refresher {
    private var refresh: Task<String, any Error>?
    var count = 0
    func token() async throws -> String {
      if let refresh { return try await refresh.value }
      let task = Task { try await self.fetch() }
      refresh = task
      defer { refresh = nil }
      return try await task.value
    }
    private func fetch() async throws -> String {
      try await Task.sleep(for: ShapesTests.hour)
      count += 1
      return "token"
    }
  }

  private struct TimedOut: Error {}

  private static func limited<T: Sendable>(
    _ limit: Duration,
    _ work: @escaping @Sendable () async throws -> T
  ) async throws -> T {
    try await withThrowingTaskGroup(of: T.self) { group in
      group.addTask { try await work() }
      group.addTask {
        try await Task.sleep(for: limit)
        throw TimedOut()
      }
      defer { group.cancelAll() }
      return try #require(try await group.next())
    }
  }

  @MainActor private static func onMain() async throws {
    for _ in 0..<4 {
      MainActor.assertIsolated()
      dispatchPrecondition(condition: .onQueue(.main))
      try await Task.sleep(for: hour / 4)
    }
    dispatchPrecondition(condition: .onQueue(.main))
  }

  private static let shapes: [(String, @Sendable () async throws -> Void)] = [
    ("sleep(for:)", { try await Task.sleep(for: hour) }),
    ("sleep(for:tolerance:)", { try await Task.sleep(for: hour, tolerance: .seconds(1)) }),
    ("sleep(until:)", { try await Task.sleep(until: .now + hour, clock: .continuous) }),
    (
      "sleep(until:tolerance:)",
      {
        try await Task.sleep(until: .now + hour, tolerance: .zero, clock: .suspending)
      }
    ),
    ("sleep(nanoseconds:)", { try await Task.sleep(nanoseconds: 3_600_000_000_000) }),
    (
      "a clock's sleep",
      {
        let clock: any Clock<Duration> = ContinuousClock()
        try await clock.sleep(for: hour)
      }
    ),
    (
      "a group",
      {
        await withTaskGroup(of: Void.self) { group in
          for _ in 0..<100 { group.addTask { try? await Task.sleep(for: hour) } }
        }
      }
    ),
    (
      "async let",
      {
        async let a: Void = Task.sleep(for: hour)
        async let b: Void = Task.sleep(for: hour)
        _ = try await (a, b)
      }
    ),
    ("a task", { try await Task { try await Task.sleep(for: hour) }.value }),
    (
      "a task in a task",
      {
        try await Task { try await Task { try await Task.sleep(for: hour) }.value }.value
      }
    ),
    ("a detached task", { try await Task.detached { try await Task.sleep(for: hour) }.value }),
    ("an actor", { try await Sleeper().sleep() }),
    (
      "an actor from a task",
      {
        let sleeper = Sleeper()
        try await Task { try await sleeper.sleep() }.value
      }
    ),
    ("an actor that begins a task", { try await Sleeper().begin().value }),
    (
      "a task with a tolerance",
      { try await Task { try await Task.sleep(for: hour, tolerance: .seconds(1)) }.value }
    ),
    (
      "time-outs round hops that take the machine's time",
      {
        for _ in 0..<20 {
          try await limited(.seconds(5)) {
            await withCheckedContinuation { continuation in
              DispatchQueue.global().async {
                let end = clock() + CLOCKS_PER_SEC / 1000
                while clock() < end {}
                continuation.resume()
              }
            }
          }
        }
        try await Task.sleep(for: hour)
      }
    ),
    (
      "a queue that sleeps",
      {
        await withCheckedContinuation { continuation in
          DispatchQueue(label: "own").async {
            Thread.sleep(forTimeInterval: 3600)
            continuation.resume()
          }
        }
      }
    ),
    (
      "a chain of queues",
      {
        await withCheckedContinuation { continuation in
          let (first, second) = (DispatchQueue(label: "first"), DispatchQueue(label: "second"))
          first.async {
            second.async(flags: .barrier) {
              first.asyncAfter(deadline: .now() + 3600) { continuation.resume() }
            }
          }
        }
      }
    ),
    ("an actor behind a hop", { try await HoppingActor().sleep() }),
    (
      "a single flight",
      {
        let refresher = Refresher()
        await withTaskGroup(of: Void.self) { group in
          for _ in 0..<20 {
            group.addTask { await #expect(throws: Never.self) { try await refresher.token() } }
          }
        }
        await expectEqual(refresher.count, 1)
      }
    ),
    ("the main actor", { try await onMain() }),
    ("a task on the main actor", { try await Task { @MainActor in try await onMain() }.value }),
    (
      "a time-out",
      {
        await #expect(throws: TimedOut.self) {
          try await limited(hour) { try await Task.sleep(for: .seconds(7200)) }
        }
      }
    ),
    (
      "a time-out on what never comes",
      {
        let stream = AsyncStream<Int> { _ in }
        await #expect(throws: TimedOut.self) {
          try await limited(hour) { for await _ in stream {} }
        }
      }
    ),
    (
      "a stream",
      {
        let (stream, continuation) = AsyncStream.makeStream(of: Int.self)
        Task {
          for number in 0..<60 {
            try await Task.sleep(for: .seconds(60))
            continuation.yield(number)
          }
          continuation.finish()
        }
        var seen: [Int] = []
        for await number in stream { seen.append(number) }
        expectEqual(seen, Array(0..<60))
      }
    ),
    (
      "a deadline loop",
      {
        let end = ContinuousClock.now + hour
        while ContinuousClock.now < end { try await Task.sleep(for: .seconds(7)) }
        try await Task.sleep(for: .zero)
        expectEqual(ContinuousClock.now, end + .seconds(5))
        throw CancellationError()
      }
    ),
    (
      "asyncAfter",
      {
        await withCheckedContinuation { continuation in
          DispatchQueue.global().asyncAfter(deadline: .now() + 3600) { continuation.resume() }
        }
      }
    ),
    (
      "asyncAfter by the wall clock",
      {
        await withCheckedContinuation { continuation in
          DispatchQueue(label: "own").asyncAfter(wallDeadline: .now() + 3600) {
            continuation.resume()
          }
        }
      }
    ),
    ("a thread that sleeps", { blockingSleep(3600) }),
    (
      "a hop when nothing else waits",
      {
        await withCheckedContinuation { continuation in
          DispatchQueue.global().async { continuation.resume() }
        }
        try await Task.sleep(for: hour)
      }
    ),
    (
      "yields",
      {
        for _ in 0..<100 { await Task.yield() }
        try await Task.sleep(for: hour)
      }
    ),
  ]

  private static func blockingSleep(_ seconds: Double) { Thread.sleep(forTimeInterval: seconds) }

  @Test(arguments: shapes.map(\.0)) func `an hour goes by in no time`(shape: String) async throws {
    let work = try #require(Self.shapes.first { $0.0 == shape }).1
    let real = Date()
    let time = try await Self.time {
      do { try await work() } catch is CancellationError {}
    }
    #expect(time >= Self.hour && time < Self.hour + .seconds(10))
    #expect(Date().timeIntervalSince(real) < 3000, "by the machine's clock it is not an hour")
  }
}
