public import Foundation

/// Where a client's time comes from; a test brings its own.
public protocol TimeSource: Sendable {
  /// A reading that only grows; the difference of two is the time between them.
  var uptime: Duration { get }
  /// The time of day, which may be set back; only answers that name a date need it.
  var date: Date { get }
  /// Waits; ends at once when the task is cancelled.
  func sleep(for duration: Duration) async throws(CancellationError)
  /// Does work in the caller's own task, and calls `late` once if the time passes meanwhile. By
  /// default the time is a ``sleep(for:)`` beside the work.
  func run<Value: Sendable>(
    within limit: Duration,
    late: @escaping @Sendable () -> Void,
    _ work: () async -> Value
  ) async -> Value
}

extension TimeSource {
  /// Sleeps beside the work.
  public func run<Value: Sendable>(
    within limit: Duration,
    late: @escaping @Sendable () -> Void,
    _ work: () async -> Value
  ) async -> Value {
    await withTaskGroup(of: Void.self) { group in
      group.addTask {
        do { try await sleep(for: limit) } catch { return }
        late()
      }
      let value = await work()
      group.cancelAll()
      return value
    }
  }
}

/// The machine's own time: a `ContinuousClock`, and its time of day.
public struct SystemTime: TimeSource {
  private let origin = ContinuousClock.now

  /// Begins to count.
  public init() {}

  /// The time since this value was made, the machine's sleep included.
  public var uptime: Duration { ContinuousClock.now - origin }

  /// The time of day.
  public var date: Date { Date() }

  /// Waits by the continuous clock.
  public func sleep(for duration: Duration) async throws(CancellationError) {
    // The clock's sleep fails for no other reason.
    do { try await ContinuousClock().sleep(for: duration) } catch { throw CancellationError() }
  }

  /// Has one clock for all call: a sleep that is cancelled keeps its timer until it is due, and hardly
  /// a call needs its deadline.
  public func run<Value: Sendable>(
    within limit: Duration,
    late: @escaping @Sendable () -> Void,
    _ work: () async -> Value
  ) async -> Value {
    let alarm = AlarmClock.shared.set(after: limit, late)
    let value = await work()
    AlarmClock.shared.callOff(alarm)
    return value
  }
}
