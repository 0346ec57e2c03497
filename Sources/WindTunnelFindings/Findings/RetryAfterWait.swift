/// The accuracy to which a retry is held against the `Retry-After` before it.
private enum RetryAfterAccuracy {
  /// A timer may be early by so much: clocks are not finer than their readers.
  static let timer = Duration.milliseconds(50)
  /// A date has whole seconds, and the two clocks need not agree on where one ends.
  static let date = Duration.seconds(1)
}

// The wait that an answer's `Retry-After` asks for: a date is a moment, and seconds count from when
// the client could read the answer's head (RFC 9110 §10.2.3).
extension Observation.Attempt {
  /// The moment until which the answer asked to wait, at the earliest that its client may take it
  /// for; `nil` where it asked for none, or the moment was not seen.
  var waitEnd: Duration? {
    if let retryNotBefore { return retryNotBefore - RetryAfterAccuracy.date }
    guard let retryAfter, let headCame else { return nil }
    return headCame + retryAfter
  }

  /// The moment until which the answer asked to wait, at the latest that its client may take it
  /// for.
  var latestWaitEnd: Duration? { retryNotBefore ?? waitEnd }

  /// The moment from which on a retry waited as long as it was asked to, as far as clocks can tell;
  /// `nil` where it was asked for no wait, or the moment was not seen.
  var earliestRetry: Duration? { waitEnd.map { $0 - RetryAfterAccuracy.timer } }
}
