extension Locked {
  /// Puts another value in the place of the one that is there, and returns that.
  package func exchange(_ new: Value) -> Value {
    withLock { value in
      defer { value = new }
      return value
    }
  }
}
