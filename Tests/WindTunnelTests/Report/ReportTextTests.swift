import Testing
import WindTunnelReports

@testable import WindTunnel

@Suite struct ReportTextTests {
  @Test func `the table says what was seen, and a dash where nothing was`() {
    #expect(
      ReportFormatTests.report().text() == """
        seed 18446744073709551615, decisions 0a0a0a0a0a0a, errors current

        scenario  stage  subject        calls  success  retries      P95    blank
        rainy     wire   network-layer      2   50.0 %     0.50  41.2 ms   50.0 %
                         urlsession         2    0.0 %        –  41.2 ms  100.0 %  1 crashed, 1 hung

        findings: none; 2 rules kept, \(FindingRule.all.count - 2) without an occasion

        """
    )
  }

  @Test(arguments: [
    (3000, 2999, "99.9 %"), (3000, 1, "0.1 %"), (3000, 3000, "100.0 %"), (3000, 0, "0.0 %"),
    (3, 2, "66.7 %"),
  ]) func `nearly all are not all and few are not none`(count: Int, good: Int, shown: String) {
    let calls = (0..<count).map { number in
      Observation(
        call: number,
        endpoint: "GET /",
        isCritical: false,
        ending: number < good ? .succeeded : .failed("timedOut"),
        showed: true,
        latency: .zero,
        attemptCount: 1
      )
    }
    let flown = Report.Flown("s", on: .inProcess, subjects: [Report.Row("c", calls)])
    let report = Report(seed: 1, decisionHash: "", platformErrors: "apple", scenarios: [flown])
    #expect(report.text().contains("  \(shown)  "), "\(report.text())")
  }
}
