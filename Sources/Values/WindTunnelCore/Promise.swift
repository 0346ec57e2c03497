/// A value that is set once, and the task that waits for it.
package final class Promise<Value: Sendable>: Sendable {
  private enum State: Sendable {
    case open
    case awaited(CheckedContinuation<Value, Never>)
    case kept(Value)
    /// The value was passed to the waiting task and is no longer stored.
    case handedOver
  }

  private let state = Locked(State.open)

  /// Creates a promise without a value.
  package init() {}

  /// Sets the value, unless there is one.
  package func keep(_ value: Value) {
    let waiting: CheckedContinuation<Value, Never>? = state.withLock { state in
      switch state {
      case .open:
        state = .kept(value)
        return nil
      case .awaited(let waiting):
        state = .handedOver
        return waiting
      case .kept, .handedOver: return nil
      }
    }
    waiting?.resume(returning: value)
  }

  /// The value, once it is set; only one task may wait for it, once.
  package var value: Value {
    get async {
      await withCheckedContinuation { waiting in
        let value: Value? = state.withLock { state in
          if case .kept(let value) = state {
            state = .handedOver
            return value
          }
          state = .awaited(waiting)
          return nil
        }
        if let value { waiting.resume(returning: value) }
      }
    }
  }
}
