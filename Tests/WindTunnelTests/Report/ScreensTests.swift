import TestSupport

@testable import WindTunnelReports

@Suite struct ScreensTests {
  private func report(_ screens: Screens, _ gates: String...) throws -> Report {
    let calls =
      Calls(good: 1, bad: 2, isCritical: false).observations
      + Calls(bad: 1, endpoint: "POST /orders", isCritical: false).observations.map { call in
        var call = call
        call.call = 9
        return call
      }
    let row = Report.Row("client", calls, screens: screens)
    let flown = Report.ScenarioResult("outage", on: .onTheWire, subjects: [row])
    return try Report(flown).judged(by: gates.map { try Gate($0) })
  }

  @Test func `without a word every read is a screen, and no action is counted`() throws {
    let metrics = try report(.byDefault).scenarios[0].subjects[0].metrics
    expectEqual(metrics.blankScreens, 2)
    expectEqual(metrics.blankScreenRate, 2.0 / 3)
    expectNil(metrics.failedActions)
    let endpoints = try report(.byDefault).scenarios[0].subjects[0].endpoints
    expectEqual(endpoints.map(\.metrics.blankScreens), [2, nil])
  }

  @Test func `a gate on screens by default warns and does not fail`() throws {
    let report = try report(.byDefault, "blankScreens == 0", "blankScreenRate <= 50 %")
    let reason = "every GET and HEAD counts as a screen by default; --critical names yours"
    expectEqual(report.judgements.map(\.result.verdict), [.warning(reason), .warning(reason)])
    expectEqual(report.judgements[0].result.words, "warning, \(reason) (got 2)")
    expectEqual(report.verdict.exitCode, 0)
    try report.require([])
    let text = report.text()
    #expect(text.contains("gates: 2 warnings\n"), "\(text)")
    #expect(text.contains("by default: --critical \"GET /home\" sets yours"), "\(text)")
    let line = "::warning::outage: blankScreens == 0: warning, \(reason) (got 2)"
    #expect(report.annotations.contains(line), "\(report.annotations)")
  }

  @Test func `other gates, and those that are met, are judged as ever`() throws {
    let report = try report(.byDefault, "successRate == 1", "blankScreens <= 2")
    expectEqual(report.judgements.map(\.result.verdict), [.failed, .met])
    expectEqual(report.verdict.exitCode, 99)
  }

  @Test func `a report's file keeps which calls were screens`() throws {
    let report = try report(.byDefault, "blankScreens == 0")
    let read = try Report(data: report.data(), source: "r.json")
    expectEqual(read.scenarios[0].subjects[0].screens, .byDefault)
    expectEqual(read.judgements, report.judgements)
    expectEqual(read.data(), report.data())
    #expect(!String(decoding: try self.report(.named).data(), as: UTF8.self).contains("screens\""))
  }
}
