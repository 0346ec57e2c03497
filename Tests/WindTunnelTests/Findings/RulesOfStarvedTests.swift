import TestSupport
import Testing
import WindTunnel
import WindTunnelFindings

/// Calls whose program got no processor: what they did late, or did not wait for, is the machine's
/// doing; what they returned is theirs.
@Suite struct RulesOfStarvedTests {
  /// The rules that a careful client breaks whose own time-out ends an attempt before it could read
  /// the answer.
  private static let ofTime: [(rule: String, attempts: [Observation.Attempt])] = [
    (
      "ignores-retry-after",
      [
        RuleTests.attempt(0, to: 3, status: 429, wait: 9000),
        RuleTests.attempt(3200, to: 3203),
      ]
    ),
    ("retries-permanent-error", RuleTests.row(404, waits: [3000, 3000])),
    ("repeats-refused-credential", RuleTests.row(401, waits: [3000, 3000])),
    ("waits-on-silence", [RuleTests.attempt(0, to: 3, error: "timedOut")]),
  ]

  private static func call(
    _ attempts: [Observation.Attempt],
    delay: Int?,
    _ ending: Observation.CallResult = .failed("timedOut")
  ) -> Observation {
    var call = RuleTests.call(3, ending, lasted: 27_000, attempts)
    call.processorDelay = delay.map { .milliseconds($0) }
    return call
  }

  private static func standing(_ rule: String, _ call: Observation) throws -> RuleStanding.Standing
  {
    let standings = Flight(of: .program, on: .onTheWire, [call]).held()
    return try #require(standings.first { $0.rule == rule }).standing
  }

  @Test(arguments: ofTime.indices)
  func `a rule about time asks nothing of a program that waited for a processor`(place: Int) throws
  {
    let (rule, attempts) = Self.ofTime[place]
    for delay in [nil, 400] {
      let finding = try Self.standing(rule, Self.call(attempts, delay: delay))
      #expect(
        { if case .broken(let found) = finding { found.severity == .error } else { false } }(),
        "\(rule), \(String(describing: delay))"
      )
    }
    guard case .notMet(let reason) = try Self.standing(rule, Self.call(attempts, delay: 600))
    else {
      Issue.record("\(rule) judges it")
      return
    }
    #expect(
      reason.hasSuffix(
        " 1 call whose program waited 500 ms or more for a processor is not judged by it."
      ),
      "\(reason)"
    )
  }

  @Test func `what a starved program returned is judged as ever`() throws {
    let call = Self.call(RuleTests.row(waits: []), delay: 9000, .succeeded)
    guard case .broken(let finding) = try Self.standing("success-on-error-status", call) else {
      Issue.record("not named")
      return
    }
    expectEqual(finding.severity, .error)
  }

  @Test func `a hang is an error only where the program had a processor most of the time`() throws {
    func words(_ delay: Int?) throws -> String {
      try RuleTests.words(
        "hangs",
        [Self.call(RuleTests.row(waits: []), delay: delay, .hung)],
        of: .program
      )
    }
    let hang = "error 3: It had not ended after 27.0 s. (1 of 1 call)"
    try expectEqual(words(nil), hang)
    try expectEqual(words(13_000), hang)
    try expectEqual(
      words(14_000),
      "warning 3: It had not ended after 27.0 s, of which it waited 14.0 s for a processor. "
        + "(1 of 1 call)"
    )
  }

  @Test func `who was still trying is judged only where it had a processor`() throws {
    let attempts = RuleTests.row(waits: [5000, 5000, 5000, 5000])
    #expect(
      try RuleTests.words("retries-without-bound", [Self.call(attempts, delay: nil, .hung)])
        .hasPrefix("error 3: After 20.0 s and 5 attempts it was still trying.")
    )
    try expectEqual(
      RuleTests.words("retries-without-bound", [Self.call(attempts, delay: 600, .hung)]),
      "kept by 1"
    )
  }
}
