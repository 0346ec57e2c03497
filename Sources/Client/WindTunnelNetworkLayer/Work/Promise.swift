/// A value that one task waits for and another provides. The first value counts.
final class Promise<Value: Sendable>: Sendable {
  private struct State {
    var isKept = false
    var value: Value?
    var waiter: CheckedContinuation<Value, Never>?
  }

  private let state = Locked(State())

  /// Whether there is a value.
  var isKept: Bool { state.withLock { $0.isKept } }

  /// Provides the value; `false`, and without effect, if there is one already.
  @discardableResult
  func keep(_ value: Value) -> Bool {
    let (isFirst, waiter) = state.withLock {
      state -> (Bool, CheckedContinuation<Value, Never>?) in
      guard !state.isKept else { return (false, nil) }
      (state.isKept, state.value) = (true, value)
      return (true, state.waiter.take())
    }
    waiter?.resume(returning: value)
    return isFirst
  }

  /// The value; only one task at a time may wait for it.
  var value: Value {
    get async {
      await withCheckedContinuation { waiter in
        let value = state.withLock { state in
          if !state.isKept { state.waiter = waiter }
          return state.value
        }
        if let value { waiter.resume(returning: value) }
      }
    }
  }

  /// Waits for the value once, and releases it, so that this promise does not extend its lifetime.
  func take() async -> Value {
    let value = await value
    state.withLock { $0.value = nil }
    return value
  }
}
