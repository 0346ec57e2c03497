// The figures of a report, as its text has them.

extension Metrics {
  /// What every report of version 1 has.
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
  var quantiles: [(name: String, quantile: Metrics.Quantile?)] {
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
