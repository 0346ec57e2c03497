import TestSupport

@testable import WindTunnelReports

/// The map of success by scenario and endpoint.
@Suite struct HeatMapTests {
  private static func metrics(good: Int, bad: Int) -> Metrics {
    Metrics(
      (0..<(good + bad)).map { number in
        Flights.call(number, number < good ? .succeeded : .failed("offline"))
      }
    )
  }

  @Test(
    arguments: [
      (.none, 0, 4, 4), (.none, 1, 99, 0), (.none, 4, 0, 0),
      (.some, 0, 4, 0), (.some, 1, 99, 4), (.some, 4, 0, 4),
      (.all, 4, 0, 4), (.all, 19, 1, 3), (.all, 4, 1, 2), (.all, 1, 1, 1), (.all, 1, 2, 0),
      (.all, 0, 4, 0), (.none, 0, 0, nil), (.some, 0, 0, nil), (.all, 0, 0, nil),
    ] as [(Survival.Calls, Int, Int, Int?)]
  )
  func `a rate is compared with the share of calls that can succeed`(
    expected: Survival.Calls,
    good: Int,
    bad: Int,
    level: Int?
  ) {
    let cell = HeatCell(metrics: Self.metrics(good: good, bad: bad), expected: expected)
    expectEqual(cell.level, level)
  }

  @Test func `a right zero, a wrong zero and no measurement are three different cells`() {
    let failed = Self.metrics(good: 0, bad: 4)
    let right = HeatCell(metrics: failed, expected: .none)
    expectEqual(
      right.html("GET /<a>", linkingTo: 3),
      #"<td class="h4" data-name="GET /&lt;a&gt;" title="0.0 % succeeded, expected: none, 4 calls, "#
        + ##"P95 10.0 ms"><a href="#s3">✓ 0.0 % <small>10.0 ms</small></a></td>"##
    )
    let wrong = HeatCell(metrics: failed, expected: .some)
    expectEqual(
      wrong.html("all", linkingTo: 0),
      #"<td class="h0" data-name="all" title="0.0 % succeeded, expected: some, 4 calls, "#
        + ##"P95 10.0 ms"><a href="#s0">✗ 0.0 % <small>10.0 ms</small></a></td>"##
    )
    var strange = Flights.call()
    strange.notOnCassette = "GET /b"
    let unmeasured: [(Metrics?, String)] = [(nil, "0 calls"), (Metrics([strange]), "1 call")]
    for (metrics, count) in unmeasured {
      expectEqual(
        HeatCell(metrics: metrics).html("all", linkingTo: 0),
        "<td class=\"hx\" data-name=\"all\" title=\"Not measured: \(count)\">–</td>"
      )
    }
  }

  @Test func `an endpoint with an error is red at any rate`() {
    let calls = (0..<3).map { Flights.call($0) } + [Flights.call(3, .crashed, [])]
    let row = Report.Row("client", calls)
    let flown = Report.ScenarioResult("rainy", on: .onTheWire, subjects: [row])
    expectEqual(
      flown.heatCells(at: ["GET /home"]).map { $0.html("x", linkingTo: 0) },
      Array(
        repeating:
          #"<td class="h0" data-name="x" title="75.0 % succeeded, expected: all, 4 calls, "#
          + ##"P95 10.0 ms, a rule is broken here"><a href="#s0">✗ 75.0 % "##
          + "<small>10.0 ms</small></a></td>",
        count: 2
      )
    )
  }

  /// A call that met a fault and failed.
  private static let failed = Flights.call(
    0,
    .failed("status 503"),
    [Flights.attempt(Flights.unavailable)]
  )
  /// A call at another endpoint, whose attempt met no fault.
  private static let spared = Flights.call(
    1,
    endpoint: "GET /a",
    [Flights.attempt(call: 1, key: "GET /a")]
  )

  /// Returns the cells of all calls, of `GET /home` with faults, of `GET /a`, and of `GET /b` without
  /// calls.
  private static func cells(
    _ calls: [Observation] = [failed, spared],
    expecting share: Survival.Calls?,
    change: (inout Scenario) -> Void = { _ in }
  ) -> [HeatCell] {
    var scenario = Scenario("rainy", rules: [.on("GET /home", .always, .status(503))])
    scenario.survival = share.map { Survival($0, by: "retries", wrong: "an error") }
    change(&scenario)
    let row = Report.Row("client", calls, plannedFaults: scenario.faultNames)
    return Report.ScenarioResult("rainy", on: .onTheWire, subjects: [row], scenario: scenario)
      .heatCells(at: ["GET /home", "GET /a", "GET /b"])
  }

  private static func levels(
    _ calls: [Observation] = [failed, spared],
    expecting share: Survival.Calls?,
    change: (inout Scenario) -> Void = { _ in }
  ) -> [Int?] {
    cells(calls, expecting: share, change: change).map(\.level)
  }

  @Test func `calls that met no fault are expected to succeed`() {
    let cells = Self.cells(expecting: Survival.Calls.none)
    expectEqual(cells.map(\.level), [4, 4, 4, nil])
    expectEqual(cells.map(\.expected).dropFirst(), [.none, .all, .all])
    #expect(cells[0].html("all", linkingTo: 0).contains("expected: differs by endpoint, 2 calls"))
    // Of cells with different expectations the worst one counts.
    expectEqual(Self.levels(expecting: Survival.Calls.some), [0, 0, 4, nil])
    expectEqual(Self.levels(expecting: nil), [0, 0, 4, nil])
    expectEqual(Self.levels([Self.spared], expecting: nil) { $0.rules = [] }, [4, nil, 4, nil])
  }

  @Test func `where faults affect other calls, the scenario's expectation holds for all of them`() {
    let link = Link(up: .init(lossProbability: 0.5), down: .init(lossProbability: 0.5))
    let none = Survival.Calls.none
    expectEqual(Self.levels(expecting: none) { $0.link = link }, [0, 4, 0, nil])
    expectEqual(Self.levels(expecting: none) { $0.wantsKeptConnections = true }, [0, 4, 0, nil])
    // It failed without a request, for instance because earlier calls met an outage.
    let broken = Flights.call(1, .failed("offline"), endpoint: "GET /a", [])
    expectEqual(Self.levels([Self.failed, broken], expecting: none), [4, 4, 4, nil])
  }

  @Test func `the map has a legend, a column for each endpoint and a hint for narrow pages`() {
    func cell(_ name: String) -> String {
      HeatCell(metrics: Self.metrics(good: 1, bad: 0)).html(name, linkingTo: 0)
    }
    expectEqual(
      Flights.report([Flights.call()]).heatMap,
      TestData.text("heat-map.html").replacing("{cells}", with: cell("all") + cell("GET /home"))
    )
  }

  @Test(arguments: [(40, 41, false), (41, 41, true)])
  func `a map has at most forty endpoints, and tells of the others`(
    endpoints: Int,
    columns: Int,
    hasMore: Bool
  ) {
    let calls = (0..<endpoints).map { Flights.call($0, endpoint: "GET /\($0)") }
    let map = Flights.report(calls).heatMap
    expectEqual(map.split(separator: "data-name=").count - 1, columns)
    let more = "<p class=\"dim\">Endpoints missing on the map: 1.</p>"
    expectEqual(map.contains(more), hasMore)
  }
}
