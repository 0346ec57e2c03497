public import Foundation

/// A source of time for a client; a test has its own.
public protocol TimeSource: Sendable {
  /// The time since some origin, which never runs backwards.
  var uptime: Duration { get }
  /// The time of day, which may be set back; only answers that name a date need it.
  var date: Date { get }
  /// Waits for a length of time; ends at once when the task is cancelled.
  func sleep(for duration: Duration) async throws(CancellationError)
  /// Runs work in the caller's own task, and calls `late` once if the time passes meanwhile. By
  /// default the time is a ``sleep(for:)`` beside the work.
  func run<Value: Sendable>(
    within limit: Duration,
    late: @escaping @Sendable () -> Void,
    _ work: () async -> Value
  ) async -> Value
}

extension TimeSource {
  /// Runs work with a sleep beside it.
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

/// The system's own time: a `ContinuousClock`, and the time of day.
public struct SystemTime: TimeSource {
  private let origin = ContinuousClock.now
  let alarms = AlarmClock()

  /// Makes a source whose uptime starts now.
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

  /// Runs work with one clock for all calls of a client: a cancelled sleep keeps its timer until it
  /// is due, and hardly a call needs its deadline.
  public func run<Value: Sendable>(
    within limit: Duration,
    late: @escaping @Sendable () -> Void,
    _ work: () async -> Value
  ) async -> Value {
    let alarm = alarms.set(after: limit, late)
    let value = await work()
    alarms.callOff(alarm)
    return value
  }
}

extension Duration {
  /// Seconds with their fraction, as Foundation counts.
  package var seconds: Double {
    let (seconds, attoseconds) = components
    return Double(seconds) + Double(attoseconds) / 1e18
  }
}
