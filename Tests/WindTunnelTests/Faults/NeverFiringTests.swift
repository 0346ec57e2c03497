import TestSupport

@testable import WindTunnel

/// What reads well and could never happen is refused before anything starts.
@Suite struct NeverFiringTests {
  private func rules(_ text: String, more: String = "") -> String {
    refusal {
      try Scenario(json: #"{"windtunnelScenario":1,"name":"s","rules":[\#(text)]\#(more)}"#)
    }
  }

  @Test(arguments: try TestData.rows("exclusive-faults.json", count: 13) as [(String, Int, String)])
  func `faults that cannot both happen are refused with the second one's path`(
    faults: String,
    index: Int,
    reason: String
  ) {
    let sentence = rules(#"{"faults":[\#(faults)]}"#)
    let start = "s.json, rules[0].faults[\(index)]: this fault excludes the others; faults["
    #expect(sentence.hasPrefix(start), "\(sentence)")
    #expect(sentence.contains("excludes it: \(reason). A rule has either one"), "\(sentence)")
  }

  @Test(arguments: try TestData.rows("faults-that-go-together.json", count: 8) as [String])
  func `faults that go together do`(faults: String) throws {
    let text = #"{"windtunnelScenario":1,"name":"s","rules":[{"faults":[\#(faults)]}]}"#
    let scenario = try Scenario(json: text)
    expectEqual(scenario.rules.first?.faults.count, 2)
  }

  @Test func `rules of their own may hold what one may not`() throws {
    let text = #"{"faults":[{"status":503}]},{"faults":[{"reset":"afterRequest"}]}"#
    let scenario = try Scenario(json: #"{"windtunnelScenario":1,"name":"s","rules":[\#(text)]}"#)
    expectEqual(scenario.rules.count, 2)
  }

  @Test(arguments: try TestData.rows("impossible-patterns.json", count: 4) as [(String, String)])
  func `a pattern that no request meets is refused with what was meant`(
    pattern: String,
    sentence: String
  ) {
    let rule = #"{"when":{"request":"\#(pattern)"},"faults":[{"status":503}]}"#
    expectEqual(rules(rule), "s.json, rules[0].when.request: \(sentence)")
    let critical = refusal {
      try Scenario(json: #"{"windtunnelScenario":1,"name":"s","critical":["\#(pattern)"]}"#)
    }
    expectEqual(critical, "s.json, critical[0]: \(sentence)")
  }

  @Test(arguments: [
    "GET /home", "* /a/*", "/a/**", "GET /users/{id}", "PURGE /x", "CONNECT *.example.com",
    "CONNECT api.example.com:443", "GET https://a.example/x?page=2", "GET https://*.example.com/x",
    "**", "* **",
  ])
  func `a pattern that requests meet is taken`(pattern: String) throws {
    let text = #"{"windtunnelScenario":1,"name":"s","critical":["\#(pattern)"]}"#
    try expectEqual(Scenario(json: text).critical, [RequestPattern(pattern)])
  }

  @Test func `a rule for critical requests wants some to be critical`() throws {
    let rule = #"{"when":{"critical":true},"faults":[{"status":503}]}"#
    expectEqual(
      rules(rule),
      "s.json, rules[0].when.critical: no request is critical, so this never occurs. Name the "
        + "critical ones: \"critical\": [\"GET /home\"]."
    )
    let named = #"{"windtunnelScenario":1,"name":"s","rules":[\#(rule)],"critical":["GET /a"]}"#
    try expectEqual(Scenario(json: named).rules.count, 1)
  }
}
