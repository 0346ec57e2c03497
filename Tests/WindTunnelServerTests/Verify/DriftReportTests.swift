import TestSupport

@testable import WindTunnel
@testable import WindTunnelServer

@Suite struct DriftReportTests {
  private let request = Request("GET", "https://api.example.test/users/7")

  @Test func `the report names what drifted and what was skipped, and counts`() {
    let drift = Drift([
      Drift.CheckedInteraction(1, request, .same),
      Drift.CheckedInteraction(2, request, .skipped("POST is not safe to send again")),
      Drift.CheckedInteraction(
        3,
        request,
        .drifted([Drift.Difference("status", recorded: "200", live: nil)])
      ),
    ])
    #expect(!drift.isEmpty)
    expectEqual(
      "\(drift)",
      """
      skipped #2 GET https://api.example.test/users/7: POST is not safe to send again
      drifted #3 GET https://api.example.test/users/7
        status: recorded 200, live nothing
      1 same, 1 drifted, 1 skipped

      """
    )
    expectEqual(String(decoding: drift.data, as: UTF8.self), TestData.text("drift.json"))
  }
}
