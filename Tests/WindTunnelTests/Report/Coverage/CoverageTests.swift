import TestSupport

@testable import WindTunnelReports

@Suite struct CoverageTests {
  /// A scenario whose faults not every endpoint and attempt can meet.
  static let scenario: Scenario = {
    var scenario = Scenario(
      "rainy",
      rules: [
        .always(.first(2), .status(503)),
        .on("GET /home?page=2", .attempt(3), .reset(.afterRequest)),
        .on("POST /payments", .every(2), .stall(.afterRequest)),
      ]
    )
    scenario.critical = ["GET /home"]
    return scenario
  }()

  /// Two calls at two endpoints: the first met a 503 twice and then went on.
  private static let calls = [
    Flights.call(
      0,
      [attempt(Flights.unavailable, 1), attempt(Flights.unavailable, 2), attempt("", 3)]
    ),
    Flights.call(1, endpoint: "POST /payments", [attempt("", 1, "POST /payments")]),
  ]

  private static func attempt(
    _ faults: String,
    _ ordinal: Int,
    _ key: String = "GET /home"
  ) -> Observation.Attempt {
    var attempt = Flights.attempt(faults, key: key)
    attempt.decision = .init(line: "s/0\t\(key)\t\(ordinal)\t[\(faults)]")
    return attempt
  }

  static func report(
    _ calls: [Observation] = calls,
    in scenario: Scenario = scenario,
    on stage: Stage = .onTheWire,
    gates: [Gate] = []
  ) -> Report {
    let facts = [Report.Fact("cassette", "c")]
    return Flights.report(calls, gates: gates, facts: facts, in: scenario, on: stage)
  }

  private func coverage(_ report: Report = report()) -> Coverage? {
    report.scenarios[0].subjects[0].coverage
  }

  @Test func `each endpoint has each fault, by the attempt`() {
    func row(_ endpoint: String, _ fault: String, _ attempts: Coverage.State...) -> Coverage.Row {
      Coverage.Row(endpoint: endpoint, fault: fault, attempts: attempts)
    }
    expectEqual(
      coverage()?.rows,
      [
        row("GET /home", "status 503", .met(1), .met(1), .cannotBeMet, .cannotBeMet),
        row("GET /home", "reset", .cannotBeMet, .cannotBeMet, .notMet, .cannotBeMet),
        row("GET /home", "stall", .cannotBeMet, .cannotBeMet, .cannotBeMet, .cannotBeMet),
        row("POST /payments", "status 503", .notMet, .notMet, .cannotBeMet, .cannotBeMet),
        row("POST /payments", "reset", .cannotBeMet, .cannotBeMet, .cannotBeMet, .cannotBeMet),
        row("POST /payments", "stall", .cannotBeMet, .notMet, .cannotBeMet, .notMet),
      ]
    )
    expectEqual(coverage()?.share, 0.25)
  }

  @Test(arguments: [
    (
      "coverage >= 0.25",
      "met, got 0.25 (1 of 4, not met: reset at GET /home, status 503 at "
        + "POST /payments, stall at POST /payments)"
    ),
    ("coverage(GET /home) == 1", "failed, got 0.5 (1 of 2, not met: reset at GET /home)"),
    (
      "coverage(GET /else) == 1",
      "inconclusive, no call is of GET /else; there are GET /home, POST /payments"
    ),
  ]) func `a gate asks for the share that was met`(gate: String, words: String) throws {
    expectEqual(Self.report(gates: [try Gate(gate)]).judgements.map(\.result.words), [words])
  }

  @Test func `unobserved coverage meets no gate, and a scenario without faults is covered`()
    throws
  {
    let gates = [try Gate("coverage == 1")]
    func words(_ rules: [FaultRule], _ calls: [Observation] = Self.calls) -> [String] {
      Self.report(calls, in: Scenario("rainy", rules: rules), gates: gates).judgements
        .map(\.result.words)
    }
    expectEqual(words([]), ["met, got 1"])
    expectEqual(
      words([.on("GET /else", .always, .stall(.afterRequest))]),
      ["inconclusive, no call could meet a fault of the scenario"]
    )
    var unseen = Self.calls
    (unseen[1].attemptCount, unseen[1].attempts) = (nil, [])
    expectEqual(
      words([.always(.first(2), .status(503))], unseen),
      ["inconclusive, the faults that fired are not known"]
    )
    expectEqual(
      coverage(Self.report(unseen))?.rows.map { $0.attempts[0] },
      [.met(1), .cannotBeMet, .cannotBeMet, .unseen, .cannotBeMet, .cannotBeMet]
    )
    expectEqual(
      Flights.report(Self.calls, gates: gates).judgements.map(\.result.words),
      ["inconclusive, the faults that fired are not known"]
    )
  }

  @Test func `marks, draws and stages leave places out`() {
    func first(_ rule: FaultRule, on stage: Stage = .onTheWire) -> [Coverage.State?] {
      var scenario = Scenario("rainy", rules: [rule])
      scenario.critical = ["GET /home"]
      return coverage(Self.report(in: scenario, on: stage))?.rows.map { $0.attempts[0] } ?? []
    }
    expectEqual(first(.always(.critical, .stall(.afterRequest))), [.notMet, .cannotBeMet])
    expectEqual(first(.always(.uncritical, .stall(.afterRequest))), [.cannotBeMet, .notMet])
    expectEqual(
      first(.always(.probability(0), .stall(.afterRequest))),
      [.cannotBeMet, .cannotBeMet]
    )
    expectEqual(first(.always(.probability(0.01), .stall(.afterRequest))), [.notMet, .notMet])
    expectEqual(
      first(.always(.window(from: .seconds(3)), .stall(.afterRequest))),
      [.notMet, .notMet]
    )
    let malformed = FaultRule.always(.always, .malformed(.chunkedTrailers))
    expectEqual(first(malformed), [.notMet, .notMet])
    expectEqual(first(malformed, on: .inProcess), [.cannotBeMet, .cannotBeMet])
  }

  @Test
  func `a fault met at an unexpected endpoint is covered, and unrecorded requests are ignored`() {
    let met = Flights.call(0, [Self.attempt(#"{"stall":"afterRequest"}"#, 9, "POST /payments")])
    expectEqual(coverage(Self.report([met]))?.rows[2].attempts.last, .met(1))
    var strange = Self.calls
    strange[1].notOnCassette = "POST /payments"
    expectEqual(Set(coverage(Self.report(strange))?.rows.map(\.endpoint) ?? []), ["GET /home"])
  }

  @Test func `the page has a table of all scenarios below the map, and a summary what is missing`()
  {
    var report = Self.report()
    report.scenarios.append(report.scenarios[0])
    let table = CoverageTable(report)
    let cells = table.faults.map { fault in table.endpoints.map { table.cell(fault, $0).words } }
    expectEqual(
      cells,
      [
        ["1st 2 · 2nd 2", "not met in 2 of 2 scenarios"],
        ["not met in 2 of 2 scenarios", "cannot be met here"],
        ["cannot be met here", "not met in 2 of 2 scenarios"],
      ]
    )
    expectEqual(table.words, "2 of 8 met")
    let page = Self.report().html()
    #expect(page.contains("<h2>Coverage: 1 of 4 met</h2>"))
    #expect(page.contains("<td class=\"good\">1st 1 · 2nd 1</td><td class=\"bad\">not met</td>"))
    let places = ["id=\"heat\"", "id=\"coverage\"", "id=\"s0\""]
      .compactMap { page.range(of: $0)?.lowerBound }
    #expect(places.count == 3 && places == places.sorted())
    #expect(
      Self.report().markdown().contains(
        "### Faults that were not all met\n\n- **rainy**: 1 of 4, not met: reset at GET /home, "
      )
    )
  }

  @Test func `JSON has each row, and a report that is read or merged has those of its calls`()
    throws
  {
    let gates = [try Gate("coverage >= 0.25")]
    let report = Self.report(gates: gates)
    let json = try JSON(parsing: report.data(), source: "r")
    let rows = json["coverage"]?.elements ?? []
    expectEqual(rows.count, 6)
    expectEqual(
      rows.first,
      [
        "scenario": "rainy", "endpoint": "GET /home", "fault": "status 503",
        "attempts": ["met", "met", "cannotBeMet", "cannotBeMet"], "met": [1, 1, 0, 0],
      ]
    )
    expectEqual(json["scenarios"]?.elements.first?["coverage"], .number(0.25, places: 6))
    try expectEqual(Report(data: report.data(), source: "r"), report)
    let parts = Self.calls.enumerated().map { place, call in
      Report.Part(Self.report([call], gates: gates), from: "\(place).json")
    }
    try expectEqual(Report(merging: parts).scenarios, report.scenarios)
  }
}
