/// The deadline of one call. When it passes, the call's current wait is abandoned.
///
/// It needs no additional task, whose start and end would synchronize two threads.
final class CallDeadline: Sendable {
  private struct State {
    var hasPassed = false
    var giveUp: (@Sendable () -> Void)?
  }

  private let state = Locked(State())

  /// Whether the deadline has passed.
  var hasPassed: Bool { state.withLock { $0.hasPassed } }

  /// Marks the deadline as passed and abandons the current wait.
  func pass() {
    let giveUp = state.withLock { state in
      state.hasPassed = true
      return state.giveUp.take()
    }
    giveUp?()
  }

  /// Begins a wait, which `giveUp` abandons.
  ///
  /// `giveUp` is called at once if the deadline has passed. It may also be called just after
  /// ``end()``.
  func begin(_ giveUp: @escaping @Sendable () -> Void) {
    let hasPassed = state.withLock { state in
      if !state.hasPassed { state.giveUp = giveUp }
      return state.hasPassed
    }
    if hasPassed { giveUp() }
  }

  /// Ends the wait that ``begin(_:)`` began.
  func end() { state.withLock { $0.giveUp = nil } }
}

/// Waits for work that is abandoned if the task is cancelled or the deadline passes.
///
/// `giveUp` may be called twice.
func withGivingUp<Value>(
  at deadline: CallDeadline?,
  _ work: () async -> Value,
  onGivingUp giveUp: @escaping @Sendable () -> Void
) async -> Value {
  deadline?.begin(giveUp)
  defer { deadline?.end() }
  return await withTaskCancellationHandler(operation: work, onCancel: giveUp)
}
