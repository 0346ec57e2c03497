import TestSupport

@testable import WindTunnelReports

/// The list of tests that a CI server reads: its first suite is the verdict.
@Suite struct JUnitTests {
  /// The lines of the first suite, without its end.
  private static func verdict(_ report: Report) -> [String] {
    report.junit().split(separator: "\n").dropFirst(2).prefix { !$0.contains("</testsuite>") }
      .map(String.init)
  }

  private static func head(failures: Int = 0, errors: Int = 0) -> String {
    "  <testsuite name=\"verdict\" tests=\"1\" failures=\"\(failures)\" errors=\"\(errors)\" "
      + "skipped=\"0\">"
  }

  private static let flawed = "    <testcase name=\"client\" classname=\"verdict\">"

  @Test func `the first case follows the verdict`() throws {
    expectEqual(
      Self.verdict(Flights.report([Flights.call()])),
      [Self.head(), "    <testcase name=\"client\" classname=\"verdict\"/>"]
    )
    let failed = Flights.report([Flights.call()], gates: [try Gate("calls > 1")])
    expectEqual(
      Self.verdict(failed),
      [
        Self.head(failures: 1), Self.flawed,
        "      <failure message=\"\(failed.verdict.line)\"></failure>", "    </testcase>",
      ]
    )
    let open = Flights.report([Flights.call()], gates: [try Gate("p95 == 1s")])
    expectEqual(
      Self.verdict(open),
      [
        Self.head(errors: 1), Self.flawed,
        "      <error message=\"\(open.verdict.line)\"/>", "    </testcase>",
      ]
    )
    #expect(open.junit().contains("<testsuites name=\"windtunnel\" tests=\"5\" failures=\"0\" "))
    #expect(open.junit().contains(" errors=\"1\" skipped=\"1\">"))
  }

  @Test func `an endpoint fails by a hang that is an error and not allowed`() {
    let fall = "<failure message=\"0 crashed, 1 hung\">"
    var report = Flights.report([Flights.call(0, .hung)])
    #expect(report.junit().contains(fall))
    report.scenarios[0].allowed = [AllowedRule("hangs", because: "it is a monitor")]
    #expect(!report.junit().contains("<failure"))
    // A call that still tries is a warning.
    let attempts = [0, 15_000, 30_000].map { start in
      RuleTests.attempt(start, to: start, status: nil, error: "timedOut")
    }
    let trying = Flights.report([RuleTests.call(0, .hung, lasted: 40_000, attempts)])
    #expect(!trying.junit().contains(fall))
  }

  @Test func `gates over the whole run have a suite`() throws {
    let report = try Flights.report([Flights.call()]).judged(by: [Gate("run: calls == 9")])
    #expect(
      report.junit().contains(
        """
          <testsuite name="run" tests="1" failures="1" errors="0" skipped="0">
            <testcase name="run: calls == 9" classname="run.gates">
              <failure message="failed, got 1"></failure>
            </testcase>
          </testsuite>
        """
      )
    )
  }
}
