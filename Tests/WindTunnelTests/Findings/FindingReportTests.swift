import TestSupport

@testable import WindTunnelReports

/// Findings in a report: its verdict, its forms, and what is allowed.
@Suite struct FindingReportTests {
  /// A client that asks four times at once, as `rainy` sees it.
  private static func hasty(_ count: Int = 3) -> [Observation] {
    (0..<count).map { number in
      var attempts: [Observation.Attempt] = []
      for place in 0..<4 {
        var attempt = Flights.attempt(
          Flights.unavailable,
          number * 20 + place * 4,
          to: number * 20 + place * 4 + 3,
          call: number,
          take: "withheld 1"
        )
        attempt.status = 503
        attempts.append(attempt)
      }
      var call = Flights.call(
        number,
        .failed("status 503"),
        start: number * 20,
        milliseconds: 16,
        attempts
      )
      call.start = .milliseconds(number * 20)
      return call
    }
  }

  private static let seen = "It tried 4 times and never waited more than 1.0 ms."

  private static func report(allowed: [AllowedRule] = [], calls: Int = 3) -> Report {
    var report = Flights.report(hasty(calls))
    report.scenarios[0].allowed = allowed
    return report
  }

  @Test func `an error fails a drill, and the bar may lie elsewhere`() {
    var report = Self.report()
    expectEqual(report.verdict.line, "FAILED (99): 1 error")
    report.policy.failingFindings = .warning
    expectEqual(report.verdict.line, "FAILED (99): 1 error")
    report.policy.failingFindings = nil
    expectEqual(report.verdict.line, "passed, without gates or rules")
    // A note fails nothing that errors or warnings would.
    var patient = Flights.report(
      (0..<8).map { number in
        var attempt = Flights.attempt(Flights.unavailable, number, to: number, take: "withheld 1")
        attempt.status = 503
        return Flights.call(number, .failed("status 503"), [attempt])
      }
    )
    patient.policy.failingFindings = .warning
    expectEqual(patient.verdict.line, "passed, 1 note")
    expectEqual(patient.verdict.advice, "Ship: no required condition failed.")
    // A warning that fails nothing is named.
    let lost = RuleTests.attempt(0, to: 3, status: nil, error: "connectionLost")
    var words = Flights.call(0, [lost])
    words.printed = "Offline"
    var warned = Flights.report([words])
    warned.scenarios[0].subjects[0].client = .program
    expectEqual(
      warned.verdict.advice,
      "Ship only if the warnings are accepted: success-without-answer."
    )
  }

  @Test func `a test that requires none is told of each, and of nothing that is allowed`() throws {
    #expect(throws: RulesBroken(findings: Self.report().findings)) {
      try Self.report().requireNoFindings()
    }
    let error = RulesBroken(findings: Self.report().findings)
    expectEqual(
      "\(error)",
      """
      1 rule was broken:
        rainy: error no-back-off: \(Self.seen) 3 of 3 calls, first 0
      """
    )
    let allowed = Self.report(allowed: [AllowedRule("no-back-off", because: "it is a probe")])
    try allowed.requireNoFindings()
    expectEqual(allowed.verdict.line, "passed, 1 error")
    #expect(allowed.text().contains("Allowed in rainy: it is a probe"))
    // A fall that is allowed fails nothing either, and its reason is in every form.
    var fallen = Flights.report([Flights.call(0, .hung)])
    expectEqual(fallen.verdict.line, "HUNG (97): 1 call")
    fallen.scenarios[0].allowed = [AllowedRule("hangs", because: "it is a monitor")]
    expectEqual(fallen.verdict.outcome, .passed)
    for text in [fallen.text(), fallen.markdown(), fallen.junit(), fallen.html()] {
      #expect(text.contains("it is a monitor"), "\(text)")
    }
    #expect(throws: Never.self) { try Flights.report([Flights.call()]).requireNoFindings(.note) }
  }

  @Test func `what the baseline has already is known and fails nothing`() throws {
    let known = Self.report().compared(to: Self.report())
    #expect(
      known.findings.map(\.isKnown) == [true] && known.verdict.line == "passed, 1 known error"
    )
    let new = Self.report().compared(to: Flights.report([Flights.call()]))
    #expect(new.findings.map(\.isKnown) == [false] && new.verdict.outcome == .failed)
    // A report that is read back still knows.
    let read = try Report(data: known.data(), source: "r.json")
    #expect(read.findings == known.findings && read == known)
  }

  @Test func `what was a warning in the baseline and is an error now is new`() throws {
    func storm(_ attempts: Int) -> Report {
      Flights.report(
        (0..<20).map { number in
          var call = RuleTests.call(
            number,
            RuleTests.row(waits: Array(repeating: 400, count: attempts - 1))
          )
          (call.start, call.intendedStart) = (.milliseconds(number * 50), nil)
          return call
        }
      )
    }
    func known(_ report: Report, before: Report) throws -> [Bool] {
      let compared = report.compared(to: before)
      let read = try Report(data: compared.data(), source: "r.json")
      expectEqual(read, compared)
      return read.findings.filter { $0.finding.rule == "retry-storm" }.map(\.isKnown)
    }
    try expectEqual(known(storm(6), before: storm(5)), [false])
    try expectEqual(known(storm(5), before: storm(6)), [true])
    try expectEqual(known(storm(6), before: storm(6)), [true])
  }

  @Test func `a rule of several weights is counted once, and each scenario has its own`() throws {
    func flown(_ name: String, _ attempts: Int) -> Report.ScenarioResult {
      let calls = (0..<20).map { number in
        var call = RuleTests.call(
          number,
          RuleTests.row(waits: Array(repeating: 400, count: attempts - 1))
        )
        call.start = .milliseconds(number * 50)
        return call
      }
      return Report.ScenarioResult(name, on: .onTheWire, subjects: [Report.Row("client", calls)])
    }
    var report = Flights.report([])
    report.scenarios = [flown("outage", 5), flown("deluge", 6), flown("flood", 6)]
    let storms = report.findings.filter { $0.finding.rule == "retry-storm" }
    expectEqual(storms.words, "1 error")
    let group = try #require(report.findingGroups.first { $0.first.finding.rule == "retry-storm" })
    expectEqual(
      group.whereWords,
      "In deluge, 20 of 20 calls, as call 0 (GET /home); also in flood (20 of 20 calls), outage "
        + "(20 of 20 calls, a warning there)."
    )
  }

  @Test func `merged parts of a drill have the same rule results as the whole`() throws {
    let whole = Self.report(calls: 40)
    let calls = whole.scenarios[0].subjects[0].observations
    let parts = [0, 1, 2].map { part in
      Report.Part(Flights.report(calls.filter { $0.call % 3 == part }), from: "\(part).json")
    }
    try expectEqual(Report(merging: parts).scenarios[0].rules, whole.scenarios[0].rules)
  }

  @Test func `parts that allow different things are refused`() throws {
    var reports = [0, 1].map { part in
      Flights.report(Self.hasty(2).filter { $0.call == part })
    }
    reports[0].scenarios[0].allowed = [AllowedRule("no-back-off", because: "it is a probe")]
    let parts = reports.enumerated().map { Report.Part($1, from: "\($0).json") }
    let error = #expect(throws: FormatError.self) { try Report(merging: parts) }
    expectEqual(
      error.map { "\($0)" },
      """
      1.json, allow: it is none, but in 0.json it is rainy: no-back-off (it is a probe). Only shards of one \
      drill can be merged; to compare two drills, use --baseline.
      """
    )
  }

  @Test func `the terminal shows the exchange below the table`() {
    let text = Self.report().text()
    let tail = text.split(separator: "\n\n", omittingEmptySubsequences: false).suffix(3)
    expectEqual(
      tail.joined(separator: "\n\n"),
      TestData.text("finding-tail.txt").replacing("{seen}", with: Self.seen)
        .replacing("{rest}", with: "\(FindingRule.all.count - 5)")
    )
    #expect(text.split(separator: "\n").allSatisfy { $0.count <= 80 })
    #expect(Self.report().text(inColour: true).contains("\u{1B}[31merror\u{1B}[0m no-back-off"))
  }

  @Test func `JSON has the findings on top and each rule's standing below`() throws {
    let json = try JSON(parsing: Self.report().data(), source: "r")
    let findings = json["findings"]?.elements ?? []
    let rules = json["scenarios"]?.elements.first?["rules"]?.elements ?? []
    try #require(findings.count == 1 && !rules.isEmpty)
    #expect(findings[0]["rule"] == "no-back-off" && findings[0]["scenario"] == "rainy")
    #expect(findings[0]["seen"] == .text(Self.seen) && findings[0]["severity"] == "error")
    expectEqual(rules.count, FindingRule.all.count)
    let standings = rules.map { ($0["rule"]?.stringValue ?? "", $0["standing"]?.stringValue ?? "") }
    expectEqual(standings.first { $0.0 == "crashes" }?.1, "passed")
    expectEqual(standings.first { $0.0 == "repeats-post" }?.1, "notMet")
    expectEqual(standings.first { $0.0 == "no-back-off" }?.1, "broken")
  }

  @Test func `JUnit fails the case of a rule, and has none for a rule without an occasion`() {
    let text = Self.report().junit()
    #expect(
      text.contains(
        "<testcase name=\"no-back-off\" classname=\"rainy.rules\">\n"
          + "      <failure message=\"\(Self.seen) 3 of 3 calls, as call 0\">"
      )
    )
    #expect(!text.contains("repeats-post"))
    #expect(text.contains("<testcase name=\"crashes\" classname=\"rainy.rules\"/>"))
    let allowed = Self.report(allowed: [AllowedRule("no-back-off", because: "a probe")]).junit()
    #expect(!allowed.contains("<failure"))
  }

  @Test func `page and summary begin with the verdict and the findings`() throws {
    let page = Self.report().html()
    let places = ["<h1>FAILED (99): 1 error</h1>", "id=\"findings\"", "id=\"heat\""]
      .compactMap { page.range(of: $0)?.lowerBound }
    #expect(places.count == 3 && places == places.sorted())
    #expect(page.contains("<p class=\"seen\">\(Self.seen)</p>"))
    // An attempt of 3 ms, a wait of 1 ms, and another attempt, on an axis of 16 ms.
    #expect(
      page.contains(
        "<li><time>4.0 ms</time><svg viewBox=\"0 0 100 10\" preserveAspectRatio=\"none\" "
          + "aria-hidden=\"true\"><path class=\"axis\" d=\"M0 5H100\"/><rect class=\"wait\" x=\"18.8\" "
          + "y=\"4\" width=\"6.3\" height=\"2\"/><rect class=\"ko\" x=\"25.0\" y=\"1\" width=\"18.8\" "
          + "height=\"8\"/></svg><span>GET /home → 503 <small>waited 1.0 ms, took 3.0 ms</small></span></li>"
      )
    )
    #expect(
      page.contains(
        "<p class=\"ship\">Do not ship.</p><h1>FAILED (99): 1 error</h1>\n"
          + "<ul><li>no-back-off: \(Self.seen)</li></ul>"
      )
    )
    let markdown = Self.report().markdown()
    #expect(
      markdown.hasPrefix("## FAILED (99): 1 error\n\n**error** `no-back-off`: It tried 4 times")
    )
  }

  @Test func `a rule that no call met is said to be that`() {
    let counts = Flights.report([Flights.call()]).ruleCounts
    #expect(counts.broken == 0 && counts.kept == 2)
    expectEqual(counts.notMet, FindingRule.all.count - 2)
  }

  @Test func `a scenario says what may be broken, and why`() throws {
    let text = #"{"windtunnelScenario":1,"name":"s","allow":{"hangs":"it is a monitor"}}"#
    let scenario = try Scenario(data: Data(text.utf8), source: "s.json")
    expectEqual(scenario.allowed, [AllowedRule("hangs", because: "it is a monitor")])
    try expectEqual(Scenario(data: scenario.data(), source: "s.json"), scenario)
    for (allow, problem) in [
      (#"{"hangs":""}"#, "s.json, allow.hangs: the reason is missing"),
      (#"{"hangs":5}"#, "s.json, allow.hangs: the reason is missing"),
      (#"["hangs"]"#, "s.json, allow: [\"hangs\"] is not an object of rules and reasons"),
    ] {
      let text = #"{"windtunnelScenario":1,"name":"s","allow":\#(allow)}"#
      let error = #expect(throws: FormatError.self) {
        try Scenario(data: Data(text.utf8), source: "s.json")
      }
      expectEqual(error.map { "\($0)".hasPrefix(problem) }, true, "\(error.map { "\($0)" } ?? "")")
    }
  }

  @Test func `the table in the documentation is that of the program`() throws {
    let file = URL(filePath: #filePath).deletingLastPathComponent()
      .appending(path: "../../../Sources/Judge/WindTunnelFindings/WindTunnelFindings.docc/Rules.md")
    try expectEqual(
      String(contentsOf: file, encoding: .utf8),
      FindingRule.table,
      "Write it anew: swift run windtunnel rules list --markdown > Sources/Judge/WindTunnelFindings/WindTunnelFindings.docc/Rules.md"
    )
  }
}
