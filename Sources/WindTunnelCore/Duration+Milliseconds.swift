extension Duration {
  /// Makes a duration of milliseconds, rounded to whole microseconds.
  package init(milliseconds: Double) {
    self = .microseconds(Int64((milliseconds * 1000).rounded()))
  }

  /// This duration in milliseconds.
  package var inMilliseconds: Double {
    Double(components.seconds) * 1000 + Double(components.attoseconds) / 1e15
  }

  /// This duration in whole seconds, rounded up: what `Retry-After` can say.
  package var wholeSeconds: Int64 { components.seconds + (components.attoseconds > 0 ? 1 : 0) }

  /// This duration in whole nanoseconds.
  package var inNanoseconds: Int64 {
    components.seconds * 1_000_000_000 + components.attoseconds / 1_000_000_000
  }
}
