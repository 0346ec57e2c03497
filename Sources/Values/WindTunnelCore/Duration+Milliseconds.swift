extension Duration {
  /// Creates a duration from milliseconds, rounded to whole microseconds.
  package init(milliseconds: Double) {
    self = .microseconds(Int64((milliseconds * 1000).rounded()))
  }

  /// The duration in milliseconds.
  package var inMilliseconds: Double {
    Double(components.seconds) * 1000 + Double(components.attoseconds) / 1e15
  }

  /// The duration in whole seconds, rounded up, as in `Retry-After`.
  package var wholeSeconds: Int64 { components.seconds + (components.attoseconds > 0 ? 1 : 0) }

  /// The duration in whole nanoseconds.
  package var inNanoseconds: Int64 {
    components.seconds * 1_000_000_000 + components.attoseconds / 1_000_000_000
  }
}
