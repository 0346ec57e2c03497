import Dispatch
import TestSupport
import WindTunnelVirtualTime

/// What the clock alone does not carry is named, and so is what never ends.
@Suite(.timeLimit(.minutes(2))) struct VirtualClockLimitsTests {
  @available(macOS 15, iOS 18, *)
  private static func reason(
    on clock: VirtualClock,
    patience: Duration = .zero,
    _ work: @escaping @Sendable () async throws -> Void
  ) async -> NotVirtual.Reason? {
    do {
      try await VirtualTime.run(on: clock, patience: patience, work)
      return nil
    } catch {
      return (error as? NotVirtual)?.reason
    }
  }

  private static func hop(until moment: DispatchSemaphore? = nil) async {
    await withCheckedContinuation { continuation in
      DispatchQueue.global().async {
        moment?.wait()
        continuation.resume()
      }
    }
  }

  @available(macOS 15, iOS 18, *)
  @Test func `nothing is left, and nobody sleeps`() async {
    let clock = VirtualClock()
    let error = await #expect(throws: NotVirtual.self) {
      try await VirtualTime.run(on: clock, patience: .zero) {
        try await clock.sleep(for: .seconds(5))
        let (stream, continuation) = AsyncStream.makeStream(of: Void.self)
        for await _ in stream {}
        withExtendedLifetime(continuation) {}
      }
    }
    expectEqual(error?.reason, .standstill(.zero))
    expectEqual(
      error?.description.hasPrefix("The work has not ended, but no task can continue"),
      true
    )
    // What ends when it is cancelled leaves the clock as good as new.
    let next = await Self.reason(on: clock) { try await clock.sleep(for: .seconds(5)) }
    expectNil(next)
  }

  @available(macOS 15, iOS 18, *)
  @Test func `a continuation that nobody resumes is given up`() async {
    let clock = VirtualClock()
    let reason = await Self.reason(on: clock) {
      try await clock.sleep(for: .seconds(5))
      await withUnsafeContinuation { (_: UnsafeContinuation<Void, Never>) in }
    }
    expectEqual(reason, .standstill(.zero))
    let next = await Self.reason(on: clock) {}
    expectEqual(next, .standstill(.zero), "its clock has no more runs")
  }

  @available(macOS 15, iOS 18, *)
  @Test func `patience waits for the machine, and then no more`() async {
    let reason = await Self.reason(on: VirtualClock(), patience: .milliseconds(50)) {
      await withUnsafeContinuation { (_: UnsafeContinuation<Void, Never>) in }
    }
    expectEqual(reason, .standstill(.milliseconds(50)))
  }

  @available(macOS 15, iOS 18, *)
  @Test func `whatever comes back at its own instant is in time`() async {
    let clock = VirtualClock()
    let reason = await Self.reason(on: clock, patience: .seconds(60)) {
      for _ in 0..<100 {
        try await clock.sleep(for: .seconds(5))
        await Self.hop()
        await MainActor.run {}
        try await Task.sleep(for: .microseconds(10))
        await Task {}.value
      }
    }
    expectNil(reason)
    expectEqual(clock.now.elapsed, .seconds(500))
  }

  @available(macOS 15, iOS 18, *)
  @Test(arguments: 0..<10)
  func `work that resumes after virtual time has advanced is reported`(number: Int) async {
    let clock = VirtualClock()
    let reason = await Self.reason(on: clock, patience: .seconds(60)) {
      let moment = DispatchSemaphore(value: 0)
      await withTaskGroup(of: Void.self) { group in
        group.addTask { await Self.hop(until: moment) }
        group.addTask {
          try? await clock.sleep(for: .seconds(5))
          moment.signal()
        }
      }
    }
    expectEqual(reason, .wentOutside)
  }

  @available(macOS 15, iOS 18, *)
  @Test func `a task that leaves the run and sleeps by its clock`() async {
    let clock = VirtualClock()
    let reason = await Self.reason(on: clock, patience: .seconds(60)) {
      let task = Task { try await clock.sleep(for: .seconds(5)) }
      await #expect(throws: NotVirtual.self) { try await task.value }
    }
    expectEqual(reason, .foreignTask)
    let detached = await Self.reason(on: clock, patience: .seconds(60)) {
      try await Task.detached { try await clock.sleep(for: .seconds(5)) }.value
    }
    expectEqual(detached, .foreignTask)
  }

  /// An actor that runs on the clock, and starts a task which does not.
  @available(macOS 15, iOS 18, *)
  private actor Refresher {
    func token(_ clock: VirtualClock) async throws {
      try await Task { try await clock.sleep(for: .seconds(1)) }.value
    }
  }

  @available(macOS 15, iOS 18, *)
  @Test func `a task that an actor starts, likewise`() async {
    let clock = VirtualClock()
    let reason = await Self.reason(on: clock, patience: .seconds(60)) {
      try await Refresher().token(clock)
    }
    expectEqual(reason, .foreignTask)
  }

  @available(macOS 15, iOS 18, *)
  @Test func `a sleep where nothing runs`() async throws {
    let clock = VirtualClock()
    let error = await #expect(throws: NotVirtual.self) { try await clock.sleep(for: .seconds(1)) }
    expectEqual(error?.reason, .noRun)
    let left = try await VirtualTime.run(on: clock) {
      Task(executorPreference: clock) { try await clock.sleep(for: .seconds(1)) }
    }
    let late = await #expect(throws: NotVirtual.self) { try await left.value }
    expectEqual(late?.reason, .noRun)
  }

  @available(macOS 15, iOS 18, *)
  @Test func `a loop that yields, whether it can be cancelled or not`() async {
    let polite = await Self.reason(on: VirtualClock()) {
      while !Task.isCancelled { await Task.yield() }
    }
    expectEqual(polite, .busyWait)
    let stubborn = await Self.reason(on: VirtualClock()) { while true { await Task.yield() } }
    expectEqual(stubborn, .busyWait)
  }

  @available(macOS 15, iOS 18, *)
  @Test func `a loop that sleeps for no time, and one that reads the clock`() async {
    let clock = VirtualClock()
    let sleeping = await Self.reason(on: clock) {
      while true { try await clock.sleep(for: .zero) }
    }
    expectEqual(sleeping, .busyWait)
    let reading = await Self.reason(on: clock) {
      let end = clock.now.advanced(by: .milliseconds(10))
      while clock.now < end {}
    }
    expectEqual(reading, .busyWait)
  }

  @available(macOS 15, iOS 18, *)
  @Test func `a crowd at one instant waits for nothing`() async {
    let clock = VirtualClock()
    let reason = await Self.reason(on: clock) {
      await withTaskGroup(of: Void.self) { group in
        for _ in 0..<12_000 { group.addTask { try? await clock.sleep(for: .seconds(1)) } }
      }
    }
    expectNil(reason)
  }

  @available(macOS 15, iOS 18, *)
  @Test func `a clock has one run at a time`() async throws {
    let clock = VirtualClock()
    let reason = try await VirtualTime.run(on: clock) { await Self.reason(on: clock) {} }
    expectEqual(reason, .nested)
  }

  @available(macOS 15, iOS 18, *)
  @Test(.onThisSystem) func `a run on a clock in a run without one`() async throws {
    let reason = try await VirtualTime.run { await Self.reason(on: VirtualClock()) {} }
    expectEqual(reason, .nested)
  }

  @available(macOS 15, iOS 18, *)
  @Test func `who is cancelled is told of it`() async throws {
    let clock = VirtualClock()
    let (started, start) = AsyncStream.makeStream(of: Void.self)
    let task = Task {
      try await VirtualTime.run(on: clock, patience: .seconds(60)) {
        start.finish()
        let (stream, continuation) = AsyncStream.makeStream(of: Void.self)
        for await _ in stream {}
        withExtendedLifetime(continuation) {}
      }
    }
    for await _ in started {}
    task.cancel()
    await #expect(throws: CancellationError.self) { try await task.value }
  }
}
