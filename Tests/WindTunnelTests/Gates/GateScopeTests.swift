import TestSupport

@testable import WindTunnelReports

/// Gates with a prefix: a scenario's name, a class of scenarios or the whole run.
@Suite struct GateScopeTests {
  private static func flown(_ name: String, _ calls: Survival.Calls, _ made: Calls)
    -> Report.ScenarioResult
  {
    var scenario = Scenario(name)
    scenario.survival = Survival(calls, by: "asking", wrong: "failing")
    return Report.ScenarioResult(
      name,
      on: .onTheWire,
      subjects: [Calls.row(made)],
      scenario: scenario
    )
  }

  private static func run(_ scenarios: Report.ScenarioResult...) -> Report {
    Report(seed: 1, decisionHash: "", platformErrors: "current", scenarios: scenarios)
  }

  private static let report = run(
    flown("calm", .all, Calls(good: 20)),
    flown("metro", .some, Calls(good: 15, bad: 5)),
    flown("outage", .none, Calls(bad: 20))
  )

  private static func judged(_ gates: String...) throws -> Report {
    try report.judged(by: gates.map { try Gate($0) })
  }

  @Test(
    arguments: [
      ("server-errors: successRate >= 75 %", "server-errors"), ("all:p95 <= 3s", "all"),
      (" my scenario :\tcalls == 1", "my scenario"), ("a: b: calls == 1", "a: b"),
      ("run: p95(GET /a:b) <= 3s", "run"), ("p95(GET /a:b) <= 3s", nil), ("calls == 1", nil),
    ] as [(String, String?)]
  )
  func `a prefix ends at the last colon before the endpoint`(text: String, prefix: String?) throws {
    let gate = try Gate(text)
    expectEqual(gate.prefix, prefix)
    expectEqual(gate.description, text)
  }

  @Test(arguments: [
    ("calm: sucessRate >= 1", 7, "there is no metric \"sucessRate\". Did you mean successRate?"),
    ("calm: p95", 10, "a comparison is missing. Known: >=, <=, >, <, == and !=."),
    (": calls == 1", 1, "expected a metric. Write for example successRate >= 0.99."),
  ])
  func `an error behind a prefix has its place`(text: String, column: Int, sentence: String) throws
  {
    expectEqual(refusal { try Gate(text) }, "gate \"\(text)\", column \(column): \(sentence)")
    try expectEqual(Gate("calm: successRate >= 75 %").bar, .figure(0.75))
  }

  @Test(arguments: [
    ("calls == 20", ["calm", "metro"]), ("metro: calls == 20", ["metro"]),
    ("outage: calls == 20", ["outage"]), ("all: calls == 20", ["calm"]),
    ("some: calls == 20", ["metro"]), ("none: calls == 20", ["outage"]),
    ("run: calls == 60", ["run"]),
  ])
  func `a prefix says where a gate is held`(gate: String, places: [String]) throws {
    let report = try Self.judged(gate)
    expectEqual(report.judgements.map(\.scenario), places)
    expectEqual(report.judgements.map(\.result.verdict), places.map { _ in .met })
  }

  @Test func `the name of a scenario goes before a class and before the run`() throws {
    let report = Self.run(
      Self.flown("all", .some, Calls(good: 20)),
      Self.flown("run", .all, Calls(good: 20))
    )
    let judged = try report.judged(by: [Gate("all: calls == 20"), Gate("run: calls == 20")])
    expectEqual(judged.judgements.map(\.scenario), ["all", "run"])
    expectEqual(judged.gates, [])
  }

  @Test(arguments: [
    ("metr: calls == 1", #"this run has no scenario "metr"; the nearest name is "metro""#),
    ("harbour: calls == 1", #"this run has no scenario "harbour"; it has calm, metro, outage"#),
    ("run: coverage == 1", "coverage is a metric of one scenario, not of a whole run"),
  ])
  func `a gate that is held nowhere is refused`(text: String, problem: String) {
    let sentence = "gate \"\(text)\", column 1: \(problem)."
    expectEqual(refusal { try Self.judged(text) }, sentence)
    expectEqual(refusal { try Self.report.require(gates(text)) }, sentence)
  }

  @Test func `a gate for scenarios that the run does not have is refused`() throws {
    let calm = Self.run(Self.flown("calm", .all, Calls(good: 20)))
    expectEqual(
      refusal { try calm.judged(by: [Gate("none: calls == 1")]) },
      #"gate "none: calls == 1", column 1: no scenario of this run is in the class "none"."#
    )
    let outage = Self.run(Self.flown("outage", .none, Calls(bad: 20)))
    expectEqual(
      refusal { try outage.judged(by: [Gate("calls == 20")]) },
      "gate \"calls == 20\", column 1: no call can succeed in this run, so a gate without a prefix "
        + "is not checked."
    )
  }

  @Test func `a scenario's own gate has no prefix`() throws {
    expectEqual(
      refusal {
        try Scenario(json: #"{"windtunnelScenario":1,"name":"s","gates":["s: calls == 1"]}"#)
      },
      "s.json, gates[0], column 1: a scenario's own gate cannot have a prefix."
    )
    // It is held where no call can succeed, too.
    let outage = Report.ScenarioResult(
      "outage",
      on: .onTheWire,
      subjects: [Calls.row(Calls(bad: 20))],
      gates: [try Gate("calls == 20")],
      scenario: Self.flown("outage", .none, Calls()).scenario
    )
    expectEqual(Self.run(outage).judgements.map(\.scenario), ["outage"])
  }

  @Test func `a gate over the run has the calls of all scenarios`() throws {
    let report = try Self.judged("run: successRate >= 0.6", "metro: successRate == 1")
    expectEqual(
      report.judgements.map(\.description),
      [
        "metro: successRate == 1: failed, got 0.75 (15 of 20 calls)",
        "run: successRate >= 0.6: failed, got 0.583333 (35 of 60 calls)",
      ]
    )
    let wholeRun = try gates("run: lostCalls == 0", "run: p95 <= baseline")
    try Self.report.require(wholeRun, against: Self.report)
    let compared = try Self.judged("run: p95 <= baseline").compared(to: Self.report)
    expectEqual(compared.gates.map(\.verdict), [.met])
    try expectEqual(Report(data: compared.data(), source: "r.json"), compared)
  }

  @Test func `results over the run come back as they were written, and doctored ones do not`()
    throws
  {
    let report = try Self.judged("run: calls == 60", "run: p95 <= baseline", "calls == 20")
    try expectEqual(Report(data: report.data(), source: "r.json"), report)
    let json = try JSON(parsing: report.data(), source: "r.json")
    guard case .array(let gates)? = json["gates"] else {
      Issue.record("\(json)")
      return
    }
    expectEqual(gates[0], ["gate": "run: calls == 60", "verdict": "met", "got": "60"])
    let text = String(decoding: report.data(), as: UTF8.self)
    let doctored = text.replacing(
      #""gate": "run: calls == 60", "verdict": "met""#,
      with: #""gate": "run: calls == 60", "verdict": "failed""#
    )
    try #require(doctored != text)
    expectEqual(
      refusal { try Report(data: Data(doctored.utf8), source: "r.json") },
      "r.json, gates[0]: the log results in met, got 60."
    )
  }

  @Test func `the gates over the run are judged again of merged parts`() throws {
    let gate = try Gate("run: calls == 40")
    var parts: [Report.Part] = []
    for part in 0..<2 {
      let calls = Flights.drawn(40, seed: 4).filter { $0.call % 2 == part }
      let report = try Flights.report(calls).judged(by: [gate])
      parts.append(Report.Part(report, from: "\(part).json"))
    }
    expectEqual(parts[0].report.gates.map(\.verdict), [.failed])
    try expectEqual(Report(merging: parts).gates.map(\.verdict), [.met])
    parts[1].report.gates = []
    #expect(refusal { try Report(merging: parts) }.hasPrefix("1.json, gates: it is "))
  }
}
