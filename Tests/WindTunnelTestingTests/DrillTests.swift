import Foundation
import TestSupport
import Testing
import WindTunnelDrillTesting

@Suite struct DrillTests {
  @Test func `a drill finds its cassette beside the test`() async throws {
    let report = try await Drill("users", in: [.calm], calls: 4, seed: 7, deadline: .seconds(3600))
      .fly { call in
        try await UserAPI(session: call.session, base: call.baseURL.absoluteString).profile(7)
      }
    expectEqual(report.seed, 7)
    try report.require("successRate == 1", "averageRetries == 0", "calls(GET /users/*) == 2")
    let error = try #require(throws: GatesNotMet.self) { try report.require("calls == 5") }
    expectEqual(error.description, "1 of 1 gates failed:\n  calm: calls == 5: failed, got 4")
  }

  @Test func `a cassette that is not there is told, and nothing is recorded`() throws {
    let error = try #require(throws: CassetteProblem.self) {
      _ = try Drill("nobody", in: .preRelease)
    }
    let folder = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "Cassettes")
    expectEqual(
      error.description,
      "There is no cassette \(folder.path)/nobody.json, and a drill records none. "
        + "Record it in a test with .cassette(…), or by windtunnel record."
    )
  }

  @Test(arguments: Scenario.everyPush)
  func `each weather is a row of its own`(scenario: Scenario) {
    expectEqual("\(scenario.testDescription)", scenario.name)
  }
}
