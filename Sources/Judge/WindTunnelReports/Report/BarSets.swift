// The shipped sets of bars, in one table.
extension Bars {
  /// Bars for an app on a phone, where a user waits for each call.
  public static let mobile = set("mobile", 0)
  /// Bars for a service, where another program waits for each call and can fail over.
  public static let service = set("service", 1)
  /// Bars for the best practice, where a user waits for each call.
  public static let strict = set("strict", 2)

  /// The shipped sets, by name.
  public static let shipped = [mobile, service, strict]

  /// A bar with the figures of the sets, in the order of ``shipped``. Times are in seconds.
  private typealias Row = (
    scenarios: Survival.Calls, metric: GateMetric, comparison: Gate.Comparison, figures: [Double],
    source: String
  )

  private static let rows: [Row] = [
    (.all, .successRate, .atLeast, [0.99, 0.999, 1], slo),
    (.all, .averageRetries, .atMost, [2, 0.1, 0.1], retries),
    (.all, .p95, .atMost, [10, 29, 1], waits),
    (.all, .blankScreenRate, .atMost, [0, 0, 0], offlineFirst),
    (.some, .successRate, .atLeast, [0.5, 0.5, 0.75], chance),
    (.some, .averageRetries, .atMost, [2, 2, 1], retries),
    (.some, .p95, .atMost, [10, 29, 3], waits),
    (.some, .blankScreenRate, .atMost, [0, 0.5, 0], offlineFirst),
    (.none, .successRate, .atMost, [0, 0, 0], truth),
    (.none, .averageRetries, .atMost, [2, 2, 1], retries),
    (.none, .p95, .atMost, [10, 29, 3], waits),
    (.none, .blankScreenRate, .atMost, [0, 1, 0], offlineFirst),
  ]

  private static func set(_ name: String, _ place: Int) -> Bars {
    let bars = rows.map { row in
      let scale = row.metric.kind == .time ? 1e6 : 1
      let bar = Gate.Bar.figure(row.figures[place] * scale)
      let gate = Gate(row.metric, of: nil, row.comparison, bar, in: nil)
      return Bar(in: row.scenarios, gate, source: row.source)
    }
    return Bars(name, bars)
  }

  private static let slo =
    "Google, The Site Reliability Workbook, ch. 2: objectives of two or three nines; strict: a "
    + "careful client can complete every call here"
  private static let retries =
    "Google, Site Reliability Engineering, ch. 21: at most three attempts of a request, and "
    + "retries of at most 10 % of a client's requests if no request fails permanently"
  private static let waits =
    "Nielsen, Usability Engineering (1993), ch. 5: 1 s keeps the flow of thought, 10 s the "
    + "attention; Google and SOASTA (2017): half of all visits end after 3 s; AWS API Gateway: 29 s"
  private static let offlineFirst =
    "Android Developers, Build an offline-first app: loaded content stays readable without a "
    + "network; a service may fail if its caller has a copy"
  private static let chance =
    "This project's choice: a user who repeats a failed action once succeeds three times out of "
    + "four (0.5), or 15 of 16 (0.75)"
  private static let truth = "RFC 9110, section 15: a failure is not reported as a success"
}
