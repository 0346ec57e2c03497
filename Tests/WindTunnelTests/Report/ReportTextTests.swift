import TestSupport

@testable import WindTunnelReports

@Suite struct ReportTextTests {
  @Test func `the table says what was seen, and a dash where nothing was`() {
    expectEqual(
      ReportFormatTests.report().text(),
      TestData.text("report-table.txt")
        .replacing("{rest}", with: "\(FindingRule.all.count - 2)")
    )
  }

  @Test func `what the client alone knows has a star, and copies are told`() {
    let calls =
      (0..<2).map { number in
        var call = Flights.call(number, .failed("offline"))
        (call.attemptCount, call.attempts, call.clientAttempts) = (nil, [], number + 1)
        (call.isStale, call.showed) = (number == 0, number == 0)
        return call
      } + [Flights.call(2, .hung)]
    let flown = Report.ScenarioResult("s", on: .onTheWire, subjects: [Report.Row("c", calls)])
    let report = Report(flown)
    let lines = report.text(inColour: true).split(separator: "\n").map(String.init)
    #expect(lines.contains("* reported by the client: its attempts could not be observed"))
    #expect(
      lines.contains {
        $0.contains("  0.33*  ") && $0.hasSuffix("  \u{1B}[31m1 hung\u{1B}[0m, 1 stale")
      }
    )
    #expect(report.markdown().contains("| 0.33* |"))
    #expect(report.markdown().contains("* reported by the client"))
    #expect(report.html().contains("reported by the client"))
    #expect(String(decoding: report.data(), as: UTF8.self).contains(#""callsByOwnWord": 2"#))
  }

  @Test(arguments: [
    (3000, 2999, "99.9 %"), (3000, 1, "0.1 %"), (3000, 3000, "100.0 %"), (3000, 0, "0.0 %"),
    (3, 2, "66.7 %"),
  ]) func `nearly all are not all and few are not none`(count: Int, good: Int, shown: String) {
    let calls = (0..<count).map { number in
      Flights.call(number, number < good ? .succeeded : .failed("timedOut"), endpoint: "GET /")
    }
    let flown = Report.ScenarioResult("s", on: .inProcess, subjects: [Report.Row("c", calls)])
    let report = Report(flown)
    #expect(report.text().contains("  \(shown)  "), "\(report.text())")
  }
}
