@_spi(WindTunnel) internal import WindTunnelCore

/// The steps of a flow, and the step that a search interrupts in addition to its faults.
package final class FlowSteps: Sendable {
  /// An observed step of a flow.
  package struct Step: Sendable, Hashable {
    /// The name of the step.
    package var name: String
    /// The time from the flow's start to the step's.
    package var start: Duration
    /// The time from the flow's start to the step's end, or `nil` if it has not ended.
    package var end: Duration?
  }

  /// The interruption of a step.
  package struct BreakingOff: Sendable, Hashable {
    /// The name of the step. The first step with this name is interrupted.
    package var step: String
    /// The time from the step's start.
    package var after: Duration

    /// Creates an interruption of a step after a time.
    package init(step: String, after: Duration) { (self.step, self.after) = (step, after) }
  }

  private struct State {
    var seen: [Step] = []
    var breakingOff: BreakingOff?
    var cameBack: Duration?
  }

  private let state: Locked<State>
  private let start = ContinuousClock.now

  /// Creates the steps of a flow that begins now.
  package init(breakingOff: BreakingOff? = nil) {
    state = Locked(State(breakingOff: breakingOff))
  }

  /// The steps so far, in the order of their beginnings.
  package var seen: [Step] { state.withLock { $0.seen } }

  /// The time from the flow's start to the user's return. `nil` if the user has not left.
  package var cameBack: Duration? { state.withLock { $0.cameBack } }

  /// Performs a step. If it is interrupted, its work is cancelled and awaited, and then performed
  /// again, as if the user returns.
  func take<Value: Sendable>(
    _ name: String,
    _ work: @escaping @Sendable () async throws -> Value
  ) async throws -> Value {
    let begun = ContinuousClock.now - start
    let (place, after) = state.withLock { state -> (Int, Duration?) in
      state.seen.append(Step(name: name, start: begun))
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
      // Only the end of the step wakes this task earlier.
      try await Task.sleep(for: after)
      first.cancel()
    }
    let result = await withTaskCancellationHandler {
      await first.result
    } onCancel: {
      first.cancel()
    }
    user.cancel()
    // A user who already has the result does not leave.
    if case .success(let value) = result, !first.isCancelled { return value }
    try Task.checkCancellation()
    if !first.isCancelled { return try result.get() }
    let now = ContinuousClock.now - start
    state.withLock { $0.cameBack = now }
    return try await work()
  }
}
