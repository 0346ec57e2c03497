@_spi(WindTunnel) internal import WindTunnelCore

/// The steps of a flow, and the one that its user breaks off: what a search does to it beside
/// faults.
package final class FlowSteps: Sendable {
  /// A step as it was seen.
  package struct Seen: Sendable, Hashable {
    /// The name of the step.
    package var name: String
    /// The time from the flow's start to the step's.
    package var start: Duration
    /// The time from the flow's start to the step's end; `nil` where it has not ended.
    package var end: Duration?
  }

  /// The breaking off of a step.
  package struct BreakingOff: Sendable, Hashable {
    /// The name of the step; the first of that name.
    package var step: String
    /// The time from its start.
    package var after: Duration

    /// Makes one of a step and a time.
    package init(step: String, after: Duration) { (self.step, self.after) = (step, after) }
  }

  private struct State {
    var seen: [Seen] = []
    var breakingOff: BreakingOff?
    var cameBack: Duration?
  }

  private let state: Locked<State>
  private let start = ContinuousClock.now

  /// Makes the steps of a flow that begins now.
  package init(breakingOff: BreakingOff? = nil) {
    state = Locked(State(breakingOff: breakingOff))
  }

  /// The steps so far, in the order of their beginnings.
  package var seen: [Seen] { state.withLock { $0.seen } }

  /// The time from the flow's start to the user's return; `nil`: no user has left.
  package var cameBack: Duration? { state.withLock { $0.cameBack } }

  /// Does a step. Where it is broken off, its work is cancelled and awaited, and then done again,
  /// as by a user who comes back.
  func take<Value: Sendable>(
    _ name: String,
    _ work: @escaping @Sendable () async throws -> Value
  ) async throws -> Value {
    let begun = ContinuousClock.now - start
    let (place, after) = state.withLock { state -> (Int, Duration?) in
      state.seen.append(Seen(name: name, start: begun))
      guard let breakingOff = state.breakingOff, breakingOff.step == name else {
        return (state.seen.count - 1, nil)
      }
      state.breakingOff = nil
      return (state.seen.count - 1, breakingOff.after)
    }
    defer {
      let ended = ContinuousClock.now - start
      state.withLock { $0.seen[place].end = ended }
    }
    guard let after else { return try await work() }
    let first = Task { try await work() }
    let user = Task {
      // Only the step's own end wakes it earlier.
      try await Task.sleep(for: after)
      first.cancel()
    }
    let result = await withTaskCancellationHandler {
      await first.result
    } onCancel: {
      first.cancel()
    }
    user.cancel()
    // Whoever has what he came for stays.
    if case .success(let value) = result, !first.isCancelled { return value }
    try Task.checkCancellation()
    if !first.isCancelled { return try result.get() }
    let now = ContinuousClock.now - start
    state.withLock { $0.cameBack = now }
    return try await work()
  }
}
