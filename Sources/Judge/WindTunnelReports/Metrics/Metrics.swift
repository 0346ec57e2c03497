/// The figures of one subject in one scenario, folded from observations.
///
/// A figure that cannot be observed is `nil`, never zero. A cancelled call counts as a call and as
/// cancelled; it is no success, no failure, and part of no latency. A call with a request that is
/// not on the cassette counts as such, and is part of no other figure.
public struct Metrics: Sendable, Hashable {
  /// The number of calls that were made.
  public var calls: Int
  /// The share of calls that succeeded.
  public var successRate: Double?
  /// The lower bound of the success rate's 95 % Wilson interval.
  public var successRateLower: Double?
  /// The upper bound of the success rate's 95 % Wilson interval.
  public var successRateUpper: Double?
  /// The share of calls that succeeded on the first attempt.
  public var firstTrySuccessRate: Double?
  /// The share of the calls that met a fault which succeeded by retrying.
  public var recoveredRate: Double?
  /// The average number of attempts beyond the first, for each call; of calls whose attempts nobody
  /// saw, by the client's own word.
  public var averageRetries: Double?
  /// The number of calls whose attempts nobody saw, and whose client says how many it made.
  public var callsByOwnWord: Int
  /// The latency of all calls that were not cancelled, failed ones included.
  public var latency: Latency
  /// The latency of the calls that succeeded.
  public var succeeded: Latency
  /// The latency of the calls that failed, which is the time that the client takes to give up.
  public var failed: Latency
  /// The calls that count as screens.
  public let screens: Screens
  /// The share of screens (GET and HEAD calls of critical endpoints) that had nothing to show.
  public var blankScreenRate: Double?
  /// The number of screens that had nothing to show; `nil` if no call is a screen.
  public var blankScreens: Int?
  /// The share of actions (all other methods) of critical endpoints that had nothing to show.
  public var failedActionRate: Double?
  /// The number of actions that had nothing to show; `nil` if no action is critical.
  public var failedActions: Int?
  /// The number of calls during which the client's process died.
  public var crashes: Int
  /// The number of calls that did not end within their deadline.
  public var hangs: Int
  /// The number of retries that 95 % of the calls stay within.
  public var retriesP95: Int?
  /// The greatest number of retries of a call.
  public var retriesMax: Int?
  /// The numbers of calls with no retry, one, two and so on; the hundredth counts all calls with
  /// more.
  public var callsByRetries: [Int]?
  /// The number of requests that the server saw, for each call.
  public var amplification: Double?
  /// The amplification of the calls that began in the worst second.
  public var worstSecondAmplification: Double?
  /// The number of requests that the server saw beyond those that the client says it sent.
  public var silentRetries: Int?
  /// The number of requests that must not be repeated and came again after the first had reached
  /// the server.
  public var duplicates: Int?
  /// The share of the retries after a `Retry-After` that waited as long as it says, within 5 ms;
  /// `nil` where none was sent.
  public var retryAfterCompliance: Double?
  /// The number of retries that came earlier than the server had asked.
  public var earlyRetries: Int?
  /// The waits before the first retry, the second and so on; the eighth holds all that follow.
  public var backoff: [Backoff]?
  /// The greatest number of retries in a tenth of a second, divided by the average of those between
  /// the first and the last.
  public var thunderingHerdIndex: Double?
  /// The number of calls that returned an earlier copy; `nil` where the client never said.
  public var staleServed: Int?
  /// The number of calls that succeeded with something else than the recorded body, such as a part
  /// of it; `nil` where no body was compared.
  public var silentTruncations: Int?
  /// The number of calls that failed and met no fault, without those whose last answer is a
  /// recorded error (RFC 9110 §15.5 and §15.6).
  public var unexpectedErrors: Int?
  /// The time within which 95 % of the calls that recover do so, counted from the beginning of the
  /// last attempt that met a fault.
  public var recoveryP95: Duration?
  /// The time from the last end of the scenario's time windows to the first call that succeeded;
  /// `nil` where it has none, or where no call succeeded.
  public var firstRecovery: Duration?
  /// The time from the last end of the scenario's time windows until five calls in a row had
  /// succeeded, in the order of their ends.
  public var steadyRecovery: Duration?
  /// The durations of the attempts' stages, in the order in which they happen.
  public var stages: [StageLatency]
  /// The delay of the calls' starts that 99 % stay within: it is the machine's, and part of every
  /// latency; `nil` in a closed loop, where no call is late.
  public var startDelayP99: Duration?
  /// The number of calls that their callers cancelled.
  public var cancelledCalls: Int
  /// The number of attempts that began after a cancelled call had returned.
  public var attemptsAfterCancel: Int?
  /// The time within which 95 % of the cancelled calls returned.
  public var cancelReturnP95: Duration?
  /// The time within which 95 % of the lost conversations are followed by another, counted from the
  /// server's end or silence to the answer of the next handshake; `nil` also where more than 5 %
  /// are followed by none.
  public var reconnectP95: Duration?
  /// The share of the lost conversations that are followed by another; `nil` where none was lost.
  public var reconnectedRate: Double?
  /// The time within which 95 % of the lost conversations are followed by a message that asks for
  /// something, counted from the same moment; `nil` also where more than 5 % of those in which
  /// something had been asked for are followed by none.
  public var resubscribeP95: Duration?
  /// The time within which the server has said its first word in 95 % of the conversations, counted
  /// from the handshake's answer.
  public var firstEventP95: Duration?
  /// The longest time in a call between two messages of the server, reconnections included.
  public var longestGap: Duration?
  /// The share of the server's pings that clients answered; `nil` where it sent none.
  public var pingsAnswered: Double?
  /// The number of messages of the server that clients did not receive, by their own word: sent and
  /// not received, or never asked for again. `nil` where no client says what it received.
  public var messagesLost: Int?
  /// The number of times that clients say they received a message beyond those that it came.
  public var messagesDoubled: Int?
  /// The number of messages that clients say they received behind a later one.
  public var messagesOutOfOrder: Int?
  /// The number of messages that clients say they received more than a second behind their sending.
  public var messagesLate: Int?
  /// The number of calls with a request that is not on the cassette.
  public var notOnCassette: Int
  /// The faults that fired, with their numbers, in the order of their names.
  public var faults: [Fired]
  /// The faults that were decided and not done, in the order of their names.
  public var undone: [Undone]
  /// The ends of calls, by the fault that they met.
  public var endings: [Surfaced]
  /// The share of the scenario's faults that fired at all; `nil` where its faults are not known.
  public var faultCoverage: Double?

  /// Tells whether its average of retries rests on the client's own word.
  var hasOwnWord: Bool { averageRetries != nil && callsByOwnWord > 0 }

  /// The latency that half of the calls stay within, failed ones included.
  public var p50: Duration? { latency.p50?.value }
  /// The latency that 90 % of the calls stay within.
  public var p90: Duration? { latency.p90?.value }
  /// The latency that 95 % of the calls stay within.
  public var p95: Duration? { latency.p95?.value }
  /// The latency that 99 % of the calls stay within.
  public var p99: Duration? { latency.p99?.value }
  /// The longest latency of all.
  public var max: Duration? { latency.max }

  /// A percentile, by nearest rank, with its 95 % confidence interval; a bound that needs more
  /// calls is `nil`.
  public struct Quantile: Sendable, Hashable {
    /// The value of the percentile: one that was observed, where all of them are stored.
    public var value: Duration
    /// The lower end of the interval.
    public var lower: Duration?
    /// The upper end of the interval.
    public var upper: Duration?
  }

  /// The latencies of calls, from their intended start.
  public struct Latency: Sendable, Hashable {
    /// The number of calls that were measured.
    public var calls: Int
    /// Tells whether every percentile is an observed latency; otherwise it is within 0.1 % of one.
    public var isExact: Bool
    /// The latency that half of them stay within.
    public var p50: Quantile?
    /// The latency that 90 % of them stay within.
    public var p90: Quantile?
    /// The latency that 95 % of them stay within.
    public var p95: Quantile?
    /// The latency that 99 % of them stay within.
    public var p99: Quantile?
    /// The longest of all.
    public var max: Duration?

    init(_ distribution: Distribution) {
      let sorted = distribution.sorted
      (calls, isExact) = (distribution.count, distribution.isExact)
      p50 = sorted.quantile(0.5)
      p90 = sorted.quantile(0.9)
      p95 = sorted.quantile(0.95)
      p99 = sorted.quantile(0.99)
      max = sorted.percentile(1)
    }
  }

  /// The duration of a stage of the attempts.
  public struct StageLatency: Sendable, Hashable {
    /// The name of the stage: `dns`, `connect`, `tls`, `upload`, `firstByte` or `body`; in front of
    /// them, for external programs, `startUp`, which is part of no latency.
    public var stage: String
    /// The number of attempts in which the stage was observed; of `startUp`, the number of calls.
    public var attempts: Int
    /// The duration that half of the attempts stay within; `nil` where the stage was never
    /// observed.
    public var p50: Duration?
    /// The duration that 95 % of the attempts stay within.
    public var p95: Duration?
    /// The longest duration of all.
    public var max: Duration?

    init(_ stage: String, _ distribution: Distribution) {
      let sorted = distribution.sorted
      (self.stage, attempts) = (stage, sorted.count)
      (p50, p95) = (sorted.percentile(0.5), sorted.percentile(0.95))
      max = sorted.percentile(1)
    }

    /// As people say it.
    var words: String {
      switch stage {
      case "startUp": "starting the program (in no latency)"
      case "dns": "looking the name up"
      case "connect": "connecting"
      case "tls": "TLS handshake"
      case "upload": "request"
      case "firstByte": "until the first byte"
      default: "body"
      }
    }
  }

  /// The waits before the retries of one number.
  public struct Backoff: Sendable, Hashable {
    /// The number of the retry, from 1.
    public var retry: Int
    /// The number of waits that were observed.
    public var count: Int
    /// The shortest wait of all.
    public var min: Duration
    /// The wait that half of them stay within.
    public var median: Duration
    /// The longest wait of all.
    public var max: Duration
    /// The standard deviation divided by the mean: near zero where there is no jitter.
    public var variation: Double?
  }

  /// A fault and the number of times that it fired.
  public struct Fired: Sendable, Hashable {
    /// The name of the fault.
    public var fault: String
    /// The number of attempts in which the fault fired.
    public var attempts: Int
    /// The number of those attempts that the client noticed: a retry followed, or a failure.
    public var noticed: Int
  }

  /// A fault that was decided and not done, since answers gave no room for it.
  public struct Undone: Sendable, Hashable {
    /// The name of the fault.
    public var fault: String
    /// The reason, half a sentence: `the answer has 4 events`.
    public var reason: String
    /// The number of attempts that it was decided for.
    public var attempts: Int
  }

  /// The number of calls that met a fault and ended in one way.
  public struct Surfaced: Sendable, Hashable {
    /// The fault's name; `none` where the call met no fault, `unseen` where its attempts could not
    /// be observed.
    public var fault: String
    /// The way in which the calls ended: `succeeded`, the error's symptom or status, `crashed`,
    /// `hung` or `given up`.
    public var ending: String
    /// The number of calls; one that met several faults counts once with each.
    public var calls: Int
  }
}

extension Metrics {
  /// The number of faults that a sentence names.
  private static let undoneNamesMax = 3

  /// The faults that were not done, in one sentence; `nil` where there are none.
  var undoneWords: String? {
    guard !undone.isEmpty else { return nil }
    let named = undone.prefix(Self.undoneNamesMax).map { one in
      let attempts = one.attempts == 1 ? "1 attempt" : "\(one.attempts) attempts"
      return "\(one.fault) was not done in \(attempts), since \(one.reason)"
    }
    let rest = undone.count - named.count
    return named.joined(separator: "; ") + (rest > 0 ? "; and \(rest) more" : "")
  }
}
