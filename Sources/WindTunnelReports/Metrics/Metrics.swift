/// The figures of one subject in one scenario: a fold over observations.
///
/// What cannot be seen is `nil`, never zero. A call that its caller gave up is counted as one and
/// as cancelled; it is no success, no failure, and in no latency. One that asked for what is not on
/// the cassette is counted as that, and is in no other figure.
public struct Metrics: Sendable, Hashable {
  /// The number of calls that were made.
  public var calls: Int
  /// The share of calls that succeeded.
  public var successRate: Double?
  /// The lower bound of its 95 % Wilson interval.
  public var successRateLower: Double?
  /// The upper bound of its 95 % Wilson interval.
  public var successRateUpper: Double?
  /// The share of calls that succeeded on the first attempt.
  public var firstTrySuccessRate: Double?
  /// The share of the calls that met a fault which succeeded by trying again.
  public var recoveredRate: Double?
  /// Attempts beyond the first, a call.
  public var averageRetries: Double?
  /// The latency of all calls that were not given up, failed ones included.
  public var latency: Latency
  /// The latency of the calls that succeeded.
  public var succeeded: Latency
  /// The latency of the calls that did not: how long the client takes to give up.
  public var failed: Latency
  /// The share of calls of critical endpoints that had nothing to show.
  public var blankPageRate: Double?
  /// The number of calls of critical endpoints that had nothing to show; `nil` where none is
  /// critical.
  public var blankPages: Int?
  /// The number of calls that the client's process died in.
  public var crashes: Int
  /// The number of calls that did not end.
  public var hangs: Int
  /// The retries that 95 % of the calls stay within.
  public var retriesP95: Int?
  /// The most retries of a call.
  public var retriesMax: Int?
  /// The numbers of calls that made no retry, one, two and so on; the hundredth is all that made
  /// more.
  public var callsByRetries: [Int]?
  /// Requests that the server saw, a call.
  public var amplification: Double?
  /// The same of the calls that began in the worst second.
  public var worstSecondAmplification: Double?
  /// Requests that the server saw beyond those that the client says it sent.
  public var silentRetries: Int?
  /// Requests that must not be repeated and came again after the first had reached the server.
  public var duplicates: Int?
  /// The share of the retries after a `Retry-After` that waited as long as it says, within 5 ms;
  /// `nil` where none was given.
  public var retryAfterCompliance: Double?
  /// The number of retries that came earlier than they were asked to.
  public var earlyRetries: Int?
  /// The waits before the first retry, the second and so on; the eighth is all that follow.
  public var backoff: [Backoff]?
  /// The most retries in a tenth of a second over the average of those between the first and the
  /// last.
  public var thunderingHerdIndex: Double?
  /// The number of calls that were shown a copy from before; `nil` where the client never said.
  public var staleServed: Int?
  /// The number of calls that succeeded with something else than was recorded, such as a part of
  /// it; `nil` where no body was compared.
  public var silentTruncations: Int?
  /// The number of calls that failed and met no fault, without those whose last answer is a
  /// recorded error (RFC 9110 §15.5 and §15.6).
  public var unexpectedErrors: Int?
  /// The time that a call takes to succeed from the beginning of the last attempt that met a fault,
  /// for 95 % of those that do.
  public var recoveryP95: Duration?
  /// The time from the last end of the scenario's time windows to the first call that succeeded;
  /// `nil` where it has none, or where nothing did.
  public var firstRecovery: Duration?
  /// The same until five calls in a row had succeeded, in the order of their ends.
  public var steadyRecovery: Duration?
  /// The lengths of the parts of attempts, in the order in which they happen.
  public var stages: [StageLatency]
  /// The delay with which 99 % of the calls began at the most: the machine's delay, which is in
  /// every latency; `nil` in a closed loop, where nothing is late.
  public var startDelayP99: Duration?
  /// The number of calls that their caller gave up.
  public var cancelledCalls: Int
  /// The number of attempts that began after a call that was given up had returned.
  public var attemptsAfterCancel: Int?
  /// The time within which 95 % of the calls that were given up returned.
  public var cancelReturnP95: Duration?
  /// The number of calls that asked for what is not on the cassette.
  public var notOnCassette: Int
  /// The faults that fired, with how often, in the order of their names.
  public var faults: [Fired]
  /// The ends of calls by the fault that they met.
  public var endings: [Surfaced]
  /// The share of the faults that the scenario has which fired at all; `nil` where nobody said what
  /// it has.
  public var faultCoverage: Double?

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

  /// A percentile, by nearest rank, and where it lies with 95 % confidence; an end that so few
  /// calls cannot have is `nil`.
  public struct Quantile: Sendable, Hashable {
    /// The value: one that was observed, where all of them are kept.
    public var value: Duration
    /// The lower end of the interval.
    public var lower: Duration?
    /// The upper end of the interval.
    public var upper: Duration?
  }

  /// The latencies of calls, from their intended start.
  public struct Latency: Sendable, Hashable {
    /// The number of calls that it is of.
    public var calls: Int
    /// Tells whether every percentile is a latency that was observed; else it is within 0.1 % of
    /// one.
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

  /// The length of a part of the attempts.
  public struct StageLatency: Sendable, Hashable {
    /// `dns`, `connect`, `tls`, `upload`, `firstByte` or `body`; in front of them, where programs
    /// were flown, `startUp`, which is in no latency.
    public var stage: String
    /// Of how many attempts it was seen; of `startUp` of how many calls.
    public var attempts: Int
    /// The length that half of them stay within; `nil` where it was never seen.
    public var p50: Duration?
    /// The length that 95 % of them stay within.
    public var p95: Duration?
    /// The longest of all.
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

    fileprivate var json: JSON {
      [
        "stage": .text(stage), "attempts": .number(attempts), "p50Milliseconds": .time(p50),
        "p95Milliseconds": .time(p95), "maxMilliseconds": .time(max),
      ]
    }
  }

  /// The waits before the retries of one number.
  public struct Backoff: Sendable, Hashable {
    /// The number of the retry: 1 is the first.
    public var retry: Int
    /// The number of waits that were seen.
    public var count: Int
    /// The shortest of all.
    public var min: Duration
    /// The one that half of them stay within.
    public var median: Duration
    /// The longest of all.
    public var max: Duration
    /// The standard deviation over the mean: near nothing where there is no jitter.
    public var variation: Double?
  }

  /// A fault and how often it fired.
  public struct Fired: Sendable, Hashable {
    /// The name of the fault.
    public var fault: String
    /// In how many attempts it fired.
    public var attempts: Int
    /// In how many of them the client noticed: another attempt followed, or a failure.
    public var noticed: Int
  }

  /// The number of calls that met a fault and ended in one way.
  public struct Surfaced: Sendable, Hashable {
    /// The fault's name; `none` where the call met nothing, `unseen` where its attempts could not
    /// be seen.
    public var fault: String
    /// `succeeded`, the error's symptom or status, `crashed`, `hung` or `given up`.
    public var ending: String
    /// The number of calls; one that met several faults counts once with each.
    public var calls: Int
  }
}

// The figures as a report's text has them.
extension Metrics {
  /// The keys that every report of version 1 has.
  static let firstKeys: Set<String> = [
    "calls", "successRate", "successRateLower", "firstTrySuccessRate", "averageRetries",
    "p50Milliseconds", "p95Milliseconds", "p99Milliseconds", "blankPageRate", "crashes", "hangs",
  ]

  /// The figures under their keys, in their fixed order.
  var members: [JSON.Member] {
    [
      JSON.Member("calls", .number(calls)),
      JSON.Member("successRate", .share(successRate)),
      JSON.Member("successRateLower", .share(successRateLower)),
      JSON.Member("firstTrySuccessRate", .share(firstTrySuccessRate)),
      JSON.Member("averageRetries", .share(averageRetries)),
      JSON.Member("p50Milliseconds", .time(p50)),
      JSON.Member("p95Milliseconds", .time(p95)),
      JSON.Member("p99Milliseconds", .time(p99)),
      JSON.Member("blankPageRate", .share(blankPageRate)),
      JSON.Member("crashes", .number(crashes)),
      JSON.Member("hangs", .number(hangs)),
      JSON.Member("p90Milliseconds", .time(p90)),
      JSON.Member("maxMilliseconds", .time(max)),
      JSON.Member("blankPages", .count(blankPages)),
    ] + laterMembers
  }

  private var laterMembers: [JSON.Member] {
    [
      JSON.Member("successRateUpper", .share(successRateUpper)),
      JSON.Member("recoveredRate", .share(recoveredRate)),
      JSON.Member("retriesP95", .count(retriesP95)),
      JSON.Member("retriesMax", .count(retriesMax)),
      JSON.Member("callsByRetries", callsByRetries.map { .array($0.map { .number($0) }) } ?? .null),
      JSON.Member("amplification", .share(amplification)),
      JSON.Member("worstSecondAmplification", .share(worstSecondAmplification)),
      JSON.Member("silentRetries", .count(silentRetries)),
      JSON.Member("duplicates", .count(duplicates)),
      JSON.Member("retryAfterCompliance", .share(retryAfterCompliance)),
      JSON.Member("earlyRetries", .count(earlyRetries)),
      JSON.Member("backoff", backoff.map { .array($0.map(\.json)) } ?? .null),
      JSON.Member("thunderingHerdIndex", .share(thunderingHerdIndex)),
      JSON.Member("staleServed", .count(staleServed)),
      JSON.Member("silentTruncations", .count(silentTruncations)),
      JSON.Member("unexpectedErrors", .count(unexpectedErrors)),
      JSON.Member("recoveryP95Milliseconds", .time(recoveryP95)),
      JSON.Member("firstRecoveryMilliseconds", .time(firstRecovery)),
      JSON.Member("steadyRecoveryMilliseconds", .time(steadyRecovery)),
      JSON.Member("startDelayP99Milliseconds", .time(startDelayP99)),
      JSON.Member("cancelledCalls", .number(cancelledCalls)),
      JSON.Member("attemptsAfterCancel", .count(attemptsAfterCancel)),
      JSON.Member("cancelReturnP95Milliseconds", .time(cancelReturnP95)),
      JSON.Member("notOnCassette", .number(notOnCassette)),
      JSON.Member("faultCoverage", .share(faultCoverage)),
      JSON.Member("percentiles", .text(latency.isExact ? "exact" : "within 0.1 %")),
      JSON.Member("latencyIntervals", latency.intervals),
      JSON.Member("succeededLatency", succeeded.json),
      JSON.Member("failedLatency", failed.json),
      JSON.Member("stages", .array(stages.map(\.json))),
      JSON.Member("faults", .array(faults.map(\.json))),
      JSON.Member("endings", .array(endings.map(\.json))),
    ]
  }
}

extension Metrics.Latency {
  /// The four percentiles by name.
  private var quantiles: [(name: String, quantile: Metrics.Quantile?)] {
    [("p50", p50), ("p90", p90), ("p95", p95), ("p99", p99)]
  }

  fileprivate var json: JSON {
    let times = quantiles.map { name, quantile in
      JSON.Member(JSON.Text("\(name)Milliseconds"), .time(quantile?.value))
    }
    return .object(
      [JSON.Member("calls", .number(calls))] + times + [JSON.Member("maxMilliseconds", .time(max))]
    )
  }

  fileprivate var intervals: JSON {
    .object(
      quantiles.flatMap { name, quantile in
        [
          JSON.Member(JSON.Text("\(name)LowerMilliseconds"), .time(quantile?.lower)),
          JSON.Member(JSON.Text("\(name)UpperMilliseconds"), .time(quantile?.upper)),
        ]
      }
    )
  }
}

extension Metrics.Backoff {
  fileprivate var json: JSON {
    [
      "retry": .number(retry), "count": .number(count), "minMilliseconds": .time(min),
      "medianMilliseconds": .time(median), "maxMilliseconds": .time(max),
      "variation": .share(variation),
    ]
  }
}

extension Metrics.Fired {
  fileprivate var json: JSON {
    ["fault": .text(fault), "attempts": .number(attempts), "noticed": .number(noticed)]
  }
}

extension Metrics.Surfaced {
  fileprivate var json: JSON {
    ["fault": .text(fault), "ending": .text(ending), "calls": .number(calls)]
  }
}

extension JSON {
  static func share(_ value: Double?) -> JSON { value.map { .number($0, places: 6) } ?? .null }

  static func time(_ value: Duration?) -> JSON {
    value.map { .number($0.inMilliseconds, places: 3) } ?? .null
  }

  static func count(_ value: Int?) -> JSON { value.map { .number($0) } ?? .null }
}
