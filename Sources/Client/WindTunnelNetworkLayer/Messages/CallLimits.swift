/// The limits of a call's duration.
public struct CallLimits: Sendable, Hashable {
  /// The time for which one attempt may neither send nor receive a byte; the request's timeout
  /// interval.
  ///
  /// On Linux `URLSession` counts whole seconds, so that the time is rounded up there.
  public var attemptTimeout: Duration
  /// The time that a call may take with all its attempts and waits; `nil`: no limit.
  public var deadline: Duration?

  /// Makes limits; by default 15 s for an attempt and 60 s for a call.
  public init(attemptTimeout: Duration = .seconds(15), deadline: Duration? = .seconds(60)) {
    self.attemptTimeout = attemptTimeout
    self.deadline = deadline
  }
}
