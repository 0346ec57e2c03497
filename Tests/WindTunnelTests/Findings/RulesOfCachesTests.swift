import TestSupport
import WindTunnelFindings

/// The rules about what a client keeps of its answers, each from its three sides.
@Suite struct RulesOfCachesTests {
  private static let again = "asks-again"
  private static let blank = "blank-where-stale"

  /// A scenario of which the server fails from some call on, so that all calls ask at one address.
  private static let scenario = {
    let trigger = Trigger(calls: CallRange(from: 2))
    var scenario = Scenario("s", rules: [FaultRule(when: trigger, [.status(503)])])
    scenario.wantsKeptConnections = true
    return scenario
  }()

  private static let terms = {
    var terms = Observation.CacheTerms()
    (terms.fresh, terms.allowsStale) = (.seconds(60), true)
    return terms
  }()

  /// A call that is answered on some terms, a second after the one before it.
  private static func asking(
    _ number: Int,
    _ terms: Observation.CacheTerms? = terms,
    isConditional: Bool = false,
    key: String = "GET /home"
  ) -> Observation {
    let start = 1000 * number
    var attempt = RuleTests.attempt(start, to: start + 3, key: key)
    attempt.cacheTerms = terms
    if isConditional {
      var sent = Observation.Sent()
      sent.isConditional = true
      attempt.sent = sent
    }
    return RuleTests.call(number, .succeeded, showed: true, start: start, lasted: 10, [attempt])
  }

  /// A call that shows what was there, and asks nobody.
  private static func showing(_ number: Int) -> Observation {
    var call = RuleTests.call(number, .succeeded, showed: true, start: 1000 * number, lasted: 1, [])
    call.bodyMatches = true
    return call
  }

  /// A call that is failed, and shows nothing or its copy.
  private static func failing(_ number: Int, isStale: Bool? = nil, asks: Bool = true) -> Observation
  {
    let start = 1000 * number
    let attempts = asks ? [RuleTests.attempt(start, to: start + 3, status: 503)] : []
    var call = RuleTests.call(
      number,
      isStale == true ? .succeeded : .failed("status 503"),
      showed: isStale == true,
      start: start,
      lasted: 10,
      attempts
    )
    call.isStale = isStale
    return call
  }

  private static func words(
    _ rule: String,
    _ calls: [Observation],
    of client: ClientRun.Client = .service,
    on stage: Stage = .onTheWire,
    in scenario: Scenario? = scenario
  ) throws -> String {
    try ClientRun(of: client, on: stage, calls, in: scenario).standing(rule).words
  }

  // MARK: asks-again

  @Test func `a client that caches responses but requests one in full breaks a rule`() throws {
    let fresh = [Self.asking(0), Self.showing(1), Self.asking(2), Self.asking(3)]
    let found = "note 2: It caches responses, but requested one in full again that "
    try expectEqual(Self.words(Self.again, fresh), found + "was fresh for 60 s. (2 of 3 calls)")
    var terms = Observation.CacheTerms()
    terms.hasValidator = true
    let validators = [
      Self.asking(0, terms), Self.asking(1, terms, isConditional: true), Self.asking(2, terms),
    ]
    try expectEqual(
      Self.words(Self.again, validators.reversed(), of: .library, on: .inProcess, in: nil),
      found + "had a validator. (1 of 2 calls)"
    )
  }

  @Test func `a client that shows what it has, or asks by its validator, is not named`() throws {
    let shown = [Self.asking(0), Self.showing(1), Self.showing(2)]
    try expectEqual(Self.words(Self.again, shown), "kept by 2")
    let asked = [Self.asking(0), Self.showing(1), Self.asking(2, isConditional: true)]
    try expectEqual(Self.words(Self.again, asked), "kept by 2")
    // What is over has to be asked for.
    var short = Self.terms
    short.fresh = .milliseconds(500)
    let over = [
      Self.asking(0, short), Self.showing(1), Self.asking(2, short), Self.asking(3, short),
    ]
    #expect(try Self.words(Self.again, over).hasPrefix("not met: No call met the condition"))
  }

  @Test func `nothing is asked of a client without a cache, or at another address`() throws {
    let calls = [Self.asking(0), Self.asking(1), Self.asking(2)]
    let none = "not met: Nothing shows that the client caches responses, and caching is optional."
    try expectEqual(Self.words(Self.again, calls), none)
    let cached = [Self.asking(0), Self.showing(1), Self.asking(2)]
    #expect(try Self.words(Self.again, cached).hasPrefix("note"))
    let moved =
      "not met: Each call had its own address, so the client cannot have stored a response for it."
    for scenario in [nil, Scenario("s")] as [Scenario?] {
      try expectEqual(Self.words(Self.again, cached, in: scenario), moved)
    }
    // Calls beside each other ask at several.
    var beside = Self.asking(3)
    beside.start = .milliseconds(2001)
    try expectEqual(Self.words(Self.again, cached + [beside]), moved)
    #expect(try Self.words(Self.again, cached, of: .program).hasPrefix("not met"))
    let silent = [Self.asking(0, nil), Self.showing(1), Self.asking(2, nil)]
    #expect(try Self.words(Self.again, silent).hasPrefix("not met: No call met the condition"))
    // Of two requests behind one endpoint nobody knows which a call without one means.
    let other = Self.asking(3, key: "GET /home?page=2")
    #expect(try Self.words(Self.again, cached + [other]).hasPrefix("not met: Only 1 of at least 2"))
    let again = [other, Self.asking(4, key: "GET /home?page=2")]
    #expect(try Self.words(Self.again, cached + again).hasSuffix("(2 of 2 calls)"))
  }

  // MARK: blank-where-stale

  @Test func `a client that has a copy and shows nothing in an outage is named`() throws {
    let calls = [Self.asking(0), Self.showing(1), Self.failing(2), Self.failing(3, asks: false)]
    let found =
      " 2: The server failed, and it showed nothing although an earlier response may be shown. (2 "
      + "of 2 calls)"
    try expectEqual(Self.words(Self.blank, calls), "note" + found)
    // Where a scenario asks for it, one without a cache fails, too.
    var scenario = Self.scenario
    scenario.expects = [.stale]
    try expectEqual(Self.words(Self.blank, calls, in: scenario), "error" + found)
    let bare = [Self.asking(0), Self.failing(2), Self.failing(3)]
    try expectEqual(Self.words(Self.blank, bare, in: scenario), "error" + found)
    let once = [Self.asking(0), Self.failing(2), Self.failing(3, isStale: true)]
    #expect(try Self.words(Self.blank, once).hasSuffix("(1 of 2 calls)"))
  }

  @Test func `a client that shows its copy, or was given none to show, is not named`() throws {
    let copies = [Self.asking(0), Self.failing(2, isStale: true), Self.failing(3, isStale: true)]
    try expectEqual(Self.words(Self.blank, copies), "kept by 2")
    var strict = Self.terms
    strict.allowsStale = false
    let bound = [Self.asking(0, strict), Self.showing(1), Self.failing(2), Self.failing(3)]
    #expect(try Self.words(Self.blank, bound).hasPrefix("not met: No call met the condition"))
    let cold = [Self.failing(0), Self.failing(1), Self.asking(2), Self.showing(3)]
    #expect(try Self.words(Self.blank, cold).hasPrefix("not met: No call met the condition"))
    // What the server refuses is no outage.
    var refused = [Self.asking(0), Self.showing(1), Self.failing(2), Self.failing(3)]
    for place in [2, 3] {
      refused[place].attempts = [RuleTests.attempt(place * 1000, to: place * 1000 + 3, status: 404)]
    }
    #expect(try Self.words(Self.blank, refused).hasPrefix("not met: No call met the condition"))
  }

  @Test func `no copy is asked of a client without a cache, or at another address`() throws {
    let bare = [Self.asking(0), Self.failing(2), Self.failing(3)]
    let none = "not met: Nothing shows that the client caches responses"
    #expect(try Self.words(Self.blank, bare).hasPrefix(none))
    let cached = bare + [Self.showing(4)]
    #expect(try Self.words(Self.blank, cached).hasPrefix("note"))
    let moved = "not met: Each call had its own address"
    #expect(try Self.words(Self.blank, cached, in: nil).hasPrefix(moved))
    #expect(try Self.words(Self.blank, cached, of: .program).hasPrefix("not met"))
  }

  // MARK: shows-stale-as-fresh

  /// A call that fails and shows what an earlier one was answered.
  private static func copying(
    _ number: Int,
    at start: Int,
    isStale: Bool? = nil,
    showsIt: Bool = true
  ) -> Observation {
    let attempt = RuleTests.attempt(start, to: start + 3, status: 503)
    var call = RuleTests.call(number, .succeeded, showed: true, start: start, lasted: 10, [attempt])
    (call.bodyMatches, call.isStale) = (showsIt, isStale)
    return call
  }

  @Test func `a copy behind errors that is not said to be one is named`() throws {
    let rule = "shows-stale-as-fresh"
    let late = Self.copying(1, at: 90_000)
    let found =
      "error 1: Every request failed, and it showed an earlier response without marking it as a "
      + "copy. (1 of 1 call)"
    for client in [ClientRun.Client.service, .library] {
      try expectEqual(Self.words(rule, [Self.asking(0), late], of: client), found)
      // Its server says nothing about how long it may be shown.
      try expectEqual(Self.words(rule, [Self.asking(0, nil), late], of: client), found)
    }
    // One that says so, one that is still fresh, and one that shows something else.
    for good in [
      Self.copying(1, at: 90_000, isStale: true), Self.copying(1, at: 9000),
      Self.copying(1, at: 90_000, showsIt: false),
    ] {
      try expectEqual(Self.words(rule, [Self.asking(0), good]), "kept by 1")
    }
    // What comes later changes nothing.
    try expectEqual(Self.words(rule, [Self.asking(0), late, Self.asking(200)]), found)
    // The body came with this very response, behind a bad end.
    var cut = late
    cut.attempts[0] = RuleTests.attempt(90_000, to: 90_003, error: "truncated")
    cut.attempts[0].bytes = 9
    try expectEqual(Self.words(rule, [Self.asking(0), cut]), "kept by 1")
    // A client that fails is honest.
    var failed = Self.copying(1, at: 90_000, showsIt: false)
    failed.ending = .failed("status 503")
    try expectEqual(Self.words(rule, [Self.asking(0), failed]), "kept by 1")
    // Nothing had come before.
    #expect(try Self.words(rule, [late]).hasPrefix("not met"))
    // A program that prints has no way to say so.
    #expect(try Self.words(rule, [Self.asking(0), late], of: .program).hasPrefix("not met"))
  }
}
