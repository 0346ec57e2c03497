internal import Dispatch
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
  var seconds: Double {
    let (seconds, attoseconds) = components
    return Double(seconds) + Double(attoseconds) / 1e18
  }
}

/// Rings for many by one timer. Who is called off in time leaves nothing behind.
final class AlarmClock: Sendable {
  /// The longest time without a look at what is due, as long as somebody waits: its timer stands
  /// still while the machine sleeps, and the continuous clock does not.
  private static let longestNap = Duration.seconds(5)

  private struct State {
    var lastID = 0
    var alarms: [Int: Alarm] = [:]
    /// The moment of the next look; `nil`: nobody waits.
    var nextLook: ContinuousClock.Instant?

    /// Plans a look; `nil` where one is planned that is early enough.
    mutating func look(
      by due: ContinuousClock.Instant,
      at now: ContinuousClock.Instant,
      atLatestIn nap: Duration
    ) -> ContinuousClock.Instant? {
      let look = min(due, now + nap)
      if let nextLook, nextLook <= look { return nil }
      nextLook = look
      return look
    }
  }

  private struct Alarm {
    var due: ContinuousClock.Instant
    var ring: @Sendable () -> Void
  }

  private let state = Locked(State())
  private let queue = DispatchQueue(label: "NetworkLayer.deadlines")

  /// The number of alarms that are set.
  var count: Int { state.withLock { $0.alarms.count } }

  /// Rings once after a time, on a queue of the clock's own, unless called off before.
  func set(after duration: Duration, _ ring: @escaping @Sendable () -> Void) -> Int {
    let now = ContinuousClock.now
    let (id, look) = state.withLock { state in
      state.lastID += 1
      let due = now + duration
      state.alarms[state.lastID] = Alarm(due: due, ring: ring)
      return (state.lastID, state.look(by: due, at: now, atLatestIn: Self.longestNap))
    }
    if let look { wake(at: look, now) }
    return id
  }

  /// Forgets an alarm; one that is about to ring still may.
  func callOff(_ id: Int) {
    state.withLock { $0.alarms[id] = nil }
  }

  private func wake(at look: ContinuousClock.Instant, _ now: ContinuousClock.Instant) {
    let nap = max(.zero, look - now).components
    let nanoseconds = nap.seconds * 1_000_000_000 + nap.attoseconds / 1_000_000_000
    queue.asyncAfter(deadline: .now() + .nanoseconds(Int(nanoseconds))) { self.look(look) }
  }

  /// Rings for whoever is due, and plans the next look.
  private func look(_ planned: ContinuousClock.Instant) {
    let now = ContinuousClock.now
    let (due, look) = state.withLock { state -> ([Alarm], ContinuousClock.Instant?) in
      // Somebody was in more of a hurry meanwhile, and that look planned the next one.
      guard state.nextLook == planned else { return ([], nil) }
      state.nextLook = nil
      let due = state.alarms.filter { $0.value.due <= now }
      for id in due.keys { state.alarms[id] = nil }
      let next = state.alarms.values.map(\.due).min()
      return (
        Array(due.values),
        next.flatMap { state.look(by: $0, at: now, atLatestIn: Self.longestNap) }
      )
    }
    if let look { wake(at: look, now) }
    for alarm in due { alarm.ring() }
  }
}
