extension Locked {
  /// Replaces the value, and returns the previous one.
  package func exchange(_ new: Value) -> Value {
    withLock { value in
      defer { value = new }
      return value
    }
  }
}
