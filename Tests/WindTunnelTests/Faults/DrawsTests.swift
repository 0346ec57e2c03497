import TestSupport

@testable import WindTunnel

@Suite struct DrawsTests {
  private func draws(
    seed: UInt64 = 1,
    scenario: String = "metro",
    lane: String = "deck",
    key: String = "GET /users",
    ordinal: Int = 1,
    rule: String = "{}#0"
  ) -> Draws {
    Draws(seed: seed, scenario: scenario, lane: Lane(lane), key: key, ordinal: ordinal, rule: rule)
  }

  // These values are fixed for ever: a seed in a report of last year must tell the same story.
  @Test func `the draws of a seed are these`() {
    expectEqual(
      (0..<4).map { draws().bits($0) },
      [
        8_423_782_085_632_002_020, 14_794_424_573_728_960_241, 14_037_301_474_259_177_497,
        297_906_329_786_974_502,
      ]
    )
    expectEqual(
      draws(seed: 7, scenario: "é", lane: "a/1", key: "", ordinal: 3).unit(2),
      0.008421410198483636
    )
  }

  @Test func `no two names of a draw are one`() {
    let all = [
      draws(), draws(seed: 2), draws(scenario: "metr", lane: "odeck"), draws(lane: "deckG"),
      draws(key: "GET /users{}"), draws(ordinal: 2), draws(ordinal: -1), draws(rule: "{}#1"),
    ]
    expectEqual(Set(all.map { $0.bits(0) }).count, all.count)
  }

  @Test func `a draw depends only on its index, in any order of draws`() {
    let draws = draws()
    expectEqual([3, 1, 2].map(draws.bits), [3, 1, 2].map { self.draws().bits($0) })
  }

  @Test func `a unit lies from 0 up to 1`() {
    let units = (0..<10_000).map(draws().unit)
    #expect(units.allSatisfy { 0 <= $0 && $0 < 1 })
    #expect(abs(units.reduce(0, +) / 10_000 - 0.5) < 0.02)
  }
}

@Suite struct DecisionTests {
  private let request = Request("GET", "/users/7")

  private func fires(_ rules: [FaultRule], lane: Int, ordinal: Int = 1) -> [Fault] {
    Scenario("s", rules: rules).decide(
      request,
      key: Matcher.url.key(request),
      seed: 1,
      lane: Lane("call/\(lane)"),
      ordinal: ordinal
    ).faults
  }

  @Test func `a rule that is added shifts no other rule's draws`() {
    let rule = FaultRule.on(
      "GET /users/*",
      .probability(1 / 4),
      .delay(Fault.Spread(.zero, through: .seconds(1)))
    )
    let other = FaultRule.on("GET /**", .probability(1 / 2), .status(503))
    for lane in 0..<500 {
      let alone = fires([rule], lane: lane)
      let behind = fires([other, rule], lane: lane)
      expectEqual(behind.filter { !$0.replacesOrCuts }, alone)
      expectEqual(fires([rule, other], lane: lane).filter { !$0.replacesOrCuts }, alone)
    }
  }

  @Test func `equal triggers are drawn apart`() {
    let trigger = Trigger.probability(1 / 2)
    let rules = [FaultRule.on("GET /**", trigger, .status(500)), .on("GET /**", trigger, .close)]
    let counts = Set((0..<100).map { fires(rules, lane: $0).count })
    expectEqual(counts, [0, 1, 2])
  }

  @Test(arguments: [0.0, 0.01, 0.25, 0.5, 1.0])
  func `a probability is a share of the calls`(share: Double) {
    let count = (0..<10_000).count {
      !fires([.on("GET /**", .probability(share), .close)], lane: $0).isEmpty
    }
    // Four standard deviations.
    let spread = 4 * (10_000 * share * (1 - share)).squareRoot()
    #expect(abs(Double(count) - 10_000 * share) <= spread)
  }

  @Test(arguments: [
    (Trigger.always, [1, 2, 3, 4, 5, 6]), (.first(2), [1, 2]), (.attempt(3), [3]),
    (.every(2), [2, 4, 6]), (Trigger(first: 4, every: 2), [2, 4]),
    (Trigger(first: 2, attempt: 3), []), (Trigger(every: 0), []),
  ])
  func `a trigger fires where all of it holds`(trigger: Trigger, ordinals: [Int]) {
    let fired = (1...6).filter {
      !fires([.on("GET /**", trigger, .close)], lane: 0, ordinal: $0).isEmpty
    }
    expectEqual(fired, ordinals)
  }

  @Test func `a delay strays evenly and never out of its range`() {
    let delays = (0..<2000).compactMap { lane -> Double? in
      let rule = FaultRule.on(
        "*/**",
        .always,
        .delay(.around(.milliseconds(300), jitter: .milliseconds(50)))
      )
      guard case .delay(let spread) = fires([rule], lane: lane).first else { return nil }
      return spread.least == spread.most ? spread.least.inMilliseconds : nil
    }
    expectEqual(delays.count, 2000)
    #expect(delays.allSatisfy { 250...350 ~= $0 })
    #expect(abs(delays.reduce(0, +) / 2000 - 300) < 4)
  }

  @Test func `a mutation's place is drawn once and stands in the decision`() {
    let decided = fires(
      [
        .on(
          "GET /**",
          .always,
          .mutate(.null()),
          .mutate(.truncate()),
          .mutate(.null(at: "$.a")),
          .mutate(.status(nil))
        )
      ],
      lane: 3
    )
    expectEqual(
      decided.map { "\($0.json)" },
      [
        #"{"mutate":"null","draw":0.545832}"#, #"{"mutate":"truncate","draw":0.260348}"#,
        #"{"mutate":"null","at":"$.a"}"#, #"{"mutate":"status"}"#,
      ]
    )
    #expect(decided.allSatisfy { $0.replacesOrCuts })
  }

  @Test func `rules for connections and rules for requests do not meet`() {
    let scenario: Scenario = [
      .always(.first(1), .connection(.refused)), .always(.always, .status(503)),
      .on("GET /x", .always, .connection(.offline)),
    ]
    let connection = scenario.decideConnection(seed: 1, lane: .deck, ordinal: 1)
    expectEqual(connection.faults, [.connection(.refused)])
    let key = Matcher.url.key(Request("GET", "/x"))
    let decision = scenario.decide(Request("GET", "/x"), key: key, seed: 1, lane: .deck, ordinal: 1)
    expectEqual(decision.faults, [.status(503), .connection(.offline)])
    #expect(scenario.hasConnectionFaults)
  }

  @Test func `the fault plan of a seed has this hash, for any traffic`() {
    let scenario = Scenario(
      "storm",
      rules: [
        .always(.first(1), .connection(.refused)),
        .on("GET /users/*", .probability(0.5), .status(503)),
        .on("GET /**", .every(2), .delay(.around(.seconds(1), jitter: .milliseconds(500)))),
      ]
    )
    func hash(seed: UInt64) -> String {
      var story = FaultPlan()
      for call in 1...3 {
        story.tell(
          scenario,
          seed: seed,
          lane: Lane("storm/\(call)"),
          request: request,
          matcher: .url
        )
      }
      return story.hash
    }
    expectEqual(hash(seed: 7), "0fbd188c953ef22b68a4311df5b95fe1285452639af91176561c32197e978e5c")
    #expect(hash(seed: 8) != hash(seed: 7))
    let deck = Deck(Cassette(), scenario: scenario, seed: 7)
    for lane in [3, 1, 2, 1] { _ = deck.decide(request, lane: Lane("storm/\(lane)")) }
    expectEqual(hash(seed: 7), "0fbd188c953ef22b68a4311df5b95fe1285452639af91176561c32197e978e5c")
  }
}
