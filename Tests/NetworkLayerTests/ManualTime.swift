import Foundation
import WindTunnelNetworkLayer

/// A clock that stands still until a test moves it.
final class ManualTime: TimeSource, @unchecked Sendable {
  private struct Sleeper {
    var due: Duration
    var waiter: CheckedContinuation<Bool, Never>
  }

  private let lock = NSLock()
  private var now = Duration.zero
  private var sleepers: [Int: Sleeper] = [:]
  private var cancelled: Set<Int> = []
  private var lastSleeper = 0
  private let (asked, askedContinuation) = AsyncStream<Duration>.makeStream()

  /// The moment when the test began: Sun, 06 Nov 1994 08:49:37 GMT.
  static let epoch = Date(timeIntervalSince1970: 784_111_777)

  var uptime: Duration { lock.withLock { now } }
  var date: Date { Self.epoch.addingTimeInterval(Double(uptime.components.seconds)) }

  /// How many sleep now.
  var sleeping: Int { lock.withLock { sleepers.count } }

  /// Waits until somebody asks for a sleep that no test has heard of, and says how long a one.
  func nextSleep() async -> Duration? {
    for await duration in asked { return duration }
    return nil
  }

  /// Lets each sleep pass that is not the deadline, until ``endPassing()``.
  func passAllSleeps(but deadline: Duration?) async {
    while let duration = await nextSleep(), duration != Self.end {
      if duration != deadline { advance(by: duration) }
    }
  }

  /// Lets each sleep pass that is not the deadline while some work is done.
  func passing<Result>(
    but deadline: Duration? = nil,
    _ work: () async throws -> Result
  ) async rethrows -> Result {
    async let clock: Void = passAllSleeps(but: deadline)
    do {
      let result = try await work()
      endPassing()
      await clock
      return result
    } catch {
      endPassing()
      await clock
      throw error
    }
  }

  /// Ends ``passAllSleeps(but:)``. A cancellation would end all listening for good.
  func endPassing() { askedContinuation.yield(Self.end) }

  /// No sleep is so long.
  private static let end = Duration.seconds(-1)

  /// Lets each of the next sleeps pass, and says how long they were.
  func passSleeps(_ count: Int) async -> [Duration] {
    var passed: [Duration] = []
    while passed.count < count, let duration = await nextSleep() {
      passed.append(duration)
      advance(by: duration)
    }
    return passed
  }

  /// Moves the clock and wakes whoever is due.
  func advance(by duration: Duration) {
    let due = lock.withLock {
      now += duration
      let due = sleepers.filter { $0.value.due <= now }
      for id in due.keys { sleepers[id] = nil }
      return due.sorted { $0.value.due < $1.value.due }
    }
    for (_, sleeper) in due { sleeper.waiter.resume(returning: true) }
  }

  func sleep(for duration: Duration) async throws(CancellationError) {
    let id = lock.withLock {
      lastSleeper += 1
      return lastSleeper
    }
    let hasPassed = await withTaskCancellationHandler {
      await withCheckedContinuation { fallAsleep(id, duration, $0) }
    } onCancel: {
      wake(id)
    }
    guard hasPassed else { throw CancellationError() }
  }

  private func fallAsleep(
    _ id: Int,
    _ duration: Duration,
    _ waiter: CheckedContinuation<Bool, Never>
  ) {
    let isCancelled = lock.withLock {
      guard !cancelled.contains(id) else { return true }
      sleepers[id] = Sleeper(due: now + duration, waiter: waiter)
      return false
    }
    if isCancelled { waiter.resume(returning: false) } else { askedContinuation.yield(duration) }
  }

  private func wake(_ id: Int) {
    let sleeper = lock.withLock {
      cancelled.insert(id)
      return sleepers.removeValue(forKey: id)
    }
    sleeper?.waiter.resume(returning: false)
  }
}
