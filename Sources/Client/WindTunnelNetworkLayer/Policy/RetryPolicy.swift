public import Foundation
public import WindTunnelSymptoms

/// The second part of the layer: it decides whether to retry after an attempt.
///
/// A policy has no clock, no randomness and no network. Equal arguments lead to equal decisions.
public protocol Policy: Sendable {
  /// Decides whether to retry after an attempt has ended.
  ///
  /// - Parameters:
  ///   - outcome: The result of the attempt.
  ///   - attempt: The number of the attempt in its call, from 1.
  ///   - request: The request that was sent and would be sent again.
  ///   - date: The current date, for responses that contain one.
  ///   - draw: A random number in 0..<1 for this decision alone.
  /// - Returns: The decision to retry, with the wait, or to return the result.
  func decide(
    after outcome: AttemptOutcome,
    attempt: Int,
    of request: URLRequest,
    at date: Date,
    draw: Double
  ) -> Decision
}

/// The decision after an attempt.
public enum Decision: Sendable, Hashable {
  /// The caller receives the result of the attempt.
  case surface
  /// The same request is sent again after a wait.
  case retry(after: Duration)
}

/// A policy that retries repeatable requests after temporary failures, at growing intervals.
public struct RetryPolicy: Policy {
  /// The maximum number of retries in a call by the reason of the latest failure.
  ///
  /// Earlier retries for other reasons count, too. A reason that is not in the table is never
  /// retried.
  public var mostRetries: [RetryReason: Int]
  /// The delays between attempts if the server does not specify one.
  public var backoff: Backoff
  /// The maximum `Retry-After` that is respected. After a longer one the caller receives the
  /// response.
  public var longestRetryAfter: Duration

  /// Creates a policy; by default with the table ``standardTable``.
  public init(
    mostRetries: [RetryReason: Int] = standardTable,
    backoff: Backoff = Backoff(),
    longestRetryAfter: Duration = .seconds(30)
  ) {
    (self.mostRetries, self.backoff) = (mostRetries, backoff)
    self.longestRetryAfter = longestRetryAfter
  }

  /// The default table, with three retries after each temporary failure.
  ///
  /// A TLS failure is not retried: the peer will not change within seconds, and another attempt
  /// reveals more to it. A failure without a known symptom is not retried either.
  public static let standardTable: [RetryReason: Int] = {
    let symptoms: [Symptom] = [
      .timedOut, .connectionLost, .emptyAnswer, .truncated, .connectionRefused, .hostNotFound,
    ]
    let reasons =
      symptoms.map(RetryReason.symptom) + [429, 500, 502, 503, 504].map(RetryReason.status)
    return Dictionary(uniqueKeysWithValues: reasons.map { ($0, 3) })
  }()

  /// Retries a repeatable request if the table allows it for this reason and number of attempts.
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
    // RFC 9110 §10.2.3. If the time is past or zero, the back-off applies.
    if case .success(let answer) = outcome, let wait = answer.retryAfter(at: date), wait > .zero {
      return wait > longestRetryAfter ? .surface : .retry(after: wait)
    }
    return .retry(after: backoff.delay(beforeRetry: attempt, draw: draw))
  }
}

extension URLRequest {
  /// Whether a server may receive this request twice without harm.
  ///
  /// That is the case if the method is idempotent, or if an `Idempotency-Key` identifies the
  /// request.
  public var maySafelyRepeat: Bool {
    // A `URLRequest` without a method is a GET.
    let method = HTTPMethod(rawValue: httpMethod ?? "GET")
    if method.isIdempotent { return true }
    guard method == .post || method == .patch else { return false }
    return value(forHTTPHeaderField: "Idempotency-Key").map { !$0.isEmpty } ?? false
  }
}

/// A failure of an attempt, as the key of a policy's table.
public enum RetryReason: Sendable, Hashable {
  /// An attempt without a response, with this symptom.
  case symptom(Symptom)
  /// A response with this status.
  case status(Int)

  /// Creates the reason of an attempt's failure.
  ///
  /// `nil` for a cancellation or a file error on this device, because neither is the network's
  /// failure.
  public init?(_ outcome: AttemptOutcome) {
    switch outcome {
    case .success(let answer): self = .status(answer.status)
    case .failure(.failed(let symptom, _)): self = .symptom(symptom)
    case .failure(.cancelled), .failure(.file): return nil
    }
  }
}

/// A back-off whose delays double from one retry to the next, up to a maximum.
public struct Backoff: Sendable, Hashable {
  /// The delay before the first retry, without jitter.
  public var base: Duration
  /// The maximum delay, including jitter.
  public var cap: Duration
  /// The random variation of a delay.
  public var jitter: Jitter

  /// Creates a back-off; by default 200 ms, 400 ms, 800 ms … 5 s, each plus or minus a fifth.
  public init(
    base: Duration = .milliseconds(200),
    cap: Duration = .seconds(5),
    jitter: Jitter = .proportional(0.2)
  ) {
    (self.base, self.cap, self.jitter) = (base, cap, jitter)
  }

  /// Returns the delay before the *n*-th retry of a call, from 1, for a random number in 0..<1.
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

/// The random variation of delays, so that clients that failed together do not retry together.
public enum Jitter: Sendable, Hashable {
  /// The delay without variation.
  case none
  /// The delay, plus or minus this fraction of it: 0.2 gives 80 % to 120 %.
  case proportional(Double)
  /// Any time from zero to the delay.
  case full

  /// Returns the delay for a random number in 0..<1, in whole nanoseconds.
  public func applied(to delay: Duration, draw: Double) -> Duration {
    switch self {
    case .none: delay
    case .proportional(let part): delay.scaled(by: 1 - part + 2 * part * draw)
    case .full: delay.scaled(by: draw)
    }
  }
}

extension Duration {
  /// Returns the product in whole nanoseconds. Attoseconds would expose the rounding errors of
  /// `Double`.
  fileprivate func scaled(by factor: Double) -> Duration {
    let (seconds, attoseconds) = components
    let nanoseconds = Double(seconds) * 1e9 + Double(attoseconds) / 1e9
    return .nanoseconds(Int64((nanoseconds * max(0, factor)).rounded()))
  }
}
