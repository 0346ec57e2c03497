/// What a descriptor is watched for, and what it is ready for.
struct Readiness: OptionSet, Sendable, Hashable {
  var rawValue: UInt8

  static let readable = Readiness(rawValue: 1)
  static let writable = Readiness(rawValue: 2)
  /// The connection is over in both directions, or broken: told whether asked for or not.
  static let hangup = Readiness(rawValue: 4)
}

/// Names a registration; one that is spent never names another descriptor's.
struct Token: Sendable, Hashable {
  var rawValue: UInt64

  /// The wake-up of the loop itself.
  static let wakeUp = Token(rawValue: .max)
}

/// What a loop tells about a descriptor.
///
/// Lives on the loop's thread.
protocol ReadinessHandler: AnyObject {
  /// The descriptor is ready. Whatever is not dealt with is told again.
  func isReady(_ readiness: Readiness)
  /// The loop ends: close the descriptor now.
  func loopEnds()
}

/// The output of a round, which leaves in one piece at its end.
///
/// Lives on the loop's thread.
protocol RoundWriter: AnyObject {
  /// Sends what was written since ``Reactor/flushLater(_:)``.
  func flushRound()
}
