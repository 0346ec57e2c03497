public import Foundation
public import WindTunnelSymptoms

#if canImport(FoundationNetworking)
  public import FoundationNetworking
#endif

/// The second part of the layer: it decides what follows on an attempt.
///
/// A policy has no clock, no randomness and no network; equal arguments get equal decisions.
public protocol Policy: Sendable {
  /// Decides after an attempt that ended.
  ///
  /// - Parameters:
  ///   - outcome: The result of the attempt.
  ///   - attempt: The number of the attempt in its call, from 1.
  ///   - request: The request that was sent and would be sent again.
  ///   - date: The time of day, for answers that name one.
  ///   - draw: A number in 0..<1 for this decision alone.
  /// - Returns: The decision to retry, with the wait, or to return the result.
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
  /// The caller gets the result of the attempt.
  case surface
  /// The same request is sent again after a wait.
  case retry(after: Duration)
}

/// A policy that retries requests which may be repeated, after failures that pass, at growing
/// intervals.
public struct RetryPolicy: Policy {
  /// The number of retries that a call may have made and still make another after this reason.
  ///
  /// A reason that is not in the table is never retried.
  public var mostRetries: [RetryReason: Int]
  /// The waits where the server does not name one.
  public var backoff: Backoff
  /// The longest `Retry-After` that is waited for; after a longer one the caller gets the answer.
  public var longestRetryAfter: Duration

  /// Makes a policy; by default the one that ``standardTable`` describes.
  public init(
    mostRetries: [RetryReason: Int] = standardTable,
    backoff: Backoff = Backoff(),
    longestRetryAfter: Duration = .seconds(30)
  ) {
    (self.mostRetries, self.backoff) = (mostRetries, backoff)
    self.longestRetryAfter = longestRetryAfter
  }

  /// The table of three retries after each failure that passes by itself.
  ///
  /// A failure of TLS is not retried: the peer will not change within seconds, and another attempt
  /// tells it more. Neither is a failure without a symptom.
  public static let standardTable: [RetryReason: Int] = {
    let symptoms: [Symptom] = [
      .timedOut, .connectionLost, .emptyAnswer, .truncated, .connectionRefused, .hostNotFound,
    ]
    let reasons =
      symptoms.map(RetryReason.symptom) + [429, 500, 502, 503, 504].map(RetryReason.status)
    return Dictionary(uniqueKeysWithValues: reasons.map { ($0, 3) })
  }()

  /// Retries only for a reason of the table, only up to its number, and only a request that may be
  /// repeated.
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
  /// Tells whether a server that has received this request is not harmed by receiving it again: the
  /// method is idempotent, or an `Idempotency-Key` lets the server recognise it.
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
  /// An attempt without an answer, with this symptom.
  case symptom(Symptom)
  /// An answer with this status.
  case status(Int)

  /// Makes the reason of an attempt's failure; `nil` for a cancellation and for a file of
  /// this device's, which are none of the network's.
  public init?(_ outcome: AttemptOutcome) {
    switch outcome {
    case .success(let answer): self = .status(answer.status)
    case .failure(.failed(let symptom, _)): self = .symptom(symptom)
    case .failure(.cancelled), .failure(.file): return nil
    }
  }
}

/// A back-off whose waits double from one retry to the next, up to a cap.
public struct Backoff: Sendable, Hashable {
  /// The wait before the first retry, without jitter.
  public var base: Duration
  /// The longest wait, jitter included.
  public var cap: Duration
  /// The random variation of a wait.
  public var jitter: Jitter

  /// Makes a back-off; by default 200 ms, 400 ms, 800 ms … 5 s, give or take a fifth.
  public init(
    base: Duration = .milliseconds(200),
    cap: Duration = .seconds(5),
    jitter: Jitter = .proportional(0.2)
  ) {
    (self.base, self.cap, self.jitter) = (base, cap, jitter)
  }

  /// Returns the wait before the *n*-th retry of a call, from 1, for a draw in 0..<1.
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

/// The random variation of waits, so that clients that failed together do not return together.
public enum Jitter: Sendable, Hashable {
  /// The wait without variation.
  case none
  /// The wait, plus or minus this fraction of it: 0.2 gives 80 % to 120 %.
  case proportional(Double)
  /// Any time from zero to the wait.
  case full

  /// Returns the wait for a draw in 0..<1, in whole nanoseconds.
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
