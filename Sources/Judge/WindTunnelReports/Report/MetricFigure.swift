/// The value of a figure; `nil` if it was not observed.
private protocol FigureValue {
  /// The value as a number. A time is in microseconds, because latencies are measured in whole ones
  /// and compare exactly.
  var number: Double? { get }
  /// The value in a report's JSON.
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

/// A figure that a gate can use, from metrics or from a pair of reports, with a description.
struct MetricFigure {
  /// The description in a line.
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

  /// Returns the value as a number. A time is in microseconds.
  func number(of metrics: Metrics) -> Double? { value(metrics).number }

  /// Returns the value of a pair of reports.
  func number(of pair: BaselineComparison) -> Double? { pairValue(pair) }

  /// Returns the value in a report's JSON.
  func json(of metrics: Metrics) -> JSON { value(metrics).json }
}

extension GateMetric {
  /// The description of the figure in a line.
  package var summary: String { figure.summary }

  /// The definition of the figure.
  var figure: MetricFigure {
    switch self {
    case .calls: .init(\.calls, "All calls.")
    case .successRate: .init(\.successRate, "Share of calls that succeeded.")
    case .successRateLower: .init(\.successRateLower, "Lower end of its 95 % interval (Wilson).")
    case .successRateUpper: .init(\.successRateUpper, "Upper end of its 95 % interval (Wilson).")
    case .firstTrySuccessRate:
      .init(\.firstTrySuccessRate, "Share of calls that succeeded on the first attempt.")
    case .recoveredRate:
      .init(\.recoveredRate, "Share of calls with a fault that succeeded by a retry.")
    case .averageRetries: .init(\.averageRetries, "Repeated requests per call, without redirects.")
    case .retriesP95: .init(\.retriesP95, "Retries per call, 95th percentile.")
    case .retriesMax: .init(\.retriesMax, "Maximum retries of a call.")
    case .amplification: .init(\.amplification, "Requests received by the server per call.")
    case .worstSecondAmplification:
      .init(
        \.worstSecondAmplification,
        "Amplification of the calls that began in the worst second."
      )
    case .silentRetries:
      .init(\.silentRetries, "Requests received by the server but not reported by the client.")
    case .duplicates: .init(\.duplicates, "Repeated requests that must not be repeated.")
    case .retryAfterCompliance:
      .init(
        \.retryAfterCompliance,
        "Share of retries after a Retry-After that waited for its time."
      )
    case .earlyRetries: .init(\.earlyRetries, "Retries before the time in Retry-After.")
    case .thunderingHerdIndex:
      .init(\.thunderingHerdIndex, "Maximum retries in a tenth of a second over their average.")
    case .p50: .init(\.p50, "Median latency, including failed calls.")
    case .p90: .init(\.p90, "Latency, 90th percentile.")
    case .p95: .init(\.p95, "Latency, 95th percentile.")
    case .p99: .init(\.p99, "Latency, 99th percentile.")
    case .max: .init(\.max, "Maximum latency.")
    case .p50Upper: .init(\.latency.p50?.upper, "Upper end of the 95 % interval of p50.")
    case .p90Upper: .init(\.latency.p90?.upper, "Upper end of the 95 % interval of p90.")
    case .p95Upper: .init(\.latency.p95?.upper, "Upper end of the 95 % interval of p95.")
    case .p99Upper: .init(\.latency.p99?.upper, "Upper end of the 95 % interval of p99.")
    case .succeededP95: .init(\.succeeded.p95?.value, "p95 of the calls that succeeded.")
    case .failedP95:
      .init(\.failed.p95?.value, "p95 of the calls that failed: the time until they gave up.")
    case .recoveryP95:
      .init(\.recoveryP95, "Time from a call's last fault to its success, 95th percentile.")
    case .firstRecovery:
      .init(\.firstRecovery, "Time from the end of an outage to the first successful call.")
    case .steadyRecovery:
      .init(\.steadyRecovery, "Time from the end of an outage to five successful calls in a row.")
    case .cancelReturnP95:
      .init(\.cancelReturnP95, "Time from cancellation to return, 95th percentile.")
    case .blankScreens:
      .init(\.blankScreens, "GET and HEAD calls of critical endpoints with nothing to show.")
    case .blankScreenRate:
      .init(\.blankScreenRate, "Share of these GET and HEAD calls with nothing to show.")
    case .failedActions:
      .init(\.failedActions, "Other calls of critical endpoints with nothing to show.")
    case .failedActionRate:
      .init(\.failedActionRate, "Share of these other calls with nothing to show.")
    case .staleServed: .init(\.staleServed, "Calls that showed an earlier copy.")
    case .silentTruncations:
      .init(\.silentTruncations, "Calls that succeeded with a result other than the recording.")
    case .crashes: .init(\.crashes, "Calls in which the client's process crashed.")
    case .hangs: .init(\.hangs, "Calls that did not end.")
    case .unexpectedErrors:
      .init(\.unexpectedErrors, "Calls that failed without a fault or a recorded error.")
    case .cancelledCalls: .init(\.cancelledCalls, "Calls cancelled by their caller.")
    case .attemptsAfterCancel:
      .init(\.attemptsAfterCancel, "Attempts begun more than 250 ms after the cancellation.")
    case .faultCoverage:
      .init(\.faultCoverage, "Share of the scenario's faults that occurred at least once.")
    case .coverage: .init("Share of endpoint × fault pairs met on the first attempt.") { _ in nil }
    case .reconnectP95:
      .init(\.reconnectP95, "Time from a lost conversation to the next, 95th percentile.")
    case .reconnectedRate:
      .init(\.reconnectedRate, "Share of lost conversations followed by another.")
    case .resubscribeP95:
      .init(\.resubscribeP95, "Time from there to the repeated request, 95th percentile.")
    case .firstEventP95:
      .init(
        \.firstEventP95,
        "From a handshake to the server's first message, 95th percentile."
      )
    case .longestGap:
      .init(\.longestGap, "Maximum time in a call between two messages of the server.")
    case .pingsAnswered:
      .init(\.pingsAnswered, "Share of the server's pings that the client answered.")
    case .messagesLost:
      .init(\.messagesLost, "Messages of a conversation that the client does not report.")
    case .messagesDoubled:
      .init(\.messagesDoubled, "Messages that the client reports more often than they arrived.")
    case .messagesOutOfOrder:
      .init(\.messagesOutOfOrder, "Messages that the client reports after a later message.")
    case .messagesLate:
      .init(\.messagesLate, "Messages that the client reports more than a second late.")
    case .p95Ratio: .init("p95 divided by the baseline's.") { $0.p95Ratio?.value }
    case .p95RatioLower: .init("Lower end of its 95 % interval.") { $0.p95Ratio?.lower }
    case .p95RatioUpper: .init("Upper end of its 95 % interval.") { $0.p95Ratio?.upper }
    case .medianRatio:
      .init("Median ratio of each call's latency to the baseline's.") { $0.medianRatio?.value }
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
      .init("Probability of this many lost calls by chance (McNemar).") {
        $0.flips?.lossProbability
      }
    }
  }
}

// The figures in a report's JSON.
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
        unappliedFaults.map {
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
