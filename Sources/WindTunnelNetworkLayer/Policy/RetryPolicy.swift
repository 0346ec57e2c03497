public import Foundation
internal import WindTunnelSymptoms

#if canImport(FoundationNetworking)
  public import FoundationNetworking
#endif

/// Sends again what may be sent again, for reasons that pass, and less and less often.
public struct RetryPolicy: Policy {
  /// How many retries a call may have behind it, at most, and still get another one after this
  /// reason.
  ///
  /// What is not in the table is never tried again.
  public var mostRetries: [RetryReason: Int]
  /// How long to wait where the server does not say.
  public var backoff: Backoff
  /// The longest `Retry-After` that is waited for; after a longer one the answer is surfaced.
  public var longestRetryAfter: Duration

  /// Makes a policy; by default the one that ``standardTable`` describes.
  public init(
    mostRetries: [RetryReason: Int] = standardTable,
    backoff: Backoff = Backoff(),
    longestRetryAfter: Duration = .seconds(30)
  ) {
    self.mostRetries = mostRetries
    self.backoff = backoff
    self.longestRetryAfter = longestRetryAfter
  }

  /// Three retries after what passes by itself.
  ///
  /// Not after a failure of TLS: whoever answers it will not change within seconds, and asking
  /// again tells him more. Not after what has no name either.
  public static let standardTable: [RetryReason: Int] = {
    let symptoms: [Symptom] = [
      .timedOut, .connectionLost, .emptyAnswer, .truncated, .connectionRefused, .hostNotFound,
    ]
    let reasons =
      symptoms.map(RetryReason.symptom) + [429, 500, 502, 503, 504].map(RetryReason.status)
    return Dictionary(uniqueKeysWithValues: reasons.map { ($0, 3) })
  }()

  /// Retries only for a reason of the table, only within its number, and only a request that may be
  /// sent twice.
  public func decide(
    after outcome: AttemptOutcome,
    attempt: Int,
    of request: URLRequest,
    at date: Date,
    draw: Double
  ) -> Decision {
    guard let reason = RetryReason(outcome), let most = mostRetries[reason], attempt <= most,
      request.maySafelyRepeat
    else { return .surface }
    // RFC 9110 §10.2.3. A time that is past or no time at all leaves it to the back-off.
    if case .success(let answer) = outcome, let wait = answer.retryAfter(at: date), wait > .zero {
      return wait > longestRetryAfter ? .surface : .retry(after: wait)
    }
    return .retry(after: backoff.delay(beforeRetry: attempt, draw: draw))
  }
}

extension URLRequest {
  /// Whether a server that got this request already is not harmed by getting it again: the method
  /// is idempotent, or an `Idempotency-Key` lets the server tell.
  public var maySafelyRepeat: Bool {
    // A URLRequest without a method is a GET.
    let method = HTTPMethod(rawValue: httpMethod ?? "GET")
    if method.isIdempotent { return true }
    guard method == .post || method == .patch else { return false }
    return value(forHTTPHeaderField: "Idempotency-Key").map { !$0.isEmpty } ?? false
  }
}
