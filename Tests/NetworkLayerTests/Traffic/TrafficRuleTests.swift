import TestSupport
import WindTunnelTesting

@testable import WindTunnelNetworkLayer

/// The rules of slots, breakers, budgets and deadlines that a call meets seldom.
@Suite struct TrafficRuleTests {
  typealias Ticket = GateState.Ticket

  @Test func `what is overtaken by newcomers has its turn, too, and then any slot is good for it`()
  {
    var state = GateState(TrafficCaps(total: 2, reserved: 1, overtakingsMax: 2))
    let later = Ticket(host: "a", endpoint: "/", priority: .deferrable)
    let now = Ticket(host: "a", endpoint: "/")
    let entered = [state.arrive(1, later), state.arrive(2, later), state.arrive(3, now)]
    expectEqual(entered, [true, false, true])
    let first = state.leave(3)
    expectEqual(first, [])
    let isIn = state.arrive(4, now)
    #expect(isIn)
    // Overtaken twice.
    let second = state.leave(4)
    expectEqual(second, [2])
  }

  @Test func `calls of other hosts do not overtake a call that waits for its own host`() {
    var state = GateState(TrafficCaps(total: 3, perHost: 1, reserved: 0, overtakingsMax: 1))
    let later = Ticket(host: "a", endpoint: "/", priority: .deferrable)
    let entered = [
      state.arrive(1, Ticket(host: "a", endpoint: "/")), state.arrive(2, later),
      state.arrive(3, Ticket(host: "b", endpoint: "/")),
      state.arrive(4, Ticket(host: "c", endpoint: "/")),
      state.arrive(5, Ticket(host: "a", endpoint: "/", priority: .critical)),
    ]
    expectEqual(entered, [true, false, true, true, false])
    let admitted = [state.leave(1), state.leave(5)]
    expectEqual(admitted, [[5], [2]])
  }

  @Test func `while all is suspended a slot that becomes free stays free`() {
    var state = GateState(TrafficCaps(total: 1, reserved: 0))
    let ticket = Ticket(host: "a", endpoint: "/")
    let entered = [state.arrive(1, ticket), state.arrive(2, ticket)]
    expectEqual(entered, [true, false])
    let admitted = [state.suspend(true), state.leave(1), state.suspend(false)]
    expectEqual(admitted, [[], [], [2]])
  }

  @Test func `a call that is suspended in the queue takes no slot from others`() async throws {
    let fixture = try HeldFixture(.init(caps: TrafficCaps(total: 1)))
    let first = await fixture.start(Endpoint(.get, "/first"))
    await expectEqual(fixture.transport.next(), "/first")
    let (pause, client) = (CallPause(), fixture.client)
    let second = Task {
      try await client.call(Endpoint(.get, "/second"), progress: nil, pausedBy: pause)
    }
    while fixture.waits != [.slot] { await Task.yield() }
    pause.suspend()
    let third = await fixture.start(Endpoint(.get, "/third"))
    fixture.transport.answer("/first")
    // What was suspended gets the slot first, and gives it away.
    let next = await fixture.transport.next()
    expectEqual(next, "/third")
    while next == "/third", !fixture.waits.contains(.pause) { await Task.yield() }
    pause.resume()
    fixture.transport.answer(next)
    let last = await fixture.transport.next()
    expectEqual(last, "/second")
    fixture.transport.answer(last)
    for call in [first, third] { try await expectEqual(call.value.get().attempts, 1) }
    try await expectEqual(second.value.attempts, 1)
    #expect(fixture.client.admission.load == (0, 0))
  }

  @Test(arguments: [
    ("http://a.test/x", "a.test"), ("http://a.test:8080/x", "a.test:8080"),
    ("https://a.test:443", "a.test:443"),
  ])
  func `two ports of one machine are two hosts`(url: String, host: String) throws {
    try expectEqual(#require(URL(string: url)).origin, host)
  }

  @Test func `a probe that succeeds makes the next pause as short as the first`() {
    let rules = BreakerRules(window: 1, share: 1, pause: .seconds(5), longestPause: .seconds(60))
    var breaker = CircuitBreaker(rules)
    breaker.report(.go, hasFailed: true, at: .zero)
    var admissions = [breaker.admit(at: .seconds(5))]
    breaker.report(.probe, hasFailed: true, at: .seconds(5))
    admissions.append(breaker.admit(at: .seconds(15)))
    breaker.report(.probe, hasFailed: false, at: .seconds(15))
    breaker.report(.go, hasFailed: true, at: .seconds(15))
    admissions.append(breaker.admit(at: .seconds(15)))
    expectEqual(admissions, [.probe, .probe, .refused(.seconds(5))])
  }

  @Test func `what began before the pause does not prolong it`() {
    var breaker = CircuitBreaker(BreakerRules(window: 1, share: 1, pause: .seconds(5)))
    breaker.report(.go, hasFailed: true, at: .zero)
    breaker.report(.go, hasFailed: true, at: .seconds(4))
    let refused = breaker.admit(at: .seconds(4))
    expectEqual(refused, .refused(.seconds(1)))
  }

  @Test func `the latest attempts decide, however many there were before`() {
    var breaker = CircuitBreaker(BreakerRules(window: 3, share: 1, pause: .seconds(5)))
    var admissions: [CircuitBreaker.Admission] = []
    for hasFailed in [false, false, false, true, true, true] {
      admissions.append(breaker.admit(at: .zero))
      breaker.report(.go, hasFailed: hasFailed, at: .zero)
    }
    admissions.append(breaker.admit(at: .zero))
    expectEqual(admissions, Array(repeating: .go, count: 6) + [.refused(.seconds(5))])
  }

  @Test func `of more hosts than are remembered the others are asked each time`() {
    let admission = AdmissionController(.init(breaker: BreakerRules(window: 1)), time: ManualTime())
    let lost = AttemptOutcome.failure(.failed(.timedOut, text: ""))
    let refused = (0..<1100).count { number in
      let host = "\(number).example.test"
      let place = RateLimits.Endpoint(host: host, method: "GET", endpoint: "/")
      admission.report(place, admission.admit(host), lost)
      return admission.admit(host) != .go
    }
    expectEqual(refused, 1024)
  }

  @Test func `a disk without room speaks against no host, and is no reason to try again`()
    async throws
  {
    let full = ScriptedTransport.Step(outcome: .failure(.file("full")))
    let fixture = try Fixture([full, .status(200)], rules: .init(breaker: BreakerRules(window: 1)))
    await expectEqual(fixture.start().value, .failure(.file("full")))
    expectEqual(fixture.transport.instants, [.zero])
    expectEqual(fixture.client.admission.admit("api.example.test"), .go)
  }

  @Test(.cassette("outages")) func `without a budget each retry is free`() async throws {
    let fixture = try Fixture(at: "/down", rules: .init(budget: nil))
    let result = await fixture.time.passing { await fixture.result(of: fixture.page) }
    expectEqual(result, .failure(.server(status: 503, body: Data())))
    expectEqual(fixture.transport.instants.count, 4)
  }

  @Test func `no cap is so low that nothing starts`() {
    let caps = TrafficCaps(total: 0, perHost: 0, perEndpoint: ["/a": 0], reserved: 9)
    expectEqual(caps, TrafficCaps(total: 1, perHost: 1, perEndpoint: ["/a": 1], reserved: 0))
  }

  @Test func `a configuration leaves an endpoint the limits that it does not name`() {
    var endpoint = Endpoint(.get, "/a")
    endpoint.limits = CallLimits(attemptTimeout: .seconds(9), deadline: .seconds(30))
    let terms = EndpointTerms(attemptTimeoutMilliseconds: 7000)
    let limits = CallLimits(attemptTimeout: .seconds(1), deadline: .seconds(2))
    expectEqual(
      terms.applied(to: endpoint, upon: limits).limits,
      CallLimits(attemptTimeout: .seconds(7), deadline: .seconds(30))
    )
    expectEqual(
      terms.applied(to: Endpoint(.get, "/a"), upon: limits).limits,
      CallLimits(attemptTimeout: .seconds(7), deadline: .seconds(2))
    )
  }

  @Test func `a caller who gives up says nothing of the host`() async throws {
    let fixture = try HeldFixture(.init(breaker: BreakerRules(window: 1)))
    let call = await fixture.start(Endpoint(.get, "/a"))
    await expectEqual(fixture.transport.next(), "/a")
    call.cancel()
    await expectEqual(call.value, .failure(.cancelled))
    expectEqual(fixture.client.admission.admit("api.example.test"), .go)
  }

  @Test(.cassette("outages")) func `a retry that the deadline forbids costs nothing`() async throws
  {
    let rules = AdmissionController.Rules(budget: RetryBudget(share: 0, reserve: 1))
    let fixture = try Fixture(at: "/down", deadline: .milliseconds(200), rules: rules)
    await expectEqual(fixture.start().value, .failure(.server(status: 503, body: Data())))
    let paid = [fixture.client.admission.spend(), fixture.client.admission.spend()]
    expectEqual(paid, [true, false])
  }

  @Test(.cassette("outages"))
  func `the deadline of a call counts from its own start`() async throws {
    let fixture = try Fixture(at: "/once", deadline: .seconds(2))
    fixture.time.advance(by: .seconds(3600))
    let result = await fixture.time.passing(but: .seconds(2)) {
      await fixture.result(of: fixture.page)
    }
    expectEqual(result, .success(CallResponse(status: 200, body: Data("back".utf8), attempts: 2)))
  }

  /// Two calls at the same time, and whether they are one.
  struct Pair: Sendable, CustomTestStringConvertible {
    var testDescription: String
    var one = Endpoint(.get, "/news", priority: .deferrable)
    var other = Endpoint(.get, "/news", priority: .deferrable)
    var areOne = false
  }

  static let pairs = [
    Pair(testDescription: "equal ones", areOne: true),
    Pair(
      testDescription: "a user waits for one",
      one: Endpoint(.get, "/news"),
      other: Endpoint(.get, "/news")
    ),
    Pair(
      testDescription: "another language",
      other: Endpoint(.get, "/news", headers: ["Accept-Language": "de"], priority: .deferrable)
    ),
    Pair(
      testDescription: "another query",
      other: Endpoint(.get, "/news", query: ["page": "2"], priority: .deferrable)
    ),
    Pair(
      testDescription: "other rules",
      other: Endpoint(.get, "/news", priority: .deferrable, rules: .json(requiring: "id"))
    ),
    Pair(
      testDescription: "changes",
      one: Endpoint(.post, "/news", priority: .deferrable),
      other: Endpoint(.post, "/news", priority: .deferrable)
    ),
  ]

  @Test(arguments: pairs)
  func `only equal questions that nobody waits for share an answer`(pair: Pair) async throws {
    let fixture = try HeldFixture()
    fixture.client.admission.suspend()
    var calls: [Task<Result<CallResponse, NetworkError>, Never>] = []
    for endpoint in [pair.one, pair.other] { calls.append(await fixture.start(endpoint)) }
    expectEqual(fixture.waits, [.slot, pair.areOne ? .sharedResponse : .slot])
    for call in calls { call.cancel() }
    for call in calls { await expectEqual(call.value, .failure(.cancelled)) }
    #expect(fixture.client.admission.load == (0, 0))
  }
}
