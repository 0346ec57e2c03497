import TestSupport
import WindTunnel
@_spi(WindTunnel) import WindTunnelCore
import WindTunnelDrillTesting

@Suite struct DrillTests {
  @Test func `a drill finds its cassette beside the test`() async throws {
    let report = try await Drill("users", in: [.calm], calls: 4, seed: 7, deadline: .seconds(3600))
      .run { call in
        try await UserAPI(session: call.session, base: call.baseURL.absoluteString).profile(7)
      }
    expectEqual(report.seed, 7)
    report.require(.successRate == 1, .averageRetries == 0, .calls(of: "GET /users/*") == 2)
    let error = try #require(throws: GatesNotMet.self) { try report.require([.calls == 5]) }
    expectEqual(error.description, "1 of 1 gates failed:\n  calm: calls == 5: failed, got 4")

    // In a test, each gate that is not met is an issue at the line that requires it.
    let (test, issues) = (try #require(Test.current), Locked<[String]>([]))
    let trait: IssueHandlingTrait = .compactMapIssues { issue in
      let place = issue.sourceLocation?.line ?? 0
      issues.withLock { $0 += issue.comments.map { "\(place): \($0.rawValue)" } }
      return nil
    }
    let line = #line + 2
    try await trait.provideScope(for: test, testCase: Test.Case.current) {
      report.require(.calls == 5, .hangs == 0, .calls(in: .run) > .baseline, baseline: report)
      report.require(.calls >= .baseline, .calls(in: .run) == 4, allowInconclusive: true)
      report.require(.calls(in: "harbour") == 4)
    }
    let words = """
      \(line): calm: calls == 5: failed, got 4
      \(line): run: calls > baseline: failed, got 4
      \(line + 2): gate "harbour: calls == 4", column 1: this run has no scenario "harbour"; it has calm.
      """
    expectEqual(issues.withLock { $0.joined(separator: "\n") }, words)
  }

  @Test func `a cassette that is not there is told, and nothing is recorded`() throws {
    let error = try #require(throws: CassetteProblem.self) {
      _ = try Drill("nobody", in: .preRelease)
    }
    let folder = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "Cassettes")
    expectEqual(
      error.description,
      "The cassette \(folder.path)/nobody.json does not exist, and a drill does not record. "
        + "Record it in a test with .cassette(…), or with windtunnel record."
    )
  }

  @Test(arguments: Scenario.everyPush)
  func `each weather is a row of its own`(scenario: Scenario) {
    expectEqual("\(scenario.testDescription)", scenario.name)
  }
}
