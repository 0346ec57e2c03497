/// A value of a figure; a value that was not seen is `nil`.
private protocol FigureValue {
  /// The value as a number, a time in microseconds: latencies are measured in whole ones, so they
  /// compare exactly.
  var number: Double? { get }
  /// The value as a report has it.
  var json: JSON { get }
}

extension Int: FigureValue {
  fileprivate var number: Double? { Double(self) }
  fileprivate var json: JSON { .number(self) }
}

extension Double: FigureValue {
  fileprivate var number: Double? { self }
  fileprivate var json: JSON { .share(self) }
}

extension Duration: FigureValue {
  fileprivate var number: Double? { Double(wholeMicroseconds) }
  fileprivate var json: JSON { .milliseconds(self) }
}

extension Optional: FigureValue where Wrapped: FigureValue {
  fileprivate var number: Double? { self?.number }
  fileprivate var json: JSON { self?.json ?? .null }
}

/// A figure that a gate can ask for, of metrics or of a pair of reports, and a line about it.
struct MetricFigure {
  /// A line about the figure.
  let summary: String
  private let value: (Metrics) -> any FigureValue
  private let pairValue: (BaselineComparison) -> Double?

  /// Creates a figure of a pair of reports, or of the scenario.
  fileprivate init(_ summary: String, _ pairValue: @escaping (BaselineComparison) -> Double?) {
    (self.summary, self.pairValue, value) = (summary, pairValue, { _ in Double?.none })
  }

  fileprivate init(_ path: KeyPath<Metrics, some FigureValue>, _ summary: String) {
    (self.summary, value, pairValue) = (summary, { $0[keyPath: path] }, { _ in nil })
  }

  /// Returns the value as a number, a time in microseconds.
  func number(of metrics: Metrics) -> Double? { value(metrics).number }

  /// Returns the value of a pair of reports.
  func number(of pair: BaselineComparison) -> Double? { pairValue(pair) }

  /// Returns the value as a report has it.
  func json(of metrics: Metrics) -> JSON { value(metrics).json }
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
    case .averageRetries:
      .init(\.averageRetries, "Requests that a call repeats, without redirects.")
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
    case .coverage:
      .init("Endpoint × fault met on the first attempt that can, of all.") { _ in nil }
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
    case .p95Ratio: .init("p95 over that of the baseline.") { $0.p95Ratio?.value }
    case .p95RatioLower: .init("Lower end of its 95 % interval.") { $0.p95Ratio?.lower }
    case .p95RatioUpper: .init("Upper end of its 95 % interval.") { $0.p95Ratio?.upper }
    case .medianRatio:
      .init("Median of the calls' latencies, each over its own before.") { $0.medianRatio?.value }
    case .medianRatioLower: .init("Lower end of its 95 % interval.") { $0.medianRatio?.lower }
    case .medianRatioUpper: .init("Upper end of its 95 % interval.") { $0.medianRatio?.upper }
    case .lostCalls:
      .init("Calls that succeeded in the baseline and fail now.") {
        $0.flips.map { Double($0.lost) }
      }
    case .wonCalls:
      .init("Calls that failed in the baseline and succeed now.") {
        $0.flips.map { Double($0.won) }
      }
    case .lossProbability:
      .init("How probable so many lost calls are by chance (McNemar).") {
        $0.flips?.lossProbability
      }
    }
  }
}

// The figures as a report's text has them.
extension Metrics {
  /// The figures that every report of version 1 has.
  private static let first: [GateMetric] = [
    .calls, .successRate, .successRateLower, .firstTrySuccessRate, .averageRetries, .p50, .p95,
    .p99, .blankScreenRate, .crashes, .hangs,
  ]

  /// The keys of those figures.
  static let firstKeys = Set(first.map(\.key))

  /// The figures under their keys, in their fixed order.
  var members: [JSON.Member] {
    var members = members(
      of: Self.first + [.p90, .max, .blankScreens, .failedActions, .failedActionRate]
    )
    members += self.members(of: [.successRateUpper, .recoveredRate, .retriesP95, .retriesMax])
    members.add("callsByRetries", callsByRetries.map { .numbers($0) } ?? .null)
    members += self.members(of: [.amplification, .worstSecondAmplification])
    members.add("callsByOwnWord", .number(callsByOwnWord))
    members += self.members(of: [.silentRetries, .duplicates, .retryAfterCompliance, .earlyRetries])
    members.add("backoff", backoff.map { .array($0.map(\.json)) } ?? .null)
    members += self.members(of: [
      .thunderingHerdIndex, .staleServed, .silentTruncations, .unexpectedErrors, .recoveryP95,
      .firstRecovery, .steadyRecovery,
    ])
    members.add("startDelayP99Milliseconds", .orNull(startDelayP99))
    members += self.members(of: [
      .cancelledCalls, .attemptsAfterCancel, .cancelReturnP95, .reconnectP95, .reconnectedRate,
      .resubscribeP95, .firstEventP95, .longestGap, .pingsAnswered, .messagesLost,
      .messagesDoubled, .messagesOutOfOrder, .messagesLate,
    ])
    members.add("notOnCassette", .number(notOnCassette))
    members += self.members(of: [.faultCoverage])
    return members + latencyMembers
  }

  private func members(of metrics: [GateMetric]) -> [JSON.Member] {
    metrics.map { JSON.Member(JSON.Text($0.key), $0.figure.json(of: self)) }
  }

  private var latencyMembers: [JSON.Member] {
    JSON.members([
      "percentiles": .text(latency.isExact ? "exact" : "within 0.1 %"),
      "latencyIntervals": latency.intervals, "succeededLatency": succeeded.json,
      "failedLatency": failed.json,
      "stages": .array(
        stages.map {
          [
            "stage": .text($0.stage), "attempts": .number($0.attempts),
            "p50Milliseconds": .orNull($0.p50), "p95Milliseconds": .orNull($0.p95),
            "maxMilliseconds": .orNull($0.max),
          ]
        }
      ),
      "faults": .array(
        faults.map {
          [
            "fault": .text($0.fault), "attempts": .number($0.attempts),
            "noticed": .number($0.noticed),
          ]
        }
      ),
      "notDone": .array(
        undone.map {
          [
            "fault": .text($0.fault), "reason": .text($0.reason), "attempts": .number($0.attempts),
          ]
        }
      ),
      "endings": .array(
        endings.map {
          ["fault": .text($0.fault), "ending": .text($0.ending), "calls": .number($0.calls)]
        }
      ),
    ])
  }
}

extension Metrics.Latency {
  /// The four percentiles by name.
  private var quantiles: [(name: String, quantile: Metrics.Quantile?)] {
    [("p50", p50), ("p90", p90), ("p95", p95), ("p99", p99)]
  }

  fileprivate var json: JSON {
    let times = quantiles.map { ($0, $1?.value) } + [("max", max)]
    let members = times.map { JSON.Member(JSON.Text("\($0)Milliseconds"), .orNull($1)) }
    return .object([JSON.Member("calls", .number(calls))] + members)
  }

  fileprivate var intervals: JSON {
    let times = quantiles.flatMap { [("\($0)Lower", $1?.lower), ("\($0)Upper", $1?.upper)] }
    return .object(times.map { JSON.Member(JSON.Text("\($0)Milliseconds"), .orNull($1)) })
  }
}

extension Metrics.Backoff {
  fileprivate var json: JSON {
    [
      "retry": .number(retry), "count": .number(count), "minMilliseconds": .orNull(min),
      "medianMilliseconds": .orNull(median), "maxMilliseconds": .orNull(max),
      "variation": .share(variation),
    ]
  }
}

extension JSON {
  static func share(_ value: Double?) -> JSON { value.map { .number($0, places: 6) } ?? .null }
}
