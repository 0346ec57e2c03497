import TestSupport

@testable import WindTunnelReports

/// The requests of an app's start, which are no attempts at what its call asks for.
@Suite struct RulesOfStartsTests {
  private static func ofStart(_ attempt: Observation.Attempt) -> Observation.Attempt {
    var attempt = attempt
    attempt.isOfStart = true
    return attempt
  }

  private static func call(
    _ all: [Observation.Attempt],
    _ ending: Observation.CallResult = .succeeded
  ) -> Observation {
    var call = RuleTests.call(0, ending, showed: ending == .succeeded, [])
    call.attemptCount = all.count { !$0.isOfStart }
    call.take(all)
    return call
  }

  private static func words(_ rule: String, _ call: Observation) throws -> String {
    try RuleTests.words(rule, [call], of: .program)
  }

  /// A probe that is refused twice, and the page.
  private static let limited: [Observation.Attempt] = [
    ofStart(RuleTests.attempt(0, to: 1, status: 429, wait: 2000, key: "GET /probe")),
    ofStart(RuleTests.attempt(2, to: 3, status: 404, key: "GET /probe")),
    ofStart(RuleTests.attempt(4, to: 5, status: 404, key: "GET /probe")),
    RuleTests.attempt(6, to: 7),
  ]

  @Test(arguments: ["ignores-retry-after", "retries-permanent-error"])
  func `a rule about retries looks at no probe`(rule: String) throws {
    try expectEqual(Self.words(rule, Self.call(Self.limited)), "not met")
    let asPage = Self.limited.map { attempt in
      var attempt = attempt
      attempt.isOfStart = false
      return attempt
    }
    #expect(try Self.words(rule, Self.call(asPage)) != "not met", "the same as a page's")
  }

  @Test func `an answered probe is no answer to the call`() throws {
    let call = Self.call([
      Self.ofStart(RuleTests.attempt(0, to: 1, key: "GET /probe")),
      RuleTests.attempt(2, to: 3, status: 500),
    ])
    let run = ClientRun(of: .program, on: .onTheWire, [call])
    let finding = try run.standing("success-on-error-status").finding
    #expect(finding != nil, "a success on a 500 went unseen")
  }

  @Test func `no figure of retries counts one`() {
    let metrics = Metrics([Self.call(Self.limited)])
    #expect(metrics.averageRetries == 0 && metrics.retriesMax == 0 && metrics.amplification == 1)
    expectNil(metrics.retryAfterCompliance)
    // The faults that a start met fired all the same.
    expectEqual(metrics.faults.map(\.fault), ["status 404", "status 429"])
    expectEqual(metrics.faults.map(\.attempts), [2, 1])
  }

  @Test func `of connections that failed before any page nobody knows what they were for`() {
    let lost = Self.ofStart(RuleTests.connection(0, "connectionLost"))
    expectNil(Self.call([lost, lost], .failed("connectionLost")).attemptCount)
    expectEqual(Self.call([lost, RuleTests.attempt(2, to: 3)]).attemptCount, 1)
  }

  @Test func `a report keeps them apart, in the order in which they came`() throws {
    let page = RuleTests.attempt(1, to: 2)
    let probe = Self.ofStart(RuleTests.attempt(0, to: 1, key: "GET /probe"))
    let late = Self.ofStart(RuleTests.attempt(9, to: 10, key: "GET /probe"))
    let call = Self.call([probe, page, late])
    #expect(call.attempts == [page] && call.startAttempts == [probe, late])
    expectEqual(call.allAttempts, [probe, page, late])
    let read = try Observation(JSON(parsing: call.json.description.utf8, source: ""))
    expectEqual(read, call)
  }

  // MARK: trusts-rogue-server

  /// A call that asked a server which says other things than it must.
  private static func rogue(
    _ answer: Observation.RogueResponse?,
    _ ending: Observation.CallResult = .succeeded
  ) -> Observation {
    var call = call([RuleTests.attempt(2, to: 3, faults: #"{"version":2}"#)], ending)
    call.rogueResponse = answer
    return call
  }

  @Test func `the page of a server that failed its probe is an error, and without one a warning`()
    throws
  {
    let rule = "trusts-rogue-server"
    try expectEqual(
      RuleTests.words(rule, [Self.rogue(.shownDespiteProbe)], of: .program),
      "error 0: A server failed its probe, and it showed that server's page. (1 of 1 call)"
    )
    try expectEqual(
      RuleTests.words(rule, [Self.rogue(.shown), Self.rogue(.refused)], of: .service),
      "warning 0: It showed a page from a rogue server without probing it. (1 of 2 calls)"
    )
    for kept in [Self.rogue(.refused), Self.rogue(.shown, .failed("exit 1"))] {
      try expectEqual(RuleTests.words(rule, [kept], of: .program), "kept by 1")
    }
    try expectEqual(RuleTests.words(rule, [Self.rogue(nil)], of: .program), "not met")
  }

  // MARK: configurations

  private static func went(_ use: Observation.ConfigurationUse?) -> Observation {
    var call = call([RuleTests.attempt(2, to: 3)])
    call.configuration = use
    return call
  }

  @Test func `a call that uses an unsigned configuration breaks a rule`() throws {
    let rule = "accepts-unsigned-configuration"
    try expectEqual(
      RuleTests.words(rule, [Self.went(.init(kept: 5, changed: [6], used: [6]))], of: .service),
      "error 0: It used version 6 of the configuration, which has no valid signature. (1 of 1 call)"
    )
    let careful = Self.went(.init(kept: 5, changed: [6], used: [5]))
    try expectEqual(RuleTests.words(rule, [careful], of: .program), "kept by 1")
    for unknown in [
      // It may have it from another server, or from its last launch.
      Observation.ConfigurationUse(kept: 5, signed: [6], changed: [6], used: [6]),
      .init(kept: 6, changed: [6], used: [6]), .init(kept: 5, signed: [6], used: [6]),
    ] {
      try expectEqual(RuleTests.words(rule, [Self.went(unknown)], of: .program), "not met")
    }
    try expectEqual(RuleTests.words(rule, [Self.went(nil)], of: .program), "not met")
  }

  @Test func `a program that goes back behind what it was given is named`() throws {
    let rule = "accepts-rolled-back-configuration"
    let use = Observation.ConfigurationUse(kept: 7, isGiven: true, signed: [6], used: [6])
    try expectEqual(
      RuleTests.words(rule, [Self.went(use)], of: .program),
      "error 0: It had version 7 of the configuration, received version 6, and used that one. (1 "
        + "of 1 call)"
    )
    var careful = use
    careful.used = [7]
    try expectEqual(RuleTests.words(rule, [Self.went(careful)], of: .program), "kept by 1")
    // Whoever was not given it cannot know that it is an old one.
    for change: (inout Observation.ConfigurationUse) -> Void in [
      { $0.isGiven = false }, { $0.kept = nil }, { $0.kept = 6 }, { $0.signed = [8] },
    ] {
      var other = use
      change(&other)
      try expectEqual(RuleTests.words(rule, [Self.went(other)], of: .program), "not met")
    }
  }
}
