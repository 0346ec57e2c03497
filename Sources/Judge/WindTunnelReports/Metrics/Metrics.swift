/// The figures of one client in one scenario, calculated from observations.
///
/// A figure that cannot be observed is `nil`, never zero. A cancelled call counts as a call and as
/// cancelled. It is neither a success nor a failure, and has no latency. A call with a request that
/// is not on the cassette is only counted as such, and is not part of any other figure.
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
  /// The share of calls that succeeded by a retry, among the calls that met a fault.
  public var recoveredRate: Double?
  /// The average number of attempts after the first, for each call. If attempts were not observed,
  /// this is the client's own report.
  public var averageRetries: Double?
  /// The number of calls without observed attempts whose client reports their number.
  public var callsByOwnWord: Int
  /// The latency of all calls that were not cancelled, including failed calls.
  public var latency: Latency
  /// The latency of the calls that succeeded.
  public var succeeded: Latency
  /// The latency of the calls that failed, which is the time that the client takes to report an
  /// error.
  public var failed: Latency
  /// The calls that count as screens.
  public let screens: Screens
  /// The share of screens (GET and HEAD calls of critical endpoints) without content.
  public var blankScreenRate: Double?
  /// The number of screens without content; `nil` if no call is a screen.
  public var blankScreens: Int?
  /// The share of actions (all other methods) of critical endpoints without content.
  public var failedActionRate: Double?
  /// The number of actions without content; `nil` if no action is critical.
  public var failedActions: Int?
  /// The number of calls during which the client's process crashed.
  public var crashes: Int
  /// The number of calls that did not end, even some time after their deadline.
  public var hangs: Int
  /// The 95th percentile of the number of retries of a call.
  public var retriesP95: Int?
  /// The maximum number of retries of a call.
  public var retriesMax: Int?
  /// The numbers of calls without a retry, with one retry, with two, and so on. The last number is
  /// of all calls with a hundred or more retries.
  public var callsByRetries: [Int]?
  /// The number of requests that the server received, for each call.
  public var amplification: Double?
  /// The amplification of the calls that began in the worst second.
  public var worstSecondAmplification: Double?
  /// The number of requests that the server received beyond the number that the client reports.
  public var silentRetries: Int?
  /// The number of requests that must not be repeated, but were received again after the server had
  /// received the first.
  public var duplicates: Int?
  /// The share of the retries after a `Retry-After` that waited for the whole time, within 5 ms.
  /// `nil` if no such field was sent.
  public var retryAfterCompliance: Double?
  /// The number of retries before the end of the requested wait.
  public var earlyRetries: Int?
  /// The waits before the first retry, the second and so on. The eighth value is for all later
  /// retries.
  public var backoff: [Backoff]?
  /// The maximum number of retries in a tenth of a second, divided by the average number from the
  /// first retry to the last.
  public var thunderingHerdIndex: Double?
  /// The number of calls that returned an earlier copy; `nil` if the client never reported this.
  public var staleServed: Int?
  /// The number of calls that reported success although their body differed from the recorded one,
  /// for example because it was truncated. `nil` if no body was compared.
  public var silentTruncations: Int?
  /// The number of calls that failed without a fault. Calls whose last response is a recorded error
  /// are not counted (RFC 9110 §15.5 and §15.6).
  public var unexpectedErrors: Int?
  /// The 95th percentile of the time to recover, for calls that recover. It counts from the
  /// beginning of the last attempt with a fault.
  public var recoveryP95: Duration?
  /// The time from the end of the scenario's last time window to the first successful call. `nil`
  /// if the scenario has no time window, or if no call succeeded.
  public var firstRecovery: Duration?
  /// The time from the end of the scenario's last time window to the fifth of five consecutive
  /// successful calls, in the order of their ends.
  public var steadyRecovery: Duration?
  /// The durations of the attempts' stages, in the order in which they happen.
  public var stages: [StageLatency]
  /// The 99th percentile of the delay with which calls start. It is caused by the machine, and is
  /// part of every latency. `nil` in a closed loop, in which no call is late.
  public var startDelayP99: Duration?
  /// The number of calls that their callers cancelled.
  public var cancelledCalls: Int
  /// The number of attempts that began more than 250 ms after the cancellation of their call.
  public var attemptsAfterCancel: Int?
  /// The 95th percentile of the time that cancelled calls took to return.
  public var cancelReturnP95: Duration?
  /// The 95th percentile of the time to reconnect after a lost conversation. It counts from the
  /// server's end or silence to the completion of the next handshake. `nil` also if the client did
  /// not reconnect in more than 5 % of the cases.
  public var reconnectP95: Duration?
  /// The share of the lost conversations after which the client reconnected; `nil` if no
  /// conversation was lost.
  public var reconnectedRate: Double?
  /// The 95th percentile of the time to repeat a request after a lost conversation, counted from
  /// the same moment. `nil` also if the client did not repeat it in more than 5 % of the
  /// conversations with a request.
  public var resubscribeP95: Duration?
  /// The 95th percentile of the time to the server's first message in a conversation, counted from
  /// the handshake's response.
  public var firstEventP95: Duration?
  /// The maximum time in a call between two messages of the server, including reconnections.
  public var longestGap: Duration?
  /// The share of the server's pings that clients answered; `nil` if it sent no pings.
  public var pingsAnswered: Double?
  /// The number of messages of the server that clients did not report as received: sent and not
  /// received, or not requested again. `nil` if no client reports its messages.
  public var messagesLost: Int?
  /// The number of times that clients report a message beyond the number of times that it was sent.
  public var messagesDoubled: Int?
  /// The number of messages that clients report after a later one.
  public var messagesOutOfOrder: Int?
  /// The number of messages that clients report more than a second after their sending.
  public var messagesLate: Int?
  /// The number of calls with a request that is not on the cassette.
  public var notOnCassette: Int
  /// The faults that fired, with their numbers, ordered by name.
  public var faults: [Fired]
  /// The faults that were decided but not applied, ordered by name.
  public var unappliedFaults: [UnappliedFault]
  /// The endings of calls, by the fault that the calls met.
  public var endings: [Surfaced]
  /// The share of the scenario's faults that fired at all; `nil` if its faults are unknown.
  public var faultCoverage: Double?

  /// Whether the average number of retries uses the client's own reports.
  var hasOwnWord: Bool { averageRetries != nil && callsByOwnWord > 0 }

  /// The median latency of all calls, including failed calls.
  public var p50: Duration? { latency.p50?.value }
  /// The 90th percentile of the latency.
  public var p90: Duration? { latency.p90?.value }
  /// The 95th percentile of the latency.
  public var p95: Duration? { latency.p95?.value }
  /// The 99th percentile of the latency.
  public var p99: Duration? { latency.p99?.value }
  /// The maximum latency of the calls.
  public var max: Duration? { latency.max }

  /// A percentile by nearest rank, with its 95 % confidence interval. A bound that requires more
  /// calls is `nil`.
  public struct Quantile: Sendable, Hashable {
    /// The value of the percentile. It is an observed value if all values are stored exactly.
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
    /// Whether every percentile is an observed latency. Otherwise it is within 0.1 % of one.
    public var isExact: Bool
    /// The median latency of the calls.
    public var p50: Quantile?
    /// The 90th percentile of the latency.
    public var p90: Quantile?
    /// The 95th percentile of the latency.
    public var p95: Quantile?
    /// The 99th percentile of the latency.
    public var p99: Quantile?
    /// The maximum latency of the calls.
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
    /// The name of the stage: `dns`, `connect`, `tls`, `upload`, `firstByte` or `body`. For
    /// external programs, the first stage is `startUp`, which is not part of any latency.
    public var stage: String
    /// The number of attempts in which the stage was observed. For `startUp`, the number of calls.
    public var attempts: Int
    /// The median duration; `nil` if the stage was never observed.
    public var p50: Duration?
    /// The 95th percentile of the duration.
    public var p95: Duration?
    /// The maximum duration of the stage.
    public var max: Duration?

    init(_ stage: String, _ distribution: Distribution) {
      let sorted = distribution.sorted
      (self.stage, attempts) = (stage, sorted.count)
      (p50, p95) = (sorted.percentile(0.5), sorted.percentile(0.95))
      max = sorted.percentile(1)
    }

    /// The name of the stage for readers.
    var words: String {
      switch stage {
      case "startUp": "starting the program (not part of the latency)"
      case "dns": "name lookup"
      case "connect": "connecting"
      case "tls": "TLS handshake"
      case "upload": "request"
      case "firstByte": "until the first byte"
      default: "body"
      }
    }
  }

  /// The waits of all calls before their retry with one ordinal, such as the first.
  public struct Backoff: Sendable, Hashable {
    /// The number of the retry, counted from 1.
    public var retry: Int
    /// The number of waits that were observed.
    public var count: Int
    /// The minimum of the waits.
    public var min: Duration
    /// The median of the waits.
    public var median: Duration
    /// The maximum of the waits.
    public var max: Duration
    /// The standard deviation divided by the mean. It is near zero if there is no jitter.
    public var variation: Double?
  }

  /// A fault and the number of times that it fired.
  public struct Fired: Sendable, Hashable {
    /// The name of the fault.
    public var fault: String
    /// The number of attempts in which the fault fired.
    public var attempts: Int
    /// The number of those attempts that the client noticed, because a retry or a failure followed.
    public var noticed: Int
  }

  /// A fault that was decided but not applied, because the responses did not allow it.
  public struct UnappliedFault: Sendable, Hashable {
    /// The name of the fault.
    public var fault: String
    /// The reason as a clause: `the answer has 4 events`.
    public var reason: String
    /// The number of attempts for which it was decided.
    public var attempts: Int
  }

  /// The number of calls with a certain fault and a certain ending.
  public struct Surfaced: Sendable, Hashable {
    /// The fault's name. `none` if the call met no fault, and `unseen` if its attempts could not be
    /// observed.
    public var fault: String
    /// The ending of the calls: `succeeded`, the error's symptom or status, `crashed`, `hung` or
    /// `given up`.
    public var ending: String
    /// The number of calls. A call with several faults counts once for each.
    public var calls: Int
  }

  /// The maximum number of faults that a sentence names.
  private static let unappliedNamesMax = 3

  /// The faults that were not applied, in one sentence; `nil` if there are none.
  var unappliedFaultsText: String? {
    guard !unappliedFaults.isEmpty else { return nil }
    let named = unappliedFaults.prefix(Self.unappliedNamesMax).map { one in
      "\(one.fault) was not done in \(one.attempts.counted("attempt")), since \(one.reason)"
    }
    let rest = unappliedFaults.count - named.count
    return named.joined(separator: "; ") + (rest > 0 ? "; and \(rest) more" : "")
  }
}
