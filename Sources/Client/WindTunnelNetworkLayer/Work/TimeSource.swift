public import Foundation

/// A source of time for a client, which tests can replace.
public protocol TimeSource: Sendable {
  /// The time since an arbitrary origin, which never decreases.
  var uptime: Duration { get }
  /// The current date, which may be set back. Only responses that contain a date need it.
  var date: Date { get }
  /// Waits for a duration. Returns at once if the task is cancelled.
  func sleep(for duration: Duration) async throws(CancellationError)
  /// Runs work in the caller's own task, and calls `late` once if the time limit passes meanwhile.
  ///
  /// By default a ``sleep(for:)`` beside the work measures the time.
  func run<Value: Sendable>(
    within limit: Duration,
    late: @escaping @Sendable () -> Void,
    _ work: () async -> Value
  ) async -> Value
}

extension TimeSource {
  /// Runs work, and calls `late` if the work takes longer than the limit. A concurrent sleep
  /// measures the time.
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

/// The system's own time: a `ContinuousClock`, and the current date.
public struct SystemTime: TimeSource {
  private let origin = ContinuousClock.now
  let alarms = AlarmClock()

  /// Creates a source whose uptime starts now.
  public init() {}

  /// The time since this value was created, including the machine's sleep.
  public var uptime: Duration { ContinuousClock.now - origin }

  /// The current date of the system.
  public var date: Date { Date() }

  /// Waits with the continuous clock.
  public func sleep(for duration: Duration) async throws(CancellationError) {
    // The clock's sleep fails for no other reason.
    do { try await ContinuousClock().sleep(for: duration) } catch { throw CancellationError() }
  }

  /// Runs work with one timer for all calls of a client.
  ///
  /// A cancelled sleep would keep its own timer until it is due, and few calls reach their
  /// deadline.
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
  /// The number of seconds with their fraction, as Foundation uses.
  package var seconds: Double {
    let (seconds, attoseconds) = components
    return Double(seconds) + Double(attoseconds) / 1e18
  }
}
