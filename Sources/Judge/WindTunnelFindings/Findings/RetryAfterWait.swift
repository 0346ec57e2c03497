// The wait that `Retry-After` asks for: a date is a moment, and seconds count from when the client
// could read the head of the response (RFC 9110 §10.2.3).
extension Observation.Attempt {
  /// Whether the response asked to wait.
  var asksToWait: Bool { retryAfter != nil || retryNotBefore != nil }

  /// The moment until which the response asked to wait; `nil` if it asked for no wait, or if the
  /// moment was not seen.
  var waitEnd: Duration? {
    if let retryNotBefore { return retryNotBefore }
    guard let retryAfter, let headCame else { return nil }
    return headCame + retryAfter
  }

  /// The moment from which a retry counts as late enough: timers may be early by 50 ms. `nil` if
  /// the response asked for no wait, or if the moment was not seen.
  var earliestRetry: Duration? { waitEnd.map { $0 - .milliseconds(50) } }
}
