internal import Dispatch

/// Rings for many by one timer. Who is called off in time leaves nothing behind that rings.
package final class AlarmClock: Sendable {
  /// The longest time without a look at what is due, as long as somebody waits: its timer stands
  /// still while the machine sleeps, and the continuous clock does not.
  private static let longestNap = Duration.seconds(5)

  private struct State {
    var lastID = 0
    var rings: [Int: @Sendable () -> Void] = [:]
    /// The alarms in the order in which they are due; those that were called off are among them
    /// until then.
    var order: [(due: ContinuousClock.Instant, id: Int)] = []
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

    /// Takes those out that are due or were called off, as far as they come first.
    mutating func takeDue(by now: ContinuousClock.Instant) -> [@Sendable () -> Void] {
      let rest = order.firstIndex { $0.due > now && rings[$0.id] != nil } ?? order.count
      let due = order[..<rest].compactMap { rings.removeValue(forKey: $0.id) }
      order.removeFirst(rest)
      return due
    }
  }

  private let state = Locked(State())
  private let queue = DispatchQueue(label: "NetworkLayer.deadlines")

  /// Makes a clock without alarms.
  package init() {}

  /// The number of alarms that are set.
  var count: Int { state.withLock { $0.rings.count } }

  /// Rings once after a time, on a queue of the clock's own, unless called off before.
  ///
  /// - Parameters:
  ///   - duration: The time.
  ///   - ring: What is done then.
  /// - Returns: The number by which it is called off.
  package func set(after duration: Duration, _ ring: @escaping @Sendable () -> Void) -> Int {
    let now = ContinuousClock.now
    let due = now + duration
    let (id, look) = state.withLock { state in
      state.lastID += 1
      state.rings[state.lastID] = ring
      // Nearly always the last place: most wait for the same time.
      let place = state.order.lastIndex { $0.due <= due }.map { $0 + 1 } ?? 0
      state.order.insert((due, state.lastID), at: place)
      return (state.lastID, state.look(by: due, at: now, atLatestIn: Self.longestNap))
    }
    if let look { wake(at: look, now) }
    return id
  }

  /// Forgets an alarm; one that is about to ring still may.
  ///
  /// - Parameter id: The alarm's number.
  package func callOff(_ id: Int) {
    state.withLock { state in
      state.rings[id] = nil
      // A crowd that is done leaves no list of itself.
      if state.rings.isEmpty { state.order = [] }
    }
  }

  private func wake(at look: ContinuousClock.Instant, _ now: ContinuousClock.Instant) {
    let nap = max(.zero, look - now).components
    let nanoseconds = nap.seconds * 1_000_000_000 + nap.attoseconds / 1_000_000_000
    queue.asyncAfter(deadline: .now() + .nanoseconds(Int(nanoseconds))) { self.look(look) }
  }

  /// Rings for whoever is due, and plans the next look.
  private func look(_ planned: ContinuousClock.Instant) {
    let now = ContinuousClock.now
    let (due, look) = state.withLock {
      state -> ([@Sendable () -> Void], ContinuousClock.Instant?) in
      // Somebody was in more of a hurry meanwhile, and that look planned the next one.
      guard state.nextLook == planned else { return ([], nil) }
      state.nextLook = nil
      let due = state.takeDue(by: now)
      return (
        due,
        state.order.first.flatMap { state.look(by: $0.due, at: now, atLatestIn: Self.longestNap) }
      )
    }
    if let look { wake(at: look, now) }
    for ring in due { ring() }
  }
}
