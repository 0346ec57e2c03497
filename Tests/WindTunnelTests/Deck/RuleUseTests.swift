import TestSupport

@testable import WindTunnel

/// A rule that meant nothing that was asked for is a slip of the pen, and told.
@Suite struct RuleUseTests {
  private static func deck(_ scenario: Scenario) -> Deck {
    Deck([.get("/get", json: [:]), .get("/home", json: [:])], scenario: scenario)
  }

  private static func ask(_ deck: Deck, _ path: String, _ headers: HeaderFields = [:]) {
    _ = deck.decide(
      Request("GET", RequestURL("https://api.example.test\(path)"), headers: headers)
    )
  }

  private static func lines(_ deck: Deck) -> [String] { deck.unmetRules.map(\.description) }

  @Test func `an unused rule is reported with the received requests`() {
    let deck = Self.deck([
      .on("GET /gett", .first(2), .status(503)), .on("GET /get", .first(1), .status(503)),
    ])
    for _ in 0..<2 { Self.ask(deck, "/get") }
    expectEqual(Self.lines(deck), ["rule 1 `GET /gett` matched no request; seen: GET /get"])
    expectEqual(deck.unmetRules.map(\.number), [1])
    expectEqual(deck.unmetRules.map(\.scenario), [nil])
    expectEqual(deck.unmetRules.map(\.seen), [["GET /get"]])
  }

  @Test(
    arguments: [
      .attempt(9), .every(7), .probability(0), .window(from: .seconds(5)), .first(1),
      .until(headerChanges: "Authorization"), .burst(goodToBad: 0, badToGood: 1),
    ] as [Trigger]
  )
  func `a rule that did not fire has met its request all the same`(trigger: Trigger) {
    let deck = Self.deck([.on("GET /*", trigger, .status(503))])
    expectEqual(deck.unmetRules.count, 1)
    Self.ask(deck, "/get")
    expectEqual(Self.lines(deck), [])
  }

  @Test func `a rule for fields or for critical requests tells of them`() {
    var scenario: Scenario = [
      .on("GET /get", .header(.present("X-Beta")), .status(503)),
      .always(.critical, .status(503)), .always(.uncritical, .status(503)),
    ]
    scenario.critical = ["GET /hom"]
    let deck = Self.deck(scenario)
    Self.ask(deck, "/get")
    expectEqual(
      Self.lines(deck),
      [
        #"rule 1 `{"request":"GET /get","header":"X-Beta"}` matched no request; seen: GET /get"#,
        #"rule 2 `{"critical":true}` matched no request; seen: GET /get"#,
      ]
    )
    Self.ask(deck, "/get", ["x-beta": "1"])
    Self.ask(deck, "/hom")
    expectEqual(Self.lines(deck), [])
  }

  @Test func `a rule for connections has met the first that came, with a request or without`() {
    let scenario: Scenario = [.always(.first(1), .connection(.refused))]
    let (asked, refused, idle) = (Self.deck(scenario), Self.deck(scenario), Self.deck(scenario))
    Self.ask(asked, "/get")
    _ = refused.open(lane: .deck, on: .inProcess)
    expectEqual(Self.lines(asked), [])
    expectEqual(Self.lines(refused), [])
    expectEqual(Self.lines(idle), ["rule 1 `{}` matched no request; none arrived"])
  }

  @Test func `a tunnel meets the rules that mean it`() {
    let deck = Self.deck([
      .on("CONNECT api.example.test:443", .always, .reset(.afterRequest)),
      .on("CONNECT other.test", .always, .reset(.afterRequest)),
    ])
    _ = deck.openTunnel(to: "api.example.test:443")
    expectEqual(deck.unmetRules.map(\.number), [2])
  }

  @Test func `each scenario is held to its own rules, and goes on where it was`() {
    let first: Scenario = [
      .on("GET /get", .always, .status(503)), .on("GET /a", .always, .status(503)),
    ]
    let second = Scenario("metro", rules: [.on("GET /b", .always, .status(503))])
    let deck = Self.deck(first)
    Self.ask(deck, "/get")
    deck.swap(second)
    Self.ask(deck, "/a")
    expectEqual(
      Self.lines(deck),
      [
        "rule 2 `GET /a` matched no request; seen: GET /get, GET /a",
        "rule 1 `GET /b` of metro matched no request; seen: GET /get, GET /a",
      ]
    )
    deck.swap(first)
    Self.ask(deck, "/a")
    expectEqual(deck.unmetRules.map(\.scenario), ["metro"])
    deck.reset()
    expectEqual(Self.lines(deck).count, 2)
  }

  @Test func `no more weathers are remembered than the limit`() {
    let deck = Self.deck([.on("GET /0", .always, .status(503))])
    for number in 1...RuleUse.scenariosMax + 5 {
      deck.swap([.on(RequestPattern("GET /\(number)"), .always, .status(503))])
    }
    expectEqual(deck.unmetRules.count, RuleUse.scenariosMax)
    expectEqual(deck.unmetRules.first?.requests, "GET /6")
    expectEqual(deck.unmetRules.last?.requests, "GET /\(RuleUse.scenariosMax + 5)")
  }

  @Test func `of many requests the first five are named, each once`() {
    let deck = Self.deck([.on("GET /x", .always, .status(503))])
    for number in [1, 2, 1, 3, 4, 5, 6, 7] { Self.ask(deck, "/\(number)") }
    expectEqual(
      Self.lines(deck),
      [
        "rule 1 `GET /x` matched no request; seen: GET /1, GET /2, GET /3, GET /4, GET /5 "
          + "and 2 more"
      ]
    )
  }

  @Test func `it is a demand where it is made one, also of what is recorded anew`() {
    let scenario: Scenario = [.on("GET /gett", .always, .status(503))]
    let deck = Self.deck(scenario)
    Self.ask(deck, "/get")
    expectEqual(
      deck.unmet(.everyRule).map { "\($0)" },
      [
        "Every rule must match a request, but rule 1 `GET /gett` matched no request; seen: "
          + "GET /get."
      ]
    )
    expectEqual(deck.unmet([.everyInteraction, .inOrder]).count, 1)
    expectEqual(deck.unmet([]), [])
    expectEqual(deck.unmet([.everyInteraction, .everyRule]).count, 2)
    expectEqual(Deck(Cassette(), scenario: scenario, mode: .rewrite).unmet(.everyRule).count, 1)
    expectEqual(Self.deck(.calm).unmet(.everyRule), [])
  }

  @Test func `hosts that are left alone meet no rule`() {
    let deck = Deck(
      Cassette(),
      scenario: [.on("GET /get", .always, .status(503))],
      options: PlaybackOptions(ignoring: ["api.example.test"])
    )
    Self.ask(deck, "/get")
    expectEqual(deck.unmetRules.count, 1)
  }

  @Test func `what no file could say is refused with its place`() {
    let negative: Scenario = [.on("GET /get", .first(-2), .status(503))]
    #expect(
      refusal { try negative.check() }.hasPrefix("plan, rules[0].when.first: -2 "),
      "\(refusal { try negative.check() })"
    )
    let fine: Scenario = [.on("GET /get", .first(2), .status(503, retryAfter: .seconds(1)))]
    #expect(throws: Never.self) { try fine.check() }
  }
}
