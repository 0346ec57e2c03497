import TestSupport
import WindTunnelCommandLine

@testable import WindTunnelDrill

/// The verdict has seven forms, and all of them agree for every kind of end.
@Suite struct VerdictFormsTests {
  /// An end of a drill, with the line and the exit code that it has in every form.
  struct End: Sendable, CustomTestStringConvertible {
    var name: String
    var line: String
    var code: Int32
    var report: @Sendable () throws -> Report

    var testDescription: String { name }
  }

  private static func call(
    _ number: Int,
    _ ending: Observation.CallResult = .succeeded,
    attempts: Int = 1,
    strange: Bool = false
  ) -> Observation {
    var call = Observation(
      number,
      "GET /home",
      ending,
      showed: ending == .succeeded,
      latency: .milliseconds(10),
      attempts: attempts
    )
    call.start = .milliseconds(number * 100)
    if strange { call.notOnCassette = "GET /users" }
    return call
  }

  private static func report(
    _ calls: [Observation],
    _ gates: [String] = [],
    survival: Survival.Calls? = nil,
    facts: [Report.Fact] = []
  ) throws -> Report {
    var scenario = Scenario("rain", rules: [.always(.first(1), .status(503))])
    scenario.survival = survival.map { Survival($0, by: "retries", wrong: "none") }
    return Report(
      seed: 1,
      decisionHash: "00",
      platformErrors: "current",
      environment: facts,
      scenarios: [
        Report.ScenarioResult(
          "rain",
          on: .onTheWire,
          subjects: [Report.Row("a", calls)],
          gates: try gates.map { try Gate($0) },
          scenario: scenario
        )
      ]
    )
  }

  /// Calls that try four times without a pause, which is an error.
  private static let hasty = (0..<3).map { number in
    var hasty = call(number, .failed("status 503"), attempts: 4)
    hasty.take(
      (0..<4).map { place in
        attempt(number, number * 100 + place * 4, to: number * 100 + place * 4 + 3)
      }
    )
    return hasty
  }

  /// Calls that try again at once after a 429, by a program that waited for a processor.
  private static let starved = (0..<12).map { number in
    var starved = call(number, attempts: 2)
    var first = attempt(number, number * 100, to: number * 100 + 3, status: 429)
    first.retryAfter = .seconds(9)
    starved.take([first, attempt(number, number * 100 + 5, to: number * 100 + 8, status: 200)])
    starved.processorDelay = .seconds(10)
    return starved
  }

  private static func attempt(
    _ call: Int,
    _ start: Int,
    to end: Int,
    status: Int = 503
  ) -> Observation.Attempt {
    let faults = status == 200 ? "" : #"{"status":\#(status)}"#
    var attempt = Observation.Attempt(
      "rain/\(call)\tGET /home\t1\t[\(faults)]",
      status == 200 ? "recording 1" : "withheld 1"
    )
    (attempt.start, attempt.end) = (.milliseconds(start), .milliseconds(end))
    (attempt.status, attempt.isRepeatable) = (status, true)
    return attempt
  }

  private static let hung = [call(0), call(1, .hung)]

  static let ends: [End] = [
    End(name: "passed", line: "passed", code: 0) { try report([call(0)], ["calls == 1"]) },
    End(name: "a known error", line: "passed, 1 known error (old.json)", code: 0) {
      let calls = hasty
      return try report(calls, facts: [Report.Fact(Report.baselineFile, "old.json")])
        .compared(to: report(calls))
    },
    End(name: "an error", line: "FAILED (99): 1 error", code: 99) { try report(hasty) },
    End(name: "a gate", line: "FAILED (99): 1 of 2 gates not met", code: 99) {
      try report([call(0)], ["calls == 1", "calls == 2"])
    },
    End(name: "a crash", line: "CRASHED (97): 1 call", code: 97) {
      try report([call(0), call(1, .crashed)])
    },
    End(name: "a hang", line: "HUNG (97): 1 call, 1 of 1 gate not met", code: 97) {
      try report(hung, ["hangs == 0"])
    },
    End(name: "a known hang", line: "HUNG (97): 1 call", code: 97) {
      try report(hung).compared(to: report(hung))
    },
    End(
      name: "an inconclusive gate",
      line: "INCONCLUSIVE (98): rain: p95 < 1s: inconclusive, p95 needs 20 calls and has 1 "
        + "(got 10 ms)",
      code: 98
    ) { try report([call(0)], ["p95 < 1s"]) },
    End(
      name: "a request that is not recorded",
      line: "INCONCLUSIVE (98): 1 call had no recording",
      code: 98
    ) { try report([call(0), call(1, .failed("status 404"), strange: true)]) },
    End(
      name: "no call succeeded",
      line: "INCONCLUSIVE (98): no call succeeded, first GET /home: failed: status 503 "
        + "(try --scenario calm)",
      code: 98
    ) { try report([call(0, .failed("status 503"))], ["calls == 1"], survival: .some) },
    End(name: "no call can succeed", line: "passed", code: 0) {
      try report([call(0, .failed("status 503"))], ["calls == 1"], survival: Survival.Calls.none)
    },
    End(
      name: "interrupted",
      line: "INTERRUPTED (130): after 1 of 2 scenarios, with 1 call made",
      code: 130
    ) {
      let words = "after 1 of 2 scenarios, with 1 call made"
      return try report([call(0)], facts: [Report.Fact(Report.interruption, words)])
    },
    End(
      name: "terminated",
      line: "INTERRUPTED (143): after 1 of 2 scenarios, with 1 call made",
      code: 143
    ) {
      let words = "after 1 of 2 scenarios, with 1 call made"
      let facts = [Report.Fact(Report.interruption, words), Report.Fact(Report.signal, "15")]
      return try report([call(0)], facts: facts)
    },
  ]

  private func text(_ report: Report, _ form: ReportRendering) -> String {
    String(decoding: report.rendered(as: form), as: UTF8.self)
  }

  @Test(arguments: ends) func `seven forms say the same`(end: End) throws {
    let report = try end.report()
    expectEqual(report.verdict.line, end.line)
    // Exit code.
    expectEqual(ExitCode(report.verdict).rawValue, end.code)
    // The last line of the terminal.
    expectEqual(report.text().split(separator: "\n").last.map(String.init), end.line)
    // The page.
    let page = text(report, .html)
    #expect(page.contains("<h1>\(end.line.replacing("<", with: "&lt;"))</h1>"))
    let ships = page.contains("<p class=\"ship\">Ship")
    expectEqual(ships, end.code == 0)
    let style =
      switch end.code {
      case 0: report.verdict.knownErrors > 0 ? "known" : "passed"
      case 97: report.verdict.outcome.rawValue
      case 98: "inconclusive"
      case 99: "failed"
      default: "interrupted"
      }
    #expect(page.contains("<header class=\"verdict \(style)\">"))
    // JUnit: a failure is the client's, an error is a run that proves too little.
    let junit = text(report, .junit)
    expectEqual(junit.contains("<failure "), [97, 99].contains(end.code))
    expectEqual(junit.contains("<error "), end.code == 98 || end.code > 99)
    // Markdown.
    let title = try #require(text(report, .markdown).split(separator: "\n").first)
    expectEqual(title.replacing("\\", with: ""), "## \(end.line.replacing("<", with: "&lt;"))")
    // JSON, as it is written and as it is read back.
    let json = try JSON(parsing: report.data(), source: "r.json")
    expectEqual(json["verdict"]?["line"]?.stringValue, end.line)
    expectEqual(json["verdict"]?["exitCode"]?.intValue, Int(end.code))
    try expectEqual(Report(data: report.data(), source: "r.json").verdict, report.verdict)
    // The console.
    expectEqual(report.verdict.consoleRow["title"]?.stringValue, end.line)
    expectEqual(report.verdict.consoleRow["severity"] == "note", end.code == 0)
  }

  @Test func `the worst of several judged clients is the verdict`() throws {
    var report = try Self.report([Self.call(0)])
    let rows = [Report.Row("a", [Self.call(0)]), Report.Row("b", [Self.call(0, .crashed)])]
    report.scenarios = [Report.ScenarioResult("rain", on: .onTheWire, subjects: rows)]
    expectEqual(report.verdict.line, "passed")
    report.environment = [Report.Fact(Report.alsoJudged, "b")]
    expectEqual(report.verdict.line, "CRASHED (97): b: 1 call")
    #expect(report.text().contains("\nfindings of b: 1 error; "))
    // Each form shows the client that decides.
    #expect(text(report, .junit).contains("<failure message=\"CRASHED (97): b: 1 call\""))
    #expect(text(report, .html).contains("<li>crashes: Its process crashed"))
    #expect(text(report, .markdown).contains("**error** `crashes`"))
    let json = try JSON(parsing: report.data(), source: "r.json")
    var findings: [JSON] = []
    if case .array(let all)? = json["findings"] { findings = all }
    expectEqual(findings.map { $0["subject"]?.stringValue }, ["b"])
    expectEqual(findings.map { $0["rule"]?.stringValue }, ["crashes"])
    // A client that an interrupted run has not reached is not judged.
    report.environment = [Report.Fact(Report.alsoJudged, "c")]
    expectEqual(report.verdict.line, "passed")
  }

  @Test func `a rule that a busy machine kept from every call leaves the verdict open`() throws {
    var report = try Self.report(Self.starved)
    expectEqual(report.verdict.outcome, .inconclusive)
    #expect(report.text().contains("\nnot judged, machine busy: ignores-retry-after (12 calls)\n"))
    report.policy.allowsInconclusive = true
    expectEqual(report.verdict.outcome, .passed)
  }
}
