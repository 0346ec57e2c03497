import TestSupport
import WindTunnelTesting

@testable import WindTunnelNetworkLayer

@Suite struct BudgetTests {
  @Test(.cassette("outages"))
  func `retries in an outage are the reserve and a fifth of the calls`() async throws {
    let count = 60
    let fixture = try Fixture(at: "/down", rules: .init(breaker: nil))
    let clock = Task {
      while let wait = await fixture.time.nextSleep() { fixture.time.advance(by: wait) }
    }
    defer { clock.cancel() }
    for _ in 0..<count {
      let result = await fixture.start().value
      expectEqual(result, .failure(.server(status: 503, body: Data())))
    }
    // 10 + 60 / 5: an amplification of 82 / 60 = 1.37.
    expectEqual(fixture.transport.instants.count, 82)
    let unpaid = fixture.observer.events.count {
      if case .retryNotPaid = $0.kind { true } else { false }
    }
    // 10.2, 7.4 and 4.6 pay for all three retries of the first three calls, which want no fourth;
    // 1.8 pays for one of the fourth's. From there on a call finds at most 1.8, so no later one gets
    // all it wants, and each of the 57 is told once, before it ends.
    expectEqual(unpaid, count - 3)
  }

  @Test func `what is saved up has an end`() {
    var budget = RetryBudget(share: 0.2, reserve: 1, most: 2)
    for _ in 0..<100 { budget.earn() }
    let paid = [budget.spend(), budget.spend(), budget.spend()]
    expectEqual(paid, [true, true, false])
  }

  @Test func `five fifths are a whole`() {
    var budget = RetryBudget(share: 0.2, reserve: 0)
    for _ in 0..<4 { budget.earn() }
    let early = budget.spend()
    budget.earn()
    let paid = [early, budget.spend(), budget.spend()]
    expectEqual(paid, [false, true, false])
  }
}

@Suite struct BreakerTests {
  let rules = BreakerRules(window: 4, share: 0.75, pause: .seconds(5), longestPause: .seconds(15))

  func afterwards(_ failures: [Bool], at now: Duration = .zero) -> CircuitBreaker {
    var breaker = CircuitBreaker(rules)
    for hasFailed in failures {
      breaker.report(breaker.admit(at: now), hasFailed: hasFailed, at: now)
    }
    return breaker
  }

  func asked(_ breaker: inout CircuitBreaker, _ now: Duration) -> CircuitBreaker.Admission {
    breaker.admit(at: now)
  }

  @Test func `three of the last four open it, and fewer or earlier ones do not`() {
    var open = afterwards([false, true, true, true])
    expectEqual(asked(&open, .seconds(2)), .refused(.seconds(3)))
    for closed in [
      [true, true, true], [true, true, false, false, true], [false, true, false, true],
    ] {
      var breaker = afterwards(closed)
      expectEqual(asked(&breaker, .seconds(2)), .go)
    }
  }

  @Test func `after the pause one attempt probes, and its end decides`() {
    var breaker = afterwards([true, true, true, true])
    expectEqual(asked(&breaker, .seconds(5)), .probe)
    expectEqual(asked(&breaker, .seconds(5)), .refused(.seconds(5)))
    breaker.report(.probe, hasFailed: true, at: .seconds(6))
    // The pause doubles, up to the longest.
    expectEqual(asked(&breaker, .seconds(6)), .refused(.seconds(10)))
    expectEqual(asked(&breaker, .seconds(16)), .probe)
    breaker.report(.probe, hasFailed: true, at: .seconds(16))
    expectEqual(asked(&breaker, .seconds(16)), .refused(.seconds(15)))
    expectEqual(asked(&breaker, .seconds(31)), .probe)
    breaker.report(.probe, hasFailed: false, at: .seconds(31))
    expectEqual(asked(&breaker, .seconds(31)), .go)
    breaker.report(.go, hasFailed: true, at: .seconds(31))
    expectEqual(asked(&breaker, .seconds(31)), .go)
  }

  @Test func `a cancelled probe lets the next one probe`() {
    var breaker = afterwards([true, true, true, true])
    expectEqual(asked(&breaker, .seconds(5)), .probe)
    breaker.report(.probe, hasFailed: nil, at: .seconds(6))
    expectEqual(asked(&breaker, .seconds(6)), .probe)
  }

  @Test(.cassette("outages"))
  func `a host that fails is left alone, and others are not`() async throws {
    let fixture = try Fixture(at: "/refusing", rules: .init(breaker: rules))
    await expectEqual(
      fixture.waited(3).result,
      .failure(.transport(.connectionRefused, text: "connectionRefused"))
    )
    let host = "api.example.test"
    await expectEqual(
      fixture.start().value,
      .failure(.circuitOpen(host: host, retryAfter: .seconds(5)))
    )
    expectEqual(fixture.transport.instants.count, 4)
    expectEqual(fixture.client.admission.admit("other.example.test"), .go)
    fixture.time.advance(by: .seconds(5))
    let back = CallResponse(status: 200, body: Data("back".utf8))
    await expectEqual(fixture.start().value, .success(back))
    #expect(fixture.client.admission.load == (0, 0))
  }

  @Test(.cassette("outages"))
  func `a call whose host closes off between attempts tells what it met`() async throws {
    let fixture = try Fixture(at: "/broken", rules: .init(breaker: BreakerRules(window: 2)))
    let broken = NetworkError.server(status: 500, body: Data("x".utf8))
    await expectEqual(fixture.waited(2).result, .failure(broken))
    expectEqual(fixture.transport.instants.count, 2)
  }

  @Test func `neither a refusal nor a missing network speaks against a host`() {
    let outcomes: [(AttemptOutcome, Bool?)] = [
      (.success(ServerResponse(status: 404)), false),
      (.success(ServerResponse(status: 429)), false),
      (.success(ServerResponse(status: 500)), true), (.failure(.cancelled), nil),
      (.failure(.failed(.offline, text: "")), nil), (.failure(.failed(.timedOut, text: "")), true),
    ]
    for (outcome, speaks) in outcomes { expectEqual(outcome.speaksAgainstHost, speaks) }
  }
}
