// The figures of a report, as its text has them.

extension Metrics {
  /// What the first reports of version 1 do not have, and what is derived from their log all the same.
  static let laterKeys: Set<String> = [
    "endpoints", "p90Milliseconds", "maxMilliseconds", "blankPages",
  ]

  /// The figures under their keys, in their fixed order.
  var members: [JSON.Member] {
    func share(_ value: Double?) -> JSON { value.map { .number($0, places: 6) } ?? .null }
    func time(_ value: Duration?) -> JSON {
      value.map { .number($0.inMilliseconds, places: 3) } ?? .null
    }
    return [
      JSON.Member("calls", .number(calls)),
      JSON.Member("successRate", share(successRate)),
      JSON.Member("successRateLower", share(successRateLower)),
      JSON.Member("firstTrySuccessRate", share(firstTrySuccessRate)),
      JSON.Member("averageRetries", share(averageRetries)),
      JSON.Member("p50Milliseconds", time(p50)),
      JSON.Member("p95Milliseconds", time(p95)),
      JSON.Member("p99Milliseconds", time(p99)),
      JSON.Member("blankPageRate", share(blankPageRate)),
      JSON.Member("crashes", .number(crashes)),
      JSON.Member("hangs", .number(hangs)),
      JSON.Member("p90Milliseconds", time(p90)),
      JSON.Member("maxMilliseconds", time(max)),
      JSON.Member("blankPages", blankPages.map { .number($0) } ?? .null),
    ]
  }
}
