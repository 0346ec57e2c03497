/// A metric that a gate can test.
package enum GateMetric: String, Sendable, Hashable, CaseIterable {
  case calls, successRate
  case successRateLower = "successRate.lower"
  case successRateUpper = "successRate.upper"
  case firstTrySuccessRate, recoveredRate, averageRetries, retriesP95, retriesMax
  case amplification, worstSecondAmplification, silentRetries, duplicates
  case retryAfterCompliance, earlyRetries, thunderingHerdIndex
  case p50, p90, p95, p99, max
  case p50Upper = "p50.upper"
  case p90Upper = "p90.upper"
  case p95Upper = "p95.upper"
  case p99Upper = "p99.upper"
  case succeededP95 = "succeeded.p95"
  case failedP95 = "failed.p95"
  case recoveryP95, firstRecovery, steadyRecovery, cancelReturnP95
  case blankScreens, blankScreenRate, failedActions, failedActionRate
  case staleServed, silentTruncations
  case crashes, hangs, unexpectedErrors, cancelledCalls, attemptsAfterCancel, faultCoverage
  case coverage
  // Metrics of conversations.
  case reconnectP95, reconnectedRate, resubscribeP95, firstEventP95, longestGap, pingsAnswered
  case messagesLost, messagesDoubled, messagesOutOfOrder, messagesLate
  // Metrics of a pair of reports.
  case p95Ratio
  case p95RatioLower = "p95Ratio.lower"
  case p95RatioUpper = "p95Ratio.upper"
  case medianRatio
  case medianRatioLower = "medianRatio.lower"
  case medianRatioUpper = "medianRatio.upper"
  case lostCalls, wonCalls, lossProbability

  /// A kind of figure.
  package enum Kind { case share, ratio, count, time }

  package var kind: Kind {
    switch self {
    case .successRate, .successRateLower, .successRateUpper, .firstTrySuccessRate, .recoveredRate,
      .retryAfterCompliance, .blankScreenRate, .failedActionRate, .faultCoverage, .coverage,
      .pingsAnswered, .reconnectedRate, .lossProbability:
      .share
    case .averageRetries, .amplification, .worstSecondAmplification, .thunderingHerdIndex,
      .p95Ratio, .p95RatioLower, .p95RatioUpper, .medianRatio, .medianRatioLower, .medianRatioUpper:
      .ratio
    case .calls, .blankScreens, .failedActions, .crashes, .hangs, .retriesP95, .retriesMax,
      .silentRetries, .duplicates, .earlyRetries, .staleServed, .silentTruncations,
      .unexpectedErrors, .cancelledCalls, .attemptsAfterCancel, .lostCalls, .wonCalls,
      .messagesLost, .messagesDoubled, .messagesOutOfOrder, .messagesLate:
      .count
    case .p50, .p90, .p95, .p99, .max, .p50Upper, .p90Upper, .p95Upper, .p99Upper, .succeededP95,
      .failedP95, .recoveryP95, .firstRecovery, .steadyRecovery, .cancelReturnP95, .reconnectP95,
      .resubscribeP95, .firstEventP95, .longestGap:
      .time
    }
  }

  /// Whether the metric is computed from two reports.
  package var isOfPair: Bool {
    [
      .p95Ratio, .p95RatioLower, .p95RatioUpper, .medianRatio, .medianRatioLower,
      .medianRatioUpper, .lostCalls, .wonCalls, .lossProbability,
    ].contains(self)
  }

  /// The name in a report's JSON. The key of a time contains the unit, so its value needs none.
  package var key: String {
    let words = rawValue.split(separator: ".")
    let name = words.dropFirst().reduce(String(words.first ?? "")) { name, word in
      name + word.prefix(1).uppercased() + word.dropFirst()
    }
    return kind == .time ? "\(name)Milliseconds" : name
  }

  /// Every name that a gate may use.
  static let names =
    allCases.map(\.rawValue) + allCases.map(\.key).filter { Self(rawValue: $0) == nil }

  /// Finds the metric with a name; `nil` if there is none.
  init?(name: String) {
    guard let metric = Self.named[name] else { return nil }
    self = metric
  }

  private static let named = Dictionary(
    allCases.flatMap { [($0.rawValue, $0), ($0.key, $0)] },
    uniquingKeysWith: { first, _ in first }
  )

  /// Returns the power of ten that converts a value in this unit to the metric's own unit; `nil` if
  /// the unit is invalid.
  func power(of unit: String, _ name: String) -> Int? {
    switch (kind, unit) {
    case (.time, "ms"): 3
    case (.time, "s"): 6
    // The JSON key contains the unit.
    case (.time, "") where name == key: 3
    case (.share, "%"): -2
    case (.share, ""), (.ratio, ""), (.count, ""): 0
    default: nil
    }
  }

  /// Returns the text of a value, in a unit of the metric's kind.
  func text(of bar: Gate.Bar) -> String {
    switch bar {
    case .baseline(1): "baseline"
    case .baseline(let times): "baseline*\(JSON.exactly(times))"
    case .figure(let value) where kind != .time: "\(JSON.exactly(value))"
    case .figure(let value) where value.truncatingRemainder(dividingBy: 1e6) == 0:
      "\(JSON.exactly(value / 1e6))s"
    case .figure(let value): "\(JSON.exactly(value / 1e3))ms"
    }
  }

  var nature: String {
    switch kind {
    case .time: "is a time"
    case .share: "is a share"
    case .ratio, .count: "is a number"
    }
  }

  package func example(_ name: String) -> String {
    switch kind {
    case .time: "\(name) <= \(name == key ? "800" : "800ms")"
    case .share where [.blankScreenRate, .failedActionRate].contains(self): "\(name) <= 0.01"
    case .share: "\(name) >= 0.99"
    case .ratio: "\(name) <= 1.5"
    case .count: "\(name) == 0"
    }
  }
}
