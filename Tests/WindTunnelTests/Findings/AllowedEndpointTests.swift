import TestSupport

@testable import WindTunnelReports

/// Rules that may be broken at one endpoint.
@Suite struct AllowedEndpointTests {
  private static func report(_ endpoints: RequestPattern...) -> Report {
    var report = Flights.report([
      Flights.call(0, .hung, endpoint: "GET /a"), Flights.call(1, .hung, endpoint: "GET /b"),
      Flights.call(2),
    ])
    report.scenarios[0].allowed = endpoints.map {
      AllowedRule("hangs", at: $0, because: "it is a monitor")
    }
    return report
  }

  private static func words(_ report: Report) -> [String] {
    report.findings.filter { $0.finding.rule == "hangs" }.map { judged in
      let (finding, allowance) = (judged.finding, judged.allowance ?? "not allowed")
      return "\(finding.countDescription), \(finding.endpoint), \(allowance)"
    }
  }

  @Test func `a rule is judged again without the calls at the allowed endpoints`() throws {
    expectEqual(Self.words(Self.report()), ["2 of 3 calls, GET /a, not allowed"])
    expectEqual(Self.words(Self.report("GET /a")), ["1 of 2 calls, GET /b, not allowed"])
    expectEqual(Self.words(Self.report("GET /b")), ["1 of 2 calls, GET /a, not allowed"])
    expectEqual(Self.words(Self.report("GET /c")), ["2 of 3 calls, GET /a, not allowed"])
    let reason = ["2 of 3 calls, GET /a, it is a monitor"]
    expectEqual(Self.words(Self.report("GET /a", "GET /b")), reason)
    expectEqual(Self.words(Self.report("/*")), reason)
    expectEqual(Self.report("GET /a").verdict.outcome, .hung)
    expectEqual(Self.report("GET /a", "GET /b").verdict.outcome, .passed)
    let part = Self.report("GET /a")
    try expectEqual(Report(data: part.data(), source: "r.json"), part)
  }

  @Test func `a rule that is allowed everywhere needs no endpoint`() {
    var report = Self.report("GET /a")
    report.scenarios[0].allowed.append(AllowedRule("hangs", because: "it is a probe"))
    expectEqual(Self.words(report), ["2 of 3 calls, GET /a, it is a probe"])
  }

  @Test func `a scenario allows a rule at an endpoint`() throws {
    let scenario = try Scenario(
      json: #"{"windtunnelScenario":1,"name":"s","allow":{"hangs(GET /a/(b))":"a monitor"}}"#
    )
    expectEqual(scenario.allowed, [AllowedRule("hangs", at: "GET /a/(b)", because: "a monitor")])
    try expectEqual(Scenario(data: scenario.data(), source: "s.json"), scenario)
  }

  @Test(arguments: ["hangs(", "hangs()", "hangs(home)", "hangs(GET /a", "hangs(GET /a?b=1)"])
  func `parentheses without an endpoint are refused`(key: String) {
    expectEqual(
      refusal {
        try Scenario(json: #"{"windtunnelScenario":1,"name":"s","allow":{"\#(key)":"so"}}"#)
      },
      "s.json, allow.\(key): the endpoint is missing. Write for example \"repeats-post(POST "
        + "/search)\"."
    )
  }
}
