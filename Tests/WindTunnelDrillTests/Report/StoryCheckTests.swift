import Testing

@testable import WindTunnelDrill

@Suite struct StoryCheckTests {
  private func fixture(_ rules: [FaultRule]) throws -> (StoryCheck, Scenario, Workload) {
    let cassette = try Shipped.cassette()
    let workload = Workload(cassette, matcher: .pathAndQuery)
    let scenario = Scenario("story", rules: rules)
    return (StoryCheck(scenario: scenario, seed: 7, workload: workload), scenario, workload)
  }

  private func observation(_ call: Int, met decision: String) -> Observation {
    Observation(
      call: call,
      endpoint: "GET /home",
      isCritical: false,
      ending: .succeeded,
      showed: true,
      latency: .zero,
      attemptCount: 1,
      attempts: [.init(decision: .init(line: decision), source: .init(words: "recording 1"))]
    )
  }

  private func line(_ scenario: Scenario, _ workload: Workload, call: Int, ordinal: Int) -> String {
    let request = workload.request(of: call)
    let key = Matcher.pathAndQuery.key(request)
    let lane = Workload.lane(scenario.name, call)
    return scenario.decide(request, key: key, seed: 7, lane: lane, ordinal: ordinal).line
  }

  @Test(arguments: 1...12)
  func `an observation that matches the fault plan passes, for any attempt number`(ordinal: Int)
    throws
  {
    let (check, scenario, workload) = try fixture([.always(.probability(0.5), .status(503))])
    let line = line(scenario, workload, call: 3, ordinal: ordinal)
    try check.check([observation(3, met: line)])
  }

  @Test func `a doctored decision is the harness's failure`() throws {
    let (check, scenario, workload) = try fixture([.always(.first(1), .status(503))])
    let line = line(scenario, workload, call: 3, ordinal: 1)
    let doctored = [
      line.replacing("503", with: "500"), line.replacing("\t1\t", with: "\t2\t"),
      line.replacing("story/3", with: "story/4"), line.replacing("[", with: "[{},"),
      line.replacing("\t1\t", with: "\t0\t"), "", "x", "\(line)\t",
    ]
    try check.check([observation(3, met: line)])
    for text in doctored {
      #expect(throws: DrillError.self, "\(text)") { try check.check([observation(3, met: text)]) }
    }
    #expect(throws: DrillError.self, "another call's") {
      try check.check([observation(4, met: line)])
    }
  }

  @Test func `a rule that asks for a host is told with the cassette's host`() throws {
    let (check, scenario, workload) = try fixture([
      .on("GET https://shop.example.test/home", .always, .status(503))
    ])
    let line = line(scenario, workload, call: 0, ordinal: 1)
    #expect(line.contains("503"))
    try check.check([observation(0, met: line)])
  }
}
