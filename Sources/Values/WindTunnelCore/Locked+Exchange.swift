extension Locked {
  /// Replaces the value, and returns the previous one.
  package func exchange(_ new: Value) -> Value {
    withLock { Swift.exchange(&$0, with: new) }
  }

  /// Returns the value, which is created at its first use.
  package func value<Part: Sendable>(orMade make: () -> Part) -> Part where Value == Part? {
    withLock { value in
      let part = value ?? make()
      value = part
      return part
    }
  }
}
