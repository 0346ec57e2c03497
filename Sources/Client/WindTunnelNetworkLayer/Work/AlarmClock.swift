internal import Dispatch

/// One timer for the deadlines of all calls. A cancelled alarm leaves no timer behind.
final class AlarmClock: Sendable {
  /// The maximum time between two checks.
  ///
  /// The timer stops while the machine sleeps, and the continuous clock does not.
  private static let longestNap = Duration.seconds(5)

  private struct State {
    var lastID = 0
    var alarms: [Int: @Sendable () -> Void] = [:]
    /// The alarms, including cancelled ones, in the order in which they are due.
    var order: [(due: ContinuousClock.Instant, id: Int)] = []
    /// The time of the next check; `nil` if no alarm is set.
    var nextLook: ContinuousClock.Instant?

    /// Returns the time of an earlier check if an alarm needs one.
    mutating func plan(
      for due: ContinuousClock.Instant,
      at now: ContinuousClock.Instant
    ) -> ContinuousClock.Instant? {
      let look = min(due, now + AlarmClock.longestNap)
      if let nextLook, nextLook <= look { return nil }
      nextLook = look
      return look
    }

    /// Removes the alarms that are due and cancelled ones before the next, and returns the due
    /// ones.
    mutating func takeDue(by now: ContinuousClock.Instant) -> [@Sendable () -> Void] {
      let rest = order.firstIndex { $0.due > now && alarms[$0.id] != nil } ?? order.count
      let due = order[..<rest].compactMap { alarms.removeValue(forKey: $0.id) }
      order.removeFirst(rest)
      return due
    }
  }

  private let state = Locked(State())
  private let queue = DispatchQueue(label: "NetworkLayer.deadlines")

  /// The number of alarms that are set.
  var count: Int { state.withLock { $0.alarms.count } }

  /// Calls `ring` once after a time, on the clock's own queue, unless the alarm is cancelled.
  ///
  /// - Returns: The number of the alarm, for ``callOff(_:)``.
  func set(after duration: Duration, _ ring: @escaping @Sendable () -> Void) -> Int {
    let now = ContinuousClock.now
    let due = now + duration
    let (id, look) = state.withLock { state in
      state.lastID += 1
      state.alarms[state.lastID] = ring
      // Nearly always the last index, because most alarms have the same duration.
      let place = state.order.lastIndex { $0.due <= due }.map { $0 + 1 } ?? 0
      state.order.insert((due, state.lastID), at: place)
      return (state.lastID, state.plan(for: due, at: now))
    }
    if let look { wake(at: look, now) }
    return id
  }

  /// Cancels an alarm. An alarm that is just due may still ring.
  func callOff(_ id: Int) {
    state.withLock { state in
      state.alarms[id] = nil
      if state.alarms.isEmpty { state.order = [] }
    }
  }

  private func wake(at look: ContinuousClock.Instant, _ now: ContinuousClock.Instant) {
    let nap = max(.zero, look - now).components
    let nanoseconds = nap.seconds * 1_000_000_000 + nap.attoseconds / 1_000_000_000
    queue.asyncAfter(deadline: .now() + .nanoseconds(Int(nanoseconds))) { self.look(look) }
  }

  /// Rings all alarms that are due, and plans the next check.
  private func look(_ planned: ContinuousClock.Instant) {
    let now = ContinuousClock.now
    let (due, look) = state.withLock {
      state -> ([@Sendable () -> Void], ContinuousClock.Instant?) in
      // An earlier check was planned meanwhile, and it plans the next one.
      guard state.nextLook == planned else { return ([], nil) }
      state.nextLook = nil
      let due = state.takeDue(by: now)
      return (due, state.order.first.flatMap { state.plan(for: $0.due, at: now) })
    }
    if let look { wake(at: look, now) }
    for ring in due { ring() }
  }
}
