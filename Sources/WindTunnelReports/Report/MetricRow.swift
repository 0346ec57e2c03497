/// A figure that a gate can ask for, as a list tells it.
package struct MetricRow: Sendable, Hashable {
  /// As a gate writes it.
  package let name: String
  /// Its name in a report's JSON.
  package let key: String
  /// `time`, `share`, `count` or `ratio`.
  package let nature: String
  /// A gate with it.
  package let example: String
  /// Tells whether there has to be an earlier report.
  package let needsBaseline: Bool
  /// A line about it.
  package let summary: String

  /// All figures that a gate can ask for.
  package static let all = GateMetric.allCases.map { metric in
    MetricRow(
      name: metric.rawValue,
      key: metric.key,
      nature: metric.kind.word,
      example: metric.example(metric.rawValue),
      needsBaseline: metric.isOfPair,
      summary: metric.summary
    )
  }
}

extension GateMetric.Kind {
  /// As wide as the others, so that a column is one.
  fileprivate var word: String {
    switch self {
    case .share: "share"
    case .ratio: "ratio"
    case .count: "count"
    case .time: "time"
    }
  }
}

extension GateMetric {
  /// A line about the figure.
  fileprivate var summary: String {
    switch self {
    case .calls: "Calls that were made."
    case .successRate: "Calls that succeeded, of all."
    case .successRateLower: "Lower end of its 95 % interval (Wilson)."
    case .successRateUpper: "Upper end of its 95 % interval (Wilson)."
    case .firstTrySuccessRate: "Calls that succeeded on the first attempt, of all."
    case .recoveredRate: "Calls that succeeded by trying again, of those that met a fault."
    case .averageRetries: "Attempts beyond the first, a call."
    case .retriesP95: "Retries that 95 % of the calls stay within."
    case .retriesMax: "Most retries of a call."
    case .amplification: "Requests that the server saw, a call."
    case .worstSecondAmplification: "The same, of the calls that began in the worst second."
    case .silentRetries: "Requests that the server saw and the client does not speak of."
    case .duplicates: "Requests that came again and must not be repeated."
    case .retryAfterCompliance: "Retries that waited as long as Retry-After says, of all."
    case .earlyRetries: "Retries that came earlier than Retry-After says."
    case .thunderingHerdIndex: "Most retries in a tenth of a second over their average."
    case .p50: "Latency that half of the calls stay within, failed ones included."
    case .p90: "Latency that 90 % of the calls stay within."
    case .p95: "Latency that 95 % of the calls stay within."
    case .p99: "Latency that 99 % of the calls stay within."
    case .max: "Longest latency."
    case .p50Upper: "Upper end of the 95 % interval of p50."
    case .p90Upper: "Upper end of the 95 % interval of p90."
    case .p95Upper: "Upper end of the 95 % interval of p95."
    case .p99Upper: "Upper end of the 95 % interval of p99."
    case .succeededP95: "The same as p95, of the calls that succeeded."
    case .failedP95: "The same as p95, of those that failed: how long giving up takes."
    case .recoveryP95: "From the last fault to success, for 95 % of those calls."
    case .firstRecovery: "From the end of an outage to the first call that succeeds."
    case .steadyRecovery: "From the end of an outage to five calls in a row that succeed."
    case .cancelReturnP95: "How long 95 % of the calls that were given up took to return."
    case .blankPages: "Calls of critical endpoints that had nothing to show."
    case .blankPageRate: "The same, of all calls of critical endpoints."
    case .staleServed: "Calls that were shown a copy from before."
    case .silentTruncations: "Calls that succeeded with something else than was recorded."
    case .crashes: "Calls that the client's process died in."
    case .hangs: "Calls that did not end."
    case .unexpectedErrors: "Calls that failed with no fault and no recorded error."
    case .cancelledCalls: "Calls that were given up by their caller."
    case .attemptsAfterCancel: "Attempts of a call that was given up, once it had returned."
    case .faultCoverage: "Faults that fired at all, of those that the scenario has."
    case .coverage: "Endpoint × fault met on the first attempt that can, of all."
    case .reconnectP95: "From the loss of a conversation to the next, for 95 %."
    case .reconnectedRate: "Lost conversations that were followed by another, of all."
    case .resubscribeP95: "From there until the client asks for something again, for 95 %."
    case .firstEventP95: "From a handshake to the server's first message, for 95 %."
    case .longestGap: "Longest time in a call between two messages of the server."
    case .pingsAnswered: "Pings of the server that the client answered, of all."
    case .messagesLost: "Messages of a conversation that its client says nothing of."
    case .messagesDoubled: "Messages that a client says it has more often than they came."
    case .messagesOutOfOrder: "Messages that a client says it has behind a later one."
    case .messagesLate: "Messages that a client says it has more than a second late."
    case .p95Ratio: "p95 over that of the baseline."
    case .p95RatioLower: "Lower end of its 95 % interval."
    case .p95RatioUpper: "Upper end of its 95 % interval."
    case .medianRatio: "Median of the calls' latencies, each over its own before."
    case .medianRatioLower: "Lower end of its 95 % interval."
    case .medianRatioUpper: "Upper end of its 95 % interval."
    case .lostCalls: "Calls that succeeded in the baseline and fail now."
    case .wonCalls: "Calls that failed in the baseline and succeed now."
    case .lossProbability: "How probable so many lost calls are by chance (McNemar)."
    }
  }
}
