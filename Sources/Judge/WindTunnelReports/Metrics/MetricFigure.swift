/// A figure that a gate can ask for, of metrics, and a line about it.
struct MetricFigure {
  /// A value in its unit; `nil` if it was not seen.
  enum Value {
    case count(Int?), ratio(Double?), time(Duration?)
  }

  /// A line about the figure.
  let summary: String
  private let value: ((Metrics) -> Value)?

  /// Creates a figure of a pair of reports, or of the scenario.
  fileprivate init(_ summary: String) { (self.summary, value) = (summary, nil) }

  fileprivate init(_ path: KeyPath<Metrics, Int>, _ summary: String) {
    (self.summary, value) = (summary, { .count($0[keyPath: path]) })
  }

  fileprivate init(_ path: KeyPath<Metrics, Int?>, _ summary: String) {
    (self.summary, value) = (summary, { .count($0[keyPath: path]) })
  }

  fileprivate init(_ path: KeyPath<Metrics, Double?>, _ summary: String) {
    (self.summary, value) = (summary, { .ratio($0[keyPath: path]) })
  }

  fileprivate init(_ path: KeyPath<Metrics, Duration?>, _ summary: String) {
    (self.summary, value) = (summary, { .time($0[keyPath: path]) })
  }

  /// Returns the value as a number, a time in microseconds: latencies are measured in whole ones,
  /// so they compare exactly.
  func number(of metrics: Metrics) -> Double? {
    switch value?(metrics) {
    case .count(let count): count.map { Double($0) }
    case .ratio(let ratio): ratio
    case .time(let time): time.map { Double($0.wholeMicroseconds) }
    case nil: nil
    }
  }

  /// Returns the value as a report has it.
  func json(of metrics: Metrics) -> JSON {
    switch value?(metrics) {
    case .count(let count): .orNull(count)
    case .ratio(let ratio): .share(ratio)
    case .time(let time): .orNull(time)
    case nil: .null
    }
  }
}

extension GateMetric {
  /// A line about the figure.
  package var summary: String { figure.summary }

  /// The figure of metrics that it asks for.
  var figure: MetricFigure {
    switch self {
    case .calls: .init(\.calls, "Calls that were made.")
    case .successRate: .init(\.successRate, "Calls that succeeded, of all.")
    case .successRateLower: .init(\.successRateLower, "Lower end of its 95 % interval (Wilson).")
    case .successRateUpper: .init(\.successRateUpper, "Upper end of its 95 % interval (Wilson).")
    case .firstTrySuccessRate:
      .init(\.firstTrySuccessRate, "Calls that succeeded on the first attempt, of all.")
    case .recoveredRate:
      .init(\.recoveredRate, "Calls that succeeded by trying again, of those that met a fault.")
    case .averageRetries: .init(\.averageRetries, "Attempts beyond the first, a call.")
    case .retriesP95: .init(\.retriesP95, "Retries that 95 % of the calls stay within.")
    case .retriesMax: .init(\.retriesMax, "Most retries of a call.")
    case .amplification: .init(\.amplification, "Requests that the server saw, a call.")
    case .worstSecondAmplification:
      .init(\.worstSecondAmplification, "The same, of the calls that began in the worst second.")
    case .silentRetries:
      .init(\.silentRetries, "Requests that the server saw and the client does not speak of.")
    case .duplicates: .init(\.duplicates, "Requests that came again and must not be repeated.")
    case .retryAfterCompliance:
      .init(\.retryAfterCompliance, "Retries that waited as long as Retry-After says, of all.")
    case .earlyRetries: .init(\.earlyRetries, "Retries that came earlier than Retry-After says.")
    case .thunderingHerdIndex:
      .init(\.thunderingHerdIndex, "Most retries in a tenth of a second over their average.")
    case .p50: .init(\.p50, "Latency that half of the calls stay within, failed ones included.")
    case .p90: .init(\.p90, "Latency that 90 % of the calls stay within.")
    case .p95: .init(\.p95, "Latency that 95 % of the calls stay within.")
    case .p99: .init(\.p99, "Latency that 99 % of the calls stay within.")
    case .max: .init(\.max, "Longest latency.")
    case .p50Upper: .init(\.latency.p50?.upper, "Upper end of the 95 % interval of p50.")
    case .p90Upper: .init(\.latency.p90?.upper, "Upper end of the 95 % interval of p90.")
    case .p95Upper: .init(\.latency.p95?.upper, "Upper end of the 95 % interval of p95.")
    case .p99Upper: .init(\.latency.p99?.upper, "Upper end of the 95 % interval of p99.")
    case .succeededP95:
      .init(\.succeeded.p95?.value, "The same as p95, of the calls that succeeded.")
    case .failedP95:
      .init(\.failed.p95?.value, "The same as p95, of those that failed: how long giving up takes.")
    case .recoveryP95:
      .init(\.recoveryP95, "From the last fault to success, for 95 % of those calls.")
    case .firstRecovery:
      .init(\.firstRecovery, "From the end of an outage to the first call that succeeds.")
    case .steadyRecovery:
      .init(\.steadyRecovery, "From the end of an outage to five calls in a row that succeed.")
    case .cancelReturnP95:
      .init(\.cancelReturnP95, "How long 95 % of the calls that were given up took to return.")
    case .blankScreens:
      .init(\.blankScreens, "GET and HEAD calls of critical endpoints with nothing to show.")
    case .blankScreenRate:
      .init(\.blankScreenRate, "The same, of all GET and HEAD calls of critical endpoints.")
    case .failedActions:
      .init(\.failedActions, "Other calls of critical endpoints that had nothing to show.")
    case .failedActionRate:
      .init(\.failedActionRate, "The same, of all other calls of critical endpoints.")
    case .staleServed: .init(\.staleServed, "Calls that were shown a copy from before.")
    case .silentTruncations:
      .init(\.silentTruncations, "Calls that succeeded with something else than was recorded.")
    case .crashes: .init(\.crashes, "Calls that the client's process died in.")
    case .hangs: .init(\.hangs, "Calls that did not end.")
    case .unexpectedErrors:
      .init(\.unexpectedErrors, "Calls that failed with no fault and no recorded error.")
    case .cancelledCalls: .init(\.cancelledCalls, "Calls that were given up by their caller.")
    case .attemptsAfterCancel:
      .init(\.attemptsAfterCancel, "Attempts of a call that was given up, once it had returned.")
    case .faultCoverage:
      .init(\.faultCoverage, "Faults that fired at all, of those that the scenario has.")
    case .coverage: .init("Endpoint × fault met on the first attempt that can, of all.")
    case .reconnectP95:
      .init(\.reconnectP95, "From the loss of a conversation to the next, for 95 %.")
    case .reconnectedRate:
      .init(\.reconnectedRate, "Lost conversations that were followed by another, of all.")
    case .resubscribeP95:
      .init(\.resubscribeP95, "From there until the client asks for something again, for 95 %.")
    case .firstEventP95:
      .init(\.firstEventP95, "From a handshake to the server's first message, for 95 %.")
    case .longestGap:
      .init(\.longestGap, "Longest time in a call between two messages of the server.")
    case .pingsAnswered:
      .init(\.pingsAnswered, "Pings of the server that the client answered, of all.")
    case .messagesLost:
      .init(\.messagesLost, "Messages of a conversation that its client says nothing of.")
    case .messagesDoubled:
      .init(\.messagesDoubled, "Messages that a client says it has more often than they came.")
    case .messagesOutOfOrder:
      .init(\.messagesOutOfOrder, "Messages that a client says it has behind a later one.")
    case .messagesLate:
      .init(\.messagesLate, "Messages that a client says it has more than a second late.")
    case .p95Ratio: .init("p95 over that of the baseline.")
    case .p95RatioLower: .init("Lower end of its 95 % interval.")
    case .p95RatioUpper: .init("Upper end of its 95 % interval.")
    case .medianRatio: .init("Median of the calls' latencies, each over its own before.")
    case .medianRatioLower: .init("Lower end of its 95 % interval.")
    case .medianRatioUpper: .init("Upper end of its 95 % interval.")
    case .lostCalls: .init("Calls that succeeded in the baseline and fail now.")
    case .wonCalls: .init("Calls that failed in the baseline and succeed now.")
    case .lossProbability: .init("How probable so many lost calls are by chance (McNemar).")
    }
  }
}
