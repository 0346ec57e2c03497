/// The limits of a call's duration.
public struct CallLimits: Sendable, Hashable {
  /// The maximum time without a byte sent or received in one attempt: the request's timeout
  /// interval.
  ///
  /// On Linux `URLSession` uses whole seconds, so the time is rounded up there.
  public var attemptTimeout: Duration
  /// The maximum duration of a call with all its attempts and waits; `nil` for no limit.
  public var deadline: Duration?

  /// Creates limits; by default 15 s for an attempt and 60 s for a call.
  public init(attemptTimeout: Duration = .seconds(15), deadline: Duration? = .seconds(60)) {
    self.attemptTimeout = attemptTimeout
    self.deadline = deadline
  }
}
