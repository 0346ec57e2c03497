import TestSupport
import Testing

@testable import WindTunnel
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
    var report = Report(seed: 1, decisionHash: "h", platformErrors: "current", scenarios: flown)
    report.bars = bars
    return report
  }

  private func bars(_ bars: (Survival.Calls, String)...) throws -> Bars {
    Bars("mine", try bars.map { .init(in: $0, try Gate($1), source: "our choice") })
  }

  @Test func `every scenario that ships has its class`() throws {
    expectEqual(try Shipped.scenarios().filter { $0.survival == nil }.map(\.name), [])
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
    expectEqual(own.barResults.map(\.verdict), [.met])
    expectEqual(
      own.judgements.map(\.description),
      ["b: some: successRate >= 0.5: met, got 10.0 %", "b: calls >= 11: failed, got 10"]
    )
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
  }

  @Test(
    arguments: [
      (#""gate": "calls > 0""#, "class: it is one of all, some and none"),
      (#""class": "all", "gate": "calls > 0""#, "source: a bar needs the reason for its figure"),
      (
        #""class": "all", "gate": "p95 <= baseline", "source": "s""#,
        "gate: a bar has a figure and no baseline"
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
