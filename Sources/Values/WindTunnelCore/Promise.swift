/// A value that comes once, and the one who waits for it.
package final class Promise<Value: Sendable>: Sendable {
  private enum State: Sendable {
    case open
    case awaited(CheckedContinuation<Value, Never>)
    case kept(Value)
    /// It has been handed over, and is kept here no longer.
    case handedOver
  }

  private let state = Locked(State.open)

  /// Makes one of a value that has not come.
  package init() {}

  /// Gives the value, unless there is one.
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

  /// The value, when it has come; one may wait for it, once.
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
