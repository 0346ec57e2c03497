public import Foundation
public import WindTunnelSymptoms

#if canImport(FoundationNetworking)
  public import FoundationNetworking
#endif

/// The second part of the layer: says what follows on an attempt.
///
/// It knows no clock, no chance and no network; equal arguments get equal decisions.
public protocol Policy: Sendable {
  /// Decides after an attempt that ended.
  ///
  /// - Parameters:
  ///   - outcome: How the attempt ended.
  ///   - attempt: Which attempt of the call it was, from 1.
  ///   - request: What was sent and would be sent again.
  ///   - date: The time of day, for answers that name one.
  ///   - draw: A number in 0..<1 for this decision alone.
  /// - Returns: Whether the request is sent again, and when.
  func decide(
    after outcome: AttemptOutcome,
    attempt: Int,
    of request: URLRequest,
    at date: Date,
    draw: Double
  ) -> Decision
}

/// The consequence of an attempt.
public enum Decision: Sendable, Hashable {
  /// The caller gets what came.
  case surface
  /// The same request is sent again after a wait.
  case retry(after: Duration)
}

/// Sends again what may be sent again, for reasons that pass, and less and less often.
public struct RetryPolicy: Policy {
  /// The most retries that a call may have behind it and still get another one after this
  /// reason.
  ///
  /// What is not in the table is never tried again.
  public var mostRetries: [RetryReason: Int]
  /// The waits where the server names none.
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
  /// True where a server that got this request already is not harmed by getting it again: the
  /// method is idempotent, or an `Idempotency-Key` lets the server tell.
  public var maySafelyRepeat: Bool {
    // A URLRequest without a method is a GET.
    let method = HTTPMethod(rawValue: httpMethod ?? "GET")
    if method.isIdempotent { return true }
    guard method == .post || method == .patch else { return false }
    return value(forHTTPHeaderField: "Idempotency-Key").map { !$0.isEmpty } ?? false
  }
}

/// A failure of an attempt, as the key of a policy's table.
public enum RetryReason: Sendable, Hashable {
  /// No answer came, by this symptom.
  case symptom(Symptom)
  /// An answer of this status came.
  case status(Int)

  /// Names what an attempt met; a cancellation is nothing that went wrong.
  public init?(_ outcome: AttemptOutcome) {
    switch outcome {
    case .success(let answer): self = .status(answer.status)
    case .failure(.failed(let symptom, _)): self = .symptom(symptom)
    case .failure(.cancelled): return nil
    }
  }
}

/// Waits that double from one retry to the next, up to a cap.
public struct Backoff: Sendable, Hashable {
  /// The wait before the first retry, without jitter.
  public var base: Duration
  /// The longest wait, jitter included.
  public var cap: Duration
  /// The change of a wait by chance.
  public var jitter: Jitter

  /// Makes a back-off; by default 200 ms, 400 ms, 800 ms … 5 s, give or take a fifth.
  public init(
    base: Duration = .milliseconds(200),
    cap: Duration = .seconds(5),
    jitter: Jitter = .proportional(0.2)
  ) {
    self.base = base
    self.cap = cap
    self.jitter = jitter
  }

  /// The wait before the n-th retry of a call, from 1, for a draw in 0..<1.
  public func delay(beforeRetry retry: Int, draw: Double) -> Duration {
    var delay = min(base, cap)
    var doublings = retry - 1
    while doublings > 0, delay > .zero, delay < cap {
      delay = min(delay * 2, cap)
      doublings -= 1
    }
    return min(jitter.applied(to: delay, draw: draw), cap)
  }
}

/// The spread of waits by chance, so that clients that failed together do not return together.
public enum Jitter: Sendable, Hashable {
  /// The wait as it is.
  case none
  /// The wait, give or take this part of it: 0.2 gives 80 % to 120 %.
  case proportional(Double)
  /// Anything from nothing to the wait.
  case full

  /// The wait for a draw in 0..<1, in whole nanoseconds.
  public func applied(to delay: Duration, draw: Double) -> Duration {
    switch self {
    case .none: delay
    case .proportional(let part): delay.scaled(by: 1 - part + 2 * part * draw)
    case .full: delay.scaled(by: draw)
    }
  }
}

extension Duration {
  /// Nanoseconds keep the product exact to the eye; attoseconds would show the rounding of
  /// `Double`.
  fileprivate func scaled(by factor: Double) -> Duration {
    let (seconds, attoseconds) = components
    let nanoseconds = Double(seconds) * 1e9 + Double(attoseconds) / 1e9
    return .nanoseconds(Int64((nanoseconds * max(0, factor)).rounded()))
  }
}
