/// The deadline of one call. When it passes, what the call waits for at that moment is given up.
///
/// It needs no task beside the call's own, and to begin and end one costs two threads a meeting.
final class CallDeadline: Sendable {
  private struct State {
    var hasPassed = false
    var giveUp: (@Sendable () -> Void)?
  }

  private let state = Locked(State())

  /// True where it is too late.
  var hasPassed: Bool { state.withLock { $0.hasPassed } }

  /// Marks the deadline as passed and gives up what is waited for.
  func pass() {
    let giveUp = state.withLock { state in
      state.hasPassed = true
      return state.giveUp.take()
    }
    giveUp?()
  }

  /// The call waits from now on, and this ends it. Where it is too late that happens at once; it
  /// may also happen just after ``end()``.
  func begin(_ giveUp: @escaping @Sendable () -> Void) {
    let hasPassed = state.withLock { state in
      if !state.hasPassed { state.giveUp = giveUp }
      return state.hasPassed
    }
    if hasPassed { giveUp() }
  }

  /// The call waits no more.
  func end() { state.withLock { $0.giveUp = nil } }
}

/// Waits for something that is given up when the task is cancelled or a deadline passes, whichever
/// is first; `giveUp` may be called twice.
func withGivingUp<Value>(
  at deadline: CallDeadline?,
  _ work: () async -> Value,
  onGivingUp giveUp: @escaping @Sendable () -> Void
) async -> Value {
  deadline?.begin(giveUp)
  defer { deadline?.end() }
  return await withTaskCancellationHandler(operation: work, onCancel: giveUp)
}
