/// A state that any thread may change, and the tasks that wait for a change.
package final class Awaited<State: Sendable>: Sendable {
  private struct Waiters {
    var waiting: [Int: CheckedContinuation<Void, Never>] = [:]
    var last = 0
  }

  private let state: Locked<(state: State, waiters: Waiters)>

  package init(_ state: State) { self.state = Locked((state, Waiters())) }

  /// Reads or changes the state without waking waiting tasks.
  package func withLock<Result: Sendable>(_ body: (inout State) -> Result) -> Result {
    state.withLock { body(&$0.state) }
  }

  /// Changes the state and wakes all waiting tasks.
  @discardableResult
  package func change<Result: Sendable>(_ body: (inout State) -> Result) -> Result {
    let (result, waiting) = state.withLock { both in
      let result = body(&both.state)
      return (result, exchange(&both.waiters.waiting, with: [:]).values)
    }
    for waiter in waiting { waiter.resume() }
    return result
  }

  /// Waits for a state. Returns at once if the task is cancelled, unless cancellation is ignored.
  package func wait(
    ignoringCancellation ignores: Bool = false,
    until isReached: @Sendable (State) -> Bool
  ) async {
    while !withLock({ isReached($0) }), ignores || !Task.isCancelled {
      let id = state.withLock { both in
        both.waiters.last += 1
        return both.waiters.last
      }
      await withTaskCancellationHandler {
        await withCheckedContinuation { waiter in
          let isDone = state.withLock { both in
            if isReached(both.state) || (!ignores && Task.isCancelled) { return true }
            both.waiters.waiting[id] = waiter
            return false
          }
          if isDone { waiter.resume() }
        }
      } onCancel: {
        if !ignores { state.withLock { $0.waiters.waiting.removeValue(forKey: id) }?.resume() }
      }
    }
  }
}
