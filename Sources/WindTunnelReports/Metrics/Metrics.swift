/// The figures of one subject in one scenario: a fold over observations.
///
/// What cannot be seen is `nil`, never zero. A call that its caller gave up is counted as one and as
/// cancelled; it is no success, no failure, and in no latency. One that asked for what is not on the
/// cassette is counted as that, and is in no other figure.
public struct Metrics: Sendable, Hashable {
  /// How many calls were made.
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
  /// How many calls of critical endpoints had nothing to show; `nil` where none is critical.
  public var blankPages: Int?
  /// How many calls the client's process died in.
  public var crashes: Int
  /// How many calls did not end.
  public var hangs: Int
  /// The retries that 95 % of the calls stay within.
  public var retriesP95: Int?
  /// The most retries of a call.
  public var retriesMax: Int?
  /// How many calls made no retry, one, two and so on; the hundredth is all that made more.
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
  /// How many retries came earlier than they were asked to.
  public var earlyRetries: Int?
  /// The waits before the first retry, the second and so on; the eighth is all that follow.
  public var backoff: [Backoff]?
  /// The most retries in a tenth of a second over the average of those between the first and the last.
  public var thunderingHerdIndex: Double?
  /// How many calls were shown a copy from before; `nil` where the client never said.
  public var staleServed: Int?
  /// How many calls succeeded with something else than was recorded, such as a part of it; `nil` where
  /// no body was compared.
  public var silentTruncations: Int?
  /// How many calls failed that met no fault.
  public var unexpectedErrors: Int?
  /// How long a call takes to succeed from the beginning of the last attempt that met a fault, for 95 %
  /// of those that do.
  public var recoveryP95: Duration?
  /// How long after the last end of the scenario's time windows the first call succeeded; `nil` where it
  /// has none, or where nothing did.
  public var firstRecovery: Duration?
  /// The same until five calls in a row had succeeded, in the order of their ends.
  public var steadyRecovery: Duration?
  /// How long the parts of attempts took, in the order in which they happen.
  public var stages: [StageLatency]
  /// How much later than they were to 99 % of the calls began: the machine's delay, which is in every
  /// latency; `nil` in a closed loop, where nothing is late.
  public var startDelayP99: Duration?
  /// How many calls were given up by their caller.
  public var cancelledCalls: Int
  /// How many attempts began after a call that was given up had returned.
  public var attemptsAfterCancel: Int?
  /// How long 95 % of the calls that were given up took to return.
  public var cancelReturnP95: Duration?
  /// The number of calls that asked for what is not on the cassette.
  public var notOnCassette: Int
  /// How often each fault fired, in the order of their names.
  public var faults: [Fired]
  /// How calls ended by the fault that they met.
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
  /// The longest latency.
  public var max: Duration? { latency.max }

}

extension Metrics {
  /// A percentile, by nearest rank, and where it lies with 95 % confidence; an end that so few calls
  /// cannot have is `nil`.
  public struct Quantile: Sendable, Hashable {
    /// The value: one that was observed, where all of them are kept.
    public var value: Duration
    /// The lower end of the interval.
    public var lower: Duration?
    /// The upper end of the interval.
    public var upper: Duration?
  }

  /// How long calls took, from their intended start.
  public struct Latency: Sendable, Hashable {
    /// How many calls it is of.
    public var calls: Int
    /// Whether every percentile is a latency that was observed; else it is within 0.1 % of one.
    public var isExact: Bool
    /// The latency that half of them stay within.
    public var p50: Quantile?
    /// The latency that 90 % of them stay within.
    public var p90: Quantile?
    /// The latency that 95 % of them stay within.
    public var p95: Quantile?
    /// The latency that 99 % of them stay within.
    public var p99: Quantile?
    /// The longest.
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

  /// The waits before the retries of one number.
  public struct Backoff: Sendable, Hashable {
    /// Which retry: 1 is the first.
    public var retry: Int
    /// How many waits were seen.
    public var count: Int
    /// The shortest.
    public var min: Duration
    /// The one that half of them stay within.
    public var median: Duration
    /// The longest.
    public var max: Duration
    /// The standard deviation over the mean: near nothing where there is no jitter.
    public var variation: Double?
  }

  /// A fault and how often it fired.
  public struct Fired: Sendable, Hashable {
    /// Its name.
    public var fault: String
    /// In how many attempts it fired.
    public var attempts: Int
    /// In how many of them the client noticed: another attempt followed, or a failure.
    public var noticed: Int
  }

  /// How many calls that met a fault ended in a way.
  public struct Surfaced: Sendable, Hashable {
    /// The fault's name; `none` where the call met nothing, `unseen` where its attempts could not be seen.
    public var fault: String
    /// `succeeded`, the error's symptom or status, `crashed`, `hung` or `given up`.
    public var ending: String
    /// How many calls; one that met several faults counts once with each.
    public var calls: Int
  }
}
