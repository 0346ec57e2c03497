import TestSupport
import WindTunnel
import WindTunnelTesting

@testable import WindTunnelNetworkLayer

/// What is known of a host over several calls, in process and on the wire: breaker, budget,
/// credential, cache.
@Suite(.cassette("flights", matching: .pathAndQuery, then: .repeat))
struct HostFlightTests {
  static let page = Endpoint(.get, "/page")

  @Test(.faults([.always(.first(4), .reset(.afterRequest))]), arguments: Stage.allCases)
  func `a host that fails is left alone for the pause, and then probed once`(
    stage: Stage
  ) async throws {
    let (deck, rules) = (Deck.current, BreakerRules(window: 4, share: 1, pause: .seconds(5)))
    try await FlightStand.run(on: stage, .init(breaker: rules)) { stand async throws in
      var ends: [String] = []
      ends.append(PolicyFlightTests.name(await stand.call(Self.page).result))
      expectEqual(deck.attempts("GET /page"), 4)
      if case .failure(.circuitOpen(_, .seconds(5))) = await stand.call(Self.page).result {
      } else {
        Issue.record("The host was not left alone.")
      }
      stand.time.advance(by: .milliseconds(4999))
      guard case .failure(.circuitOpen(_, .milliseconds(1))) = await stand.call(Self.page).result
      else {
        Issue.record("The host was asked too early.")
        return
      }
      expectEqual(deck.attempts("GET /page"), 4)
      stand.time.advance(by: .milliseconds(1))
      ends.append(PolicyFlightTests.name(await stand.call(Self.page).result))
      expectEqual(ends, ["connectionLost", "status 200"])
      expectEqual(deck.attempts("GET /page"), 5)
      let answer = try await stand.call(Self.page).result.get()
      expectEqual(String(decoding: answer.body, as: UTF8.self), #"{"id":7}"#)
    }
  }

  @Test(.faults([.always(.always, .status(503))]), arguments: Stage.allCases)
  func `half a retry for each call makes one of every other`(stage: Stage) async throws {
    let (deck, budget) = (Deck.current, RetryBudget(share: 0.5, reserve: 0))
    try await FlightStand.run(on: stage, .init(budget: budget, breaker: nil)) {
      stand async throws in
      var attempts: [Int] = []
      for _ in 0..<6 {
        let before = deck.attempts("GET /page")
        let gaps = await stand.call(Self.page).gaps
        attempts.append(deck.attempts("GET /page") - before)
        expectEqual(gaps, (attempts.last == 2 ? [.milliseconds(200)] : []))
      }
      expectEqual(attempts, [1, 2, 1, 2, 1, 2])
    }
  }

  @Test(arguments: Stage.allCases)
  func `a new credential is fetched once, and who waits for it keeps no slot`(
    stage: Stage
  ) async throws {
    let deck = Deck.current
    let (open, opens) = AsyncStream<Void>.makeStream()
    let fetches = Counter()
    let tokens = BearerTokens("0") {
      for await _ in open {}
      return "\(fetches.next())"
    }
    try await FlightStand.run(on: stage, authenticator: tokens) { stand async throws in
      let calls = (0..<3).map { _ in stand.start(Endpoint(.get, "/locked")) }
      while deck.attempts("GET /locked") < 3 || stand.client.admission.load.running > 0 {
        await Task.yield()
      }
      #expect(stand.client.admission.load == (0, 0))
      opens.finish()
      for call in calls {
        let answer = try await call.value.get()
        expectEqual(answer.attempts, 2)
        expectEqual(String(decoding: answer.body, as: UTF8.self), #"{"id":7}"#)
      }
      expectEqual(fetches.next(), 2)
      expectEqual(
        deck.requests().map { $0.headers["Authorization"] },
        ["0", "0", "0", "1", "1", "1"].map { "Bearer \($0)" }
      )
      #expect(stand.gaps.isEmpty)
    }
  }

  @Test(arguments: Stage.allCases)
  func `stale is shown while a newer one is fetched, once`(stage: Stage) async throws {
    try await FlightStand.run(on: stage, cache: ResponseCache()) { stand async throws in
      try await stand.client.runningErrands {
        var seen: [String] = []
        for _ in 0..<3 {
          let answer = try await stand.call(Endpoint(.get, "/numbers")).result.get()
          seen.append("\(answer.source) \(String(decoding: answer.body, as: UTF8.self))")
          // A stale one is renewed by a call of its own.
          while stand.client.shared.revalidations.count > 0 { await Task.yield() }
          if seen.count == 1 { stand.time.advance(by: .seconds(2)) }
        }
        expectEqual(seen, ["network 1", "stale 1", "cache 2"])
        expectEqual(Deck.current.attempts("GET /numbers"), 2)
      }
    }
  }
}
