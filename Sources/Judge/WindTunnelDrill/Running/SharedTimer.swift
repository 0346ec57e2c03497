internal import Dispatch
@_spi(WindTunnel) internal import WindTunnelCore

/// One timer for the timeouts of all calls.
///
/// Most timeouts are cancelled long before they are due. Dispatch would keep a timer for each of
/// them until then.
final class SharedTimer: Sendable {
  /// The maximum time between two checks. The timer stops while the machine sleeps, but the
  /// continuous clock does not.
  private static let longestWait = Duration.seconds(5)

  private struct State {
    var timeouts: [Int: (due: ContinuousClock.Instant, ring: @Sendable () -> Void)] = [:]
    /// The time of the next check, or `nil` if no timeout is set.
    var nextLook: ContinuousClock.Instant?

    /// Returns the time of an earlier check if a timeout needs one.
    mutating func plan(
      for due: ContinuousClock.Instant,
      at now: ContinuousClock.Instant
    ) -> ContinuousClock.Instant? {
      let look = min(due, now + SharedTimer.longestWait)
      if let nextLook, nextLook <= look { return nil }
      nextLook = look
      return look
    }
  }

  private let state = Locked(State())
  private let queue = DispatchQueue(label: "WindTunnel.timeouts")

  /// Calls `ring` once after a time, on the timer's own queue, unless the timeout is cancelled.
  func set(_ number: Int, after time: Duration, _ ring: @escaping @Sendable () -> Void) {
    let now = ContinuousClock.now
    let look = state.withLock { state in
      state.timeouts[number] = (now + time, ring)
      return state.plan(for: now + time, at: now)
    }
    if let look { wake(at: look, now) }
  }

  /// Cancels the timeout of a number. A timeout that is due may still ring.
  func cancel(_ number: Int) { state.withLock { _ = $0.timeouts.removeValue(forKey: number) } }

  private func wake(at look: ContinuousClock.Instant, _ now: ContinuousClock.Instant) {
    queue.asyncAfter(deadline: .now() + max(.zero, look - now)) { self.look(look) }
  }

  /// Rings for all timeouts that are due, and plans the next check.
  private func look(_ planned: ContinuousClock.Instant) {
    let now = ContinuousClock.now
    let (due, look) = state.withLock {
      state -> ([@Sendable () -> Void], ContinuousClock.Instant?) in
      // An earlier check was planned in the meantime, and that check plans the next one.
      guard state.nextLook == planned else { return ([], nil) }
      state.nextLook = nil
      let due = state.timeouts.filter { $0.value.due <= now }.sorted { $0.value.due < $1.value.due }
      for timeout in due { state.timeouts[timeout.key] = nil }
      let next = state.timeouts.values.map(\.due).min()
      return (due.map(\.value.ring), next.flatMap { state.plan(for: $0, at: now) })
    }
    if let look { wake(at: look, now) }
    for ring in due { ring() }
  }
}
