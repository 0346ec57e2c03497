import TestSupport

@testable import WindTunnel

/// Triggers that ask for more than an ordinal and a draw.
@Suite struct TriggerTests {
  private static let date = Date(timeIntervalSince1970: 1_700_000_000)

  /// How many faults each request meets, asked one after the other.
  private func met(
    _ trigger: Trigger,
    _ requests: [Request],
    lanes: [Lane] = [.deck],
    after seconds: [Double] = [],
    critical: [RequestPattern] = []
  ) -> [Int] {
    let scenario = Scenario("s", rules: [FaultRule(when: trigger, [.close])], critical: critical)
    let deck = Deck(Cassette(), scenario: scenario)
    return requests.enumerated().map { place, request in
      let moment = seconds.isEmpty ? nil : Self.date + seconds[place]
      let outcome = deck.decide(request, lane: lanes[place % lanes.count], at: moment)
      return outcome.decision.faults.count
    }
  }

  private func get(_ path: String, _ headers: HeaderFields = [:]) -> Request {
    Request("GET", RequestURL(path), headers: headers)
  }

  @Test(arguments: [
    (HeaderCondition.present("accept"), [1, 1, 0]),
    (.equal("Accept", to: "text/html"), [0, 1, 0]),
    (.absent("ACCEPT"), [0, 0, 1]),
  ])
  func `a header is there, has a value, or is not there`(condition: HeaderCondition, fired: [Int]) {
    let requests = [
      get("/a", ["Accept": "*/*"]), get("/a", ["Accept": "a", "ACCEPT": "text/html"]), get("/a"),
    ]
    expectEqual(met(.header(condition), requests), fired)
  }

  @Test func `critical endpoints are those of the scenario`() {
    let requests = [get("/home"), get("/a"), Request("POST", "/home")]
    expectEqual(met(.critical, requests, critical: ["GET /home"]), [1, 0, 0])
    expectEqual(met(.uncritical, requests, critical: ["GET /home"]), [0, 1, 1])
    expectEqual(met(.critical, requests), [0, 0, 0])
  }

  @Test func `a window counts from the first moment that was told, and its end is not in it`() {
    let requests = Array(repeating: get("/a"), count: 6)
    let seconds = [0, 0.999, 1, 1.5, 2, 100]
    let window = Trigger.window(from: .seconds(1), until: .seconds(2))
    expectEqual(met(window, requests, after: seconds), [0, 0, 1, 1, 0, 0])
    expectEqual(met(.window(from: .seconds(1)), requests, after: seconds), [0, 0, 1, 1, 1, 1])
    expectEqual(met(.window(until: .seconds(1)), requests, after: seconds), [1, 1, 0, 0, 0, 0])
    // Who tells no time is always at the beginning.
    expectEqual(met(.window(until: .seconds(1)), requests), [1, 1, 1, 1, 1, 1])
    expectEqual(met(window, requests), [0, 0, 0, 0, 0, 0])
  }

  @Test func `connections follow the clock, too, and another scenario begins its own time`() {
    let scenario: Scenario = [.always(.window(until: .seconds(1)), .connection(.refused))]
    let deck = Deck(Cassette(), scenario: scenario)
    func open(after seconds: Double) -> Bool {
      deck.open(lane: .deck, on: .onTheWire, at: Self.date + seconds) == .nothing
    }
    expectEqual([0, 0.5, 1].map(open), [false, false, true])
    deck.swap(scenario)
    expectEqual([5, 5.5, 6].map(open), [false, false, true])
    deck.reset()
    expectEqual([7, 8].map(open), [false, true])
  }

  @Test func `a rule holds until a field is another than at first in its lane`() {
    let (old, new) = (get("/a", ["Authorization": "old"]), get("/a", ["Authorization": "new"]))
    let trigger = Trigger.until(headerChanges: "authorization")
    expectEqual(
      met(trigger, [old, old, new, get("/b", ["Authorization": "new"]), old]),
      [1, 1, 0, 0, 1]
    )
    expectEqual(met(trigger, [get("/a"), get("/b"), old, new]), [1, 1, 0, 0])
    // Each lane has its own beginning.
    let lanes = [Lane("1"), Lane("2")]
    expectEqual(met(trigger, [old, new, new, new], lanes: lanes), [1, 1, 0, 1])
  }

  @Test func `requests that a rule does not mean are not its first`() {
    var trigger = Trigger.until(headerChanges: "Authorization")
    trigger.request = "GET /users/*"
    let log = [
      get("/login", ["Authorization": "basic"]), get("/users/7", ["Authorization": "old"]),
      get("/users/8", ["Authorization": "old"]), get("/users/7", ["Authorization": "new"]),
    ]
    expectEqual(met(trigger, log), [0, 1, 1, 0])
  }

  /// What requests of calls meet, where a credential expires with the call of number 2 and none is
  /// asked for from number 6 on.
  private func refused(
    _ log: [(call: Int, request: Request)],
    by condition: Credential.Condition = .expired
  ) -> [Int] {
    let trigger = Trigger(calls: CallRange(from: 2, until: 6), credential: condition)
    var scenario = Scenario("s", rules: [FaultRule(when: trigger, [.status(401)])])
    scenario.credential = Credential(issuer: "POST /login")
    let deck = Deck(Cassette(), scenario: scenario)
    return log.map { call, request in
      deck.decide(request, lane: Lane("s/\(call)"), at: nil).decision.faults.count
    }
  }

  private func bearing(_ token: String?) -> Request {
    get("/a", token.map { ["Authorization": "Bearer \($0)"] } ?? [:])
  }

  private let login = Request("POST", "/login")

  @Test func `a credential expires for all calls at once, and a new one is for all of them`() {
    let (old, new) = (bearing("old"), bearing("new"))
    expectEqual(
      refused([
        (0, old), (1, old), (2, old), (3, old), (2, login), (2, new), (3, old), (3, new), (4, new),
        (5, old), (6, old),
      ]),
      [0, 0, 1, 1, 0, 0, 1, 0, 0, 1, 0]
    )
    // Nobody has renewed it, so whatever comes is from before; what a call changes to is new.
    expectEqual(refused([(2, old), (3, new), (3, bearing("newer")), (4, new)]), [1, 1, 0, 1])
    expectEqual(refused([(0, login), (2, login), (2, old)]), [0, 0, 1])
  }

  @Test func `an issuer may give the same credential again, and none is one, too`() {
    for same in [bearing("old"), bearing(nil)] {
      expectEqual(
        refused([(1, same), (2, same), (3, same), (2, login), (2, same), (3, same), (4, same)]),
        [0, 1, 1, 0, 0, 0, 0]
      )
    }
    // Another call may have asked for all that were refused, and not for one that comes later.
    let same = bearing("old")
    expectEqual(
      refused([(2, same), (3, same), (4, same), (2, login), (5, same), (3, same), (4, same)]),
      [1, 1, 1, 0, 1, 0, 0]
    )
    // What asks for something without any has got no other.
    expectEqual(
      refused([(2, same), (2, bearing(nil)), (2, login), (2, same), (3, same)]),
      [1, 0, 0, 0, 0]
    )
    // One that asks the issuer without having been refused has got what has expired meanwhile.
    let old = bearing("old")
    expectEqual(refused([(1, old), (2, login), (2, old), (3, old)]), [0, 0, 1, 1])
    // One that asked without any has got the old one, given again; then it is a new one for all.
    expectEqual(
      refused([(1, old), (2, bearing(nil)), (2, login), (2, old), (3, old)]),
      [0, 1, 0, 0, 0]
    )
    // What has got another and comes with the old one again is refused.
    let log = [(2, old), (2, login), (2, bearing("new")), (2, old), (3, old)]
    expectEqual(refused(log), [1, 0, 0, 1, 1])
  }

  @Test func `where any credential is refused, the issuer is not`() {
    let log = [
      (1, bearing("a")), (2, bearing("a")), (2, login), (2, bearing("b")), (6, bearing("c")),
    ]
    expectEqual(refused(log, by: .any), [0, 1, 0, 1, 0])
  }

  @Test func `a rule for a recording means the requests that are about to get it`() {
    let recordings = ["/a", "/a", "/b/{id}"].map { Interaction(Request("GET", $0), Response()) }
    // Two lanes take turns, and each has the first recording first.
    let log = ["/a", "/b/7", "/a", "/a", "/a", "/a", "/c"]
    func met(_ number: Int, _ fault: Fault, mode: RecordMode = .none) -> [Int] {
      let scenario: Scenario = [.always(.recording(number), fault)]
      let deck = Deck(Cassette(recordings), scenario: scenario, then: .repeat, mode: mode)
      return log.enumerated().map { place, path in
        deck.decide(get(path), lane: Lane("\(place % 2)")).decision.faults.count
      }
    }
    expectEqual(met(1, .delay(.exactly(.seconds(1)))), [1, 0, 0, 1, 0, 0, 0])
    expectEqual(met(2, .delay(.exactly(.seconds(1)))), [0, 0, 1, 0, 1, 1, 0])
    expectEqual(met(3, .delay(.exactly(.seconds(1)))), [0, 1, 0, 0, 0, 0, 0])
    expectEqual(met(1, .status(503)), [1, 0, 1, 1, 1, 1, 0], "it stays due")
    expectEqual(
      met(4, .status(503)) + met(1, .status(503), mode: .rewrite),
      Array(repeating: 0, count: 14)
    )
  }

  // The chain step by step, as its definition reads.
  private func chain(_ burst: Burst, _ draws: Draws, count: Int) -> [Bool] {
    var isBad = draws.unit(1) < burst.badShare
    return (1...count).map { place in
      if place > 1 { isBad = draws.unit(place) < (isBad ? 1 - burst.badToGood : burst.goodToBad) }
      return isBad
    }
  }

  @Test(arguments: [
    Burst(goodToBad: 0.1, badToGood: 0.3), Burst(goodToBad: 0.9, badToGood: 0.8),
    Burst(goodToBad: 1, badToGood: 1), Burst(goodToBad: 0.5, badToGood: 0.5),
    Burst(goodToBad: 0, badToGood: 0.2), Burst(goodToBad: 0.2, badToGood: 0),
    Burst(goodToBad: 0.001, badToGood: 0.002),
  ])
  func `a burst at an ordinal is where a chain that walked there is`(burst: Burst) {
    let draws = Draws(seed: 3, scenario: "s", lane: .deck, key: "k", ordinal: 0, rule: "r")
    let walked = chain(burst, draws, count: 500)
    expectEqual((1...500).map { burst.isBad(at: $0, draws) }, walked)
  }

  @Test func `bursts have their share and their length from the first request on`() {
    let trigger = Trigger.burst(goodToBad: 0.1, badToGood: 0.25)
    let scenario = Scenario("s", rules: [.on("GET /**", trigger, .close)])
    let request = get("/a")
    func bad(_ lane: Int, _ ordinal: Int) -> Bool {
      let key = Matcher.url.key(request)
      let lane = Lane("call/\(lane)")
      return !scenario.decide(request, key: key, seed: 1, lane: lane, ordinal: ordinal).faults
        .isEmpty
    }
    // The chain starts where it is in the long run: 0.1 / 0.35, within four standard deviations.
    for ordinal in [1, 2, 7] {
      let share = Double((0..<4000).count { bad($0, ordinal) }) / 4000
      #expect(abs(share - 0.1 / 0.35) < 4 * (0.286 * 0.714 / 4000).squareRoot(), "\(ordinal)")
    }
    let states = (1...20_000).map { bad(0, $0) }
    let bursts = zip([false] + states, states).count { !$0 && $1 }
    #expect(abs(Double(states.count { $0 }) / Double(bursts) - 4) < 0.4)
  }

  @Test func `a rule for one endpoint changes no draw of another`() {
    let rules: [FaultRule] = [
      .on("GET /users/*", .burst(goodToBad: 0.3, badToGood: 0.3), .status(500)),
      .on("GET /users/*", .probability(0.3), .delay(.init(.zero, through: .seconds(1)))),
      .on("GET /users/*", Trigger(header: .absent("A"), probability: 0.5), .close),
    ]
    let others: [FaultRule] = [
      .on("GET /home", .burst(goodToBad: 0.3, badToGood: 0.3), .status(501)),
      .on("GET /home", .probability(0.3), .close), .on("POST /**", .always, .reset(.afterRequest)),
    ]
    let request = get("/users/7")
    func lines(_ rules: [FaultRule]) -> [String] {
      let scenario = Scenario("s", rules: rules)
      return (0..<50).flatMap { lane in
        (1...8).map { ordinal in
          scenario.decide(
            request,
            key: Matcher.url.key(request),
            seed: 5,
            lane: Lane("call/\(lane)"),
            ordinal: ordinal
          ).line
        }
      }
    }
    let alone = lines(rules)
    #expect(Set(alone).count > 100)
    expectEqual(lines(others + rules), alone)
    expectEqual(lines(rules + others), alone)
    expectEqual(lines([rules[0], others[0], rules[1], others[1], rules[2]]), alone)
  }
}
