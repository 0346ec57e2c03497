import TestSupport

@testable import WindTunnelReports

@Suite struct BarsTests {
  private typealias Figure = (name: String, calls: Survival.Calls, good: Int, bad: Int)

  private func report(_ bars: Bars?, own: [String] = [], _ figures: Figure...) throws -> Report {
    let flown = try figures.map { name, calls, good, bad in
      var scenario = Scenario(name, rules: [.on("GET /home", .first(2), .status(503))])
      scenario.survival = Survival(calls, by: "care", wrong: "haste")
      scenario.bars = try own.map { try Gate($0) }
      let row = Calls.row(Calls(good: good, bad: bad))
      return Report.ScenarioResult(name, on: .onTheWire, subjects: [row], scenario: scenario)
    }
    var report = Report()
    (report.scenarios, report.bars) = (flown, bars)
    return report
  }

  private func bars(_ bars: (Survival.Calls, String)...) throws -> Bars {
    Bars("mine", try bars.map { .init(in: $0, try Gate($1), source: "our choice") })
  }

  @Test func `every scenario that ships has its class`() throws {
    expectEqual(try Shipped.scenarios().filter { $0.survival == nil }.map(\.name), [])
  }

  @Test func `a scenario that ships has the reason beside its bars`() throws {
    let own = try Shipped.scenarios().filter { !$0.bars.isEmpty }
    expectEqual(own.filter { !$0.notes.contains { $0.name == "_bars" } }.map(\.name), [])
    let bars = own.map { [$0.name] + $0.bars.map(\.description) }.sorted { $0[0] < $1[0] }
    let rows = try TestData.rows("shipped-bars.json", count: 13) as [(String, [String])]
    expectEqual(bars, rows.map { [$0] + $1 })
  }

  @Test(arguments: Bars.shipped)
  func `a set that ships has a bar with a source on each figure of each class`(set: Bars) {
    let figures: Set<GateMetric> = [.successRate, .averageRetries, .p95, .blankScreenRate]
    for calls in Survival.Calls.allCases {
      let bars = set.all.filter { $0.scenarios == calls }
      expectEqual(Set(bars.map(\.gate.metric)), figures)
    }
    #expect(set.all.allSatisfy { $0.source.count > 20 })
  }

  @Test func `a bar has the verdict of the worst scenario of its class`() throws {
    let set = try bars((.some, "successRate >= 50 %"), (.none, "successRate <= 0"))
    let report = try report(
      set,
      ("a", .some, 9, 1),
      ("b", .some, 1, 9),
      ("c", .some, 4, 6),
      ("d", .all, 0, 10)
    )
    let results = report.barResults
    #expect(results.map(\.verdict) == [.failed] && results.map(\.got) == ["10.0 %"])
    expectEqual(results.map(\.scenario), ["b"])
    expectEqual(results.map(\.failed), [["b", "c"]])
    expectEqual(results.map(\.held), [3])
    expectEqual(report.verdict.exitCode, 99)
    expectEqual(report.verdict.line, "FAILED (99): 1 of 1 bar not met")
    let text = report.text()
    #expect(
      text.contains(
        """

        bars mine  class  bar        worst   in  verdict
        success    some   >= 50.0 %  10.0 %  b   FAILED in 2 of 3: b, c

        scenario
        """
      ),
      "\(text)"
    )
    expectEqual(
      report.judgements.map(\.description),
      ["b: some: successRate >= 0.5: failed, got 10.0 %"]
    )
    #expect(throws: GatesNotMet.self) { try report.require([]) }
  }

  @Test func `bars that are met pass, and without a set nothing is held`() throws {
    let set = try bars((.some, "successRate >= 50 %"))
    expectEqual(try report(set, ("a", .some, 9, 1)).verdict.exitCode, 0)
    let without = try report(nil, own: ["successRate >= 1"], ("a", .some, 0, 1))
    #expect(without.judgements.isEmpty)
    #expect(!without.text().contains("bars"))
  }

  @Test func `a scenario's own bar takes the place of the set's`() throws {
    let set = try bars((.some, "successRate >= 50 %"))
    let own = try report(set, own: ["successRate >= 5 %", "calls >= 11"], ("b", .some, 1, 9))
    expectEqual(own.barResults.map(\.verdict), [.met, .failed])
    let table = """
      bars mine  class  bar                 worst   in  verdict
      success    some   >= 5.0 % (its own)  10.0 %  b   met
      calls      some   >= 11 (its own)     10      b   FAILED in 1 of 1: b

      """
    #expect(own.text().contains(table), "\(own.text())")
    #expect(own.markdown().contains("| calls | some | &gt;= 11 (its own) | 10 | b | FAILED in"))
    expectEqual(try #require(own.barResults.first).json["held"], "successRate >= 5 %")
  }

  @Test(arguments: try TestData.rows("own-bars.json", count: 2) as [([String], [String])])
  func `every bar of a scenario's own is held`(own: [String], words: [String]) throws {
    let set = try bars((.some, "successRate >= 50 %"))
    expectEqual(try report(set, own: own, ("b", .some, 1, 9)).judgements.map(\.description), words)
  }

  @Test func `the worst figure is the one nearest to its own limit`() throws {
    var report = try report(
      bars((.none, "successRate <= 20 %")),
      ("a", .none, 1, 9),
      ("b", .none, 3, 7)
    )
    report.scenarios[1].scenario?.bars = [try Gate("successRate <= 90 %")]
    let result = try #require(report.barResults.first)
    expectEqual(
      [result.scenario, result.condition, result.got ?? ""],
      ["a", "<= 20.0 %", "10.0 %"]
    )
  }

  @Test func `a scenario without a class has no bar, and a run without any proves nothing`() throws
  {
    let set = try bars((.all, "successRate >= 50 %"))
    let without = #"no bar is held in own: add "survival" to it"#
    var none = try report(set, ("own", .some, 0, 10))
    none.scenarios[0].scenario?.survival = nil
    expectEqual(none.verdict.line, "INCONCLUSIVE (98): \(without)")
    let other = try report(set, ("a", .some, 9, 1)).verdict.line
    expectEqual(other, "INCONCLUSIVE (98): no bar of mine is for the class of a scenario here")
    var mixed = try report(set, ("a", .all, 10, 0), ("own", .some, 0, 10))
    mixed.scenarios[1].scenario?.survival = nil
    expectEqual(mixed.verdict.exitCode, 0)
    #expect(mixed.text().contains(without))
  }

  private func words(_ report: Report) -> [String] { report.barResults.map(\.verdictWords) }

  @Test func `a bar that could not be judged everywhere is not met`() throws {
    let set = try bars((.some, "p90 <= 10s"), (.all, "averageRetries <= 2"))
    var report = try report(
      set,
      ("in1", .some, 2, 0),
      ("in2", .some, 2, 0),
      ("c", .some, 12, 0),
      ("a", .all, 2, 0),
      ("b", .all, 2, 0)
    )
    report.scenarios[3].subjects = [Calls.row(Calls(good: 2, attempts: nil))]
    let few = "inconclusive: p90 needs 10 calls and has 2; not judged: in1, in2"
    expectEqual(words(report), [few, "met in 1 of 2; not judged: a"])
    expectEqual(report.verdict.exitCode, 98)
  }

  @Test func `a copy that a client could not have is no failure`() throws {
    let set = try bars((.none, "blankScreenRate <= 0"))
    expectEqual(try words(self.report(set, ("a", .none, 1, 9))), ["FAILED in 1 of 1: a"])
    var report = try report(set, ("a", .none, 0, 10))
    let never = "warning: this screen was never loaded earlier in this scenario"
    expectEqual(words(report), [never])
    let program = "warning: a program that starts for each call cannot show a copy; omit {url}"
    let calls = Calls(good: 1, bad: 9).observations
    report.scenarios[0].subjects = [Report.Row("exec", calls, of: .program)]
    expectEqual(words(report), [program])
  }

  /// Returns calls that end well, each with one attempt, by its key, its faults and whether they
  /// were done.
  private func met(_ attempts: (String, faults: String, isDone: Bool)...) -> [Observation] {
    attempts.enumerated().map { number, met in
      let line = "a/\(number)\t\(met.0)\t1\t\(met.faults)"
      var call = Calls(good: 1).observations[0]
      call.call = number
      call.attempts = [.init(decision: .init(line: line), source: .init(words: "recording 1"))]
      let undone = Observation.Attempt.UnappliedFault(
        fault: "truncate",
        reason: "the response has no body"
      )
      call.attempts[0].unappliedFaults = met.isDone ? [] : [undone]
      return call
    }
  }

  @Test func `a call whose fault was not done is not judged where no call can succeed`() throws {
    var report = try report(bars((.none, "successRate <= 0")), ("a", .none, 1, 0))
    let cut = #"[{"truncateAfterBodyBytes":10}]"#
    let calls = met(("DELETE /a", cut, false), ("GET /a", cut, true))
    report.scenarios[0].subjects = [Report.Row("c", calls)]
    expectEqual(words(report) + [report.barResults[0].got], ["FAILED in 1 of 1: a", "100.0 %"])
    report.scenarios[0].subjects = [Report.Row("c", [calls[0]])]
    let spared = "warning: truncate was not done in 1 attempt, since the response has no body"
    expectEqual(words(report) + [report.barResults[0].got], [spared, nil])
    expectEqual(report.verdict.exitCode, 0)
  }

  @Test func `if no credential can be renewed, the bars on success and screens warn`() throws {
    let set = try bars((.some, "successRate <= 0"), (.some, "blankScreenRate > 0"))
    var report = try report(set, ("a", .some, 1, 0))
    report.scenarios[0].scenario?.credential = Credential(issuer: "POST /login")
    report.scenarios[0].subjects = [Report.Row("c", met(("GET /a", "[]", true)))]
    let never =
      "warning: no request was POST /login, which renews the credential: set \"credential\""
    expectEqual(words(report), [never, never])
    report.scenarios[0].subjects = [Report.Row("c", met(("POST /login?a=1", "[]", true)))]
    let unloaded = "warning: this screen was never loaded earlier in this scenario"
    expectEqual(words(report), ["FAILED in 1 of 1: a", unloaded])
  }

  @Test func `of few calls the slowest is the percentile`() throws {
    let set = try bars((.all, "p95 <= 9ms"))
    expectEqual(try report(set, ("a", .all, 10, 0)).barResults.map(\.verdict), [.failed])
    expectEqual(try report(set, ("a", .all, 9, 0)).barResults.map(\.verdict), [.met])
  }

  @Test func `a figure that no scenario shows leaves the bar inconclusive`() throws {
    let set = try bars((.all, "failedActions == 0"))
    let report = try report(set, ("a", .all, 10, 0))
    #expect(report.barResults.allSatisfy { $0.verdict.isInconclusive && $0.held == 0 })
    expectEqual(report.verdict.exitCode, 98)
  }

  @Test func `a report keeps its bars in a file, and judges them anew`() throws {
    let report = try report(.strict, ("a", .some, 9, 1), ("b", .none, 1, 9))
    let read = try Report(data: report.data(), source: "r.json")
    expectEqual(read.bars, .strict)
    expectEqual(read.barResults, report.barResults)
    expectEqual(read.data(), report.data())
  }

  @Test func `every form of a report has the bars`() throws {
    let report = try report(.mobile, ("a", .some, 1, 9))
    func text(_ form: ReportRendering) -> String {
      String(decoding: report.rendered(as: form), as: UTF8.self)
    }
    let row = "| success | some | &gt;= 50.0 % | 10.0 % | a | FAILED in 1 of 1: a |"
    #expect(text(.markdown).contains(row))
    #expect(text(.html).contains("<h2>Bars: mobile</h2>"))
    #expect(text(.junit).contains("<testsuite name=\"bars\" tests=\"4\" failures=\"2\""))
    #expect(text(.junit).contains("<failure message=\"failed, got 10.0 %\">a&#10;</failure>"))
  }

  @Test(
    arguments: [
      (#""gate": "calls > 0""#, "class: expected all, some or none"),
      (#""class": "all", "gate": "calls > 0""#, "source: a bar requires the reason for its number"),
      (
        #""class": "all", "gate": "p95 <= baseline", "source": "s""#,
        "gate: a bar requires a number, and cannot use the baseline"
      ),
    ]
  )
  func `a file that is no set of bars is refused`(members: String, problem: String) throws {
    let text = #"{ "windtunnelBars": 1, "name": "n", "bars": [{ \#(members) }] }"#
    let json = try JSON(parsing: text.utf8, source: "b.json")
    let object = try ObjectReader(json, source: "b.json", path: "")
    let error = #expect(throws: FormatError.self) { try Bars(reading: object) }
    expectEqual(error?.description, "b.json, bars[0].\(problem).")
  }
}
