/// How long a call may take.
public struct CallLimits: Sendable, Hashable {
  /// How long one attempt may go without a byte in or out; becomes the request's time-out interval.
  ///
  /// On Linux `URLSession` counts whole seconds, so it is rounded up there.
  public var attemptTimeout: Duration
  /// How long a call may take with all its attempts and waits; `nil` for no end.
  public var deadline: Duration?

  /// Makes limits; by default 15 s for an attempt and 60 s for a call.
  public init(attemptTimeout: Duration = .seconds(15), deadline: Duration? = .seconds(60)) {
    self.attemptTimeout = attemptTimeout
    self.deadline = deadline
  }
}

extension Duration {
  /// Seconds with their fraction, as Foundation counts.
  var seconds: Double {
    let (seconds, attoseconds) = components
    return Double(seconds) + Double(attoseconds) / 1e18
  }
}
