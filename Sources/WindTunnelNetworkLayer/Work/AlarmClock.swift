internal import Dispatch

/// Rings for many by one timer. Who is called off in time leaves nothing behind.
final class AlarmClock: Sendable {
  /// Of the whole process.
  static let shared = AlarmClock()

  /// How long it goes without a look at who is due, as long as somebody waits: its timer stands
  /// still while the machine sleeps, and the continuous clock does not.
  private static let longestNap = Duration.seconds(5)

  fileprivate struct State {
    var lastID = 0
    var alarms: [Int: Alarm] = [:]
    /// When it looks next; `nil`: nobody waits.
    var nextLook: ContinuousClock.Instant?
  }

  fileprivate struct Alarm {
    var due: ContinuousClock.Instant
    var ring: @Sendable () -> Void
  }

  private let state = Locked(State())
  private let queue = DispatchQueue(label: "NetworkLayer.deadlines")

  /// How many wait.
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

extension AlarmClock.State {
  /// Plans a look; `nil` where one is planned that is early enough.
  fileprivate mutating func look(
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
