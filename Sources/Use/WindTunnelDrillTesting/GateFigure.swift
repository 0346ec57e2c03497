public import WindTunnel

/// A metric of a report, of all calls or of some, which a gate compares with a bar.
///
/// ```swift
/// report.require(.successRate >= 0.99, .p95(of: "POST /payments") <= .seconds(3), .hangs == 0)
/// ```
///
/// A metric of type `Duration` has bars such as `.seconds(3)`. All others have numbers; a share has
/// a number from 0 to 1. A bar can be relative to another report, such as `.baseline * 1.10`. A
/// ``GateScope`` selects scenarios: `.p95(in: .run)`. A gate of these values equals the gate that
/// `Gate` parses from its text, such as `p95 <= 3s`.
public struct GateFigure<Value: Sendable>: Sendable {
  let metric: GateMetric
  var endpoint: RequestPattern?
  var scope: GateScope?
  /// Returns a bar in the unit of the metric.
  let bar: @Sendable (Value) -> Gate.Bar

  /// Returns the same metric of the calls to an endpoint, or in a scope.
  public func callAsFunction(
    of endpoint: RequestPattern? = nil,
    in scope: GateScope? = nil
  ) -> Self {
    Self(metric: metric, endpoint: endpoint, scope: scope, bar: bar)
  }
}

/// The scenarios of a run in which a gate is tested: one by its name, a class, or all as a whole.
public struct GateScope: Sendable, ExpressibleByStringLiteral {
  /// All calls of the run together.
  public static let run = GateScope(Gate.run)
  /// Each scenario in which all calls can succeed.
  public static let whereAllCanSucceed = GateScope(Survival.Calls.all.rawValue)
  /// Each scenario in which some calls can succeed.
  public static let whereSomeCanSucceed = GateScope(Survival.Calls.some.rawValue)
  /// Each scenario in which no call can succeed.
  public static let whereNoneCanSucceed = GateScope(Survival.Calls.none.rawValue)

  let prefix: String

  /// Creates the scope of one scenario.
  public init(_ scenario: String) { prefix = scenario }

  /// Creates the scope of one scenario from a literal.
  public init(stringLiteral scenario: String) { self.init(scenario) }
}

/// The same metric in the report of another run, as a bar.
public struct GateBaseline: Sendable {
  /// The metric in the other report, without a factor.
  public static let baseline = GateBaseline(times: 1)

  fileprivate let times: Double
  var bar: Gate.Bar { .baseline(times: times) }

  /// Returns the baseline multiplied by a factor, such as `.baseline * 1.10`.
  public static func * (one: Self, factor: Double) -> Self { Self(times: one.times * factor) }
}

extension GateFigure where Value == Double {
  private init(_ metric: GateMetric) { self.init(metric: metric) { .figure($0) } }

  /// The number of calls.
  public static var calls: Self { Self(.calls) }
  /// The share of the calls that succeeded.
  public static var successRate: Self { Self(.successRate) }
  /// The lower bound of the 95 % interval of `successRate`.
  public static var successRateLower: Self { Self(.successRateLower) }
  /// The upper bound of the 95 % interval of `successRate`.
  public static var successRateUpper: Self { Self(.successRateUpper) }
  /// The share of the calls that succeeded on the first attempt.
  public static var firstTrySuccessRate: Self { Self(.firstTrySuccessRate) }
  /// The share of the calls with a fault that succeeded after a retry.
  public static var recoveredRate: Self { Self(.recoveredRate) }
  /// The average number of retries of a call.
  public static var averageRetries: Self { Self(.averageRetries) }
  /// The 95th percentile of the retries of a call.
  public static var retriesP95: Self { Self(.retriesP95) }
  /// The largest number of retries of a call.
  public static var retriesMax: Self { Self(.retriesMax) }
  /// The number of requests that the server received, divided by the calls.
  public static var amplification: Self { Self(.amplification) }
  /// The `amplification` of the calls that began in the worst second.
  public static var worstSecondAmplification: Self { Self(.worstSecondAmplification) }
  /// The number of retries that the client did not report.
  public static var silentRetries: Self { Self(.silentRetries) }
  /// The number of repeated requests that must not be repeated.
  public static var duplicates: Self { Self(.duplicates) }
  /// The share of the retries that waited as long as `Retry-After` requires.
  public static var retryAfterCompliance: Self { Self(.retryAfterCompliance) }
  /// The number of retries earlier than `Retry-After` allows.
  public static var earlyRetries: Self { Self(.earlyRetries) }
  /// The largest number of retries in a tenth of a second, divided by the average.
  public static var thunderingHerdIndex: Self { Self(.thunderingHerdIndex) }
  /// The number of important calls after which the client had nothing to show.
  public static var blankScreens: Self { Self(.blankScreens) }
  /// The share of the important calls after which the client had nothing to show.
  public static var blankScreenRate: Self { Self(.blankScreenRate) }
  /// The number of important actions that failed.
  public static var failedActions: Self { Self(.failedActions) }
  /// The share of the important actions that failed.
  public static var failedActionRate: Self { Self(.failedActionRate) }
  /// The number of calls that returned an outdated copy.
  public static var staleServed: Self { Self(.staleServed) }
  /// The number of calls that reported success although their body differed from the recorded one.
  public static var silentTruncations: Self { Self(.silentTruncations) }
  /// The number of calls in which the client's process crashed.
  public static var crashes: Self { Self(.crashes) }
  /// The number of calls that did not end.
  public static var hangs: Self { Self(.hangs) }
  /// The number of calls that failed without a fault or a recorded error.
  public static var unexpectedErrors: Self { Self(.unexpectedErrors) }
  /// The number of calls that were cancelled.
  public static var cancelledCalls: Self { Self(.cancelledCalls) }
  /// The number of attempts after a cancelled call returned.
  public static var attemptsAfterCancel: Self { Self(.attemptsAfterCancel) }
  /// The share of the scenario's faults that fired.
  public static var faultCoverage: Self { Self(.faultCoverage) }
  /// The share of the pairs of endpoint and fault that occurred on a first attempt.
  public static var coverage: Self { Self(.coverage) }
  /// The share of the lost conversations after which the client connected again.
  public static var reconnectedRate: Self { Self(.reconnectedRate) }
  /// The share of the server's pings that the client responded to.
  public static var pingsAnswered: Self { Self(.pingsAnswered) }
  /// The number of messages that the client did not report.
  public static var messagesLost: Self { Self(.messagesLost) }
  /// The number of messages that the client reported more often than they were sent.
  public static var messagesDoubled: Self { Self(.messagesDoubled) }
  /// The number of messages that the client reported after a later one.
  public static var messagesOutOfOrder: Self { Self(.messagesOutOfOrder) }
  /// The number of messages that the client reported more than a second late.
  public static var messagesLate: Self { Self(.messagesLate) }
  /// The `p95`, divided by the baseline's.
  public static var p95Ratio: Self { Self(.p95Ratio) }
  /// The lower bound of the 95 % interval of `p95Ratio`.
  public static var p95RatioLower: Self { Self(.p95RatioLower) }
  /// The upper bound of the 95 % interval of `p95Ratio`.
  public static var p95RatioUpper: Self { Self(.p95RatioUpper) }
  /// The median of the calls' latencies, each divided by its latency in the baseline.
  public static var medianRatio: Self { Self(.medianRatio) }
  /// The lower bound of the 95 % interval of `medianRatio`.
  public static var medianRatioLower: Self { Self(.medianRatioLower) }
  /// The upper bound of the 95 % interval of `medianRatio`.
  public static var medianRatioUpper: Self { Self(.medianRatioUpper) }
  /// The number of calls that succeeded in the baseline and fail now.
  public static var lostCalls: Self { Self(.lostCalls) }
  /// The number of calls that failed in the baseline and succeed now.
  public static var wonCalls: Self { Self(.wonCalls) }
  /// The probability that chance explains the lost calls (McNemar).
  public static var lossProbability: Self { Self(.lossProbability) }
}

extension GateFigure where Value == Duration {
  /// Times are compared in microseconds.
  private init(_ metric: GateMetric) {
    self.init(metric: metric) { .figure(($0.inMilliseconds * 1000).rounded()) }
  }

  /// The median latency of the calls.
  public static var p50: Self { Self(.p50) }
  /// The 90th percentile of the latency.
  public static var p90: Self { Self(.p90) }
  /// The 95th percentile of the latency.
  public static var p95: Self { Self(.p95) }
  /// The 99th percentile of the latency.
  public static var p99: Self { Self(.p99) }
  /// The longest latency of a call.
  public static var max: Self { Self(.max) }
  /// The upper bound of the 95 % interval of `p50`.
  public static var p50Upper: Self { Self(.p50Upper) }
  /// The upper bound of the 95 % interval of `p90`.
  public static var p90Upper: Self { Self(.p90Upper) }
  /// The upper bound of the 95 % interval of `p95`.
  public static var p95Upper: Self { Self(.p95Upper) }
  /// The upper bound of the 95 % interval of `p99`.
  public static var p99Upper: Self { Self(.p99Upper) }
  /// The 95th percentile of the latency of calls that succeeded.
  public static var succeededP95: Self { Self(.succeededP95) }
  /// The 95th percentile of the latency of calls that failed.
  public static var failedP95: Self { Self(.failedP95) }
  /// The 95th percentile of the time from the last fault of a call to its success.
  public static var recoveryP95: Self { Self(.recoveryP95) }
  /// The time from the end of an outage to the first call that succeeds.
  public static var firstRecovery: Self { Self(.firstRecovery) }
  /// The time from the end of an outage to five consecutive calls that succeed.
  public static var steadyRecovery: Self { Self(.steadyRecovery) }
  /// The 95th percentile of the time in which cancelled calls return.
  public static var cancelReturnP95: Self { Self(.cancelReturnP95) }
  /// The 95th percentile of the time from a lost conversation to the next one.
  public static var reconnectP95: Self { Self(.reconnectP95) }
  /// The 95th percentile of the time from a lost conversation to the next request in one.
  public static var resubscribeP95: Self { Self(.resubscribeP95) }
  /// The 95th percentile of the time from a handshake to the server's first message.
  public static var firstEventP95: Self { Self(.firstEventP95) }
  /// The longest time between two messages of the server in a call.
  public static var longestGap: Self { Self(.longestGap) }
}
