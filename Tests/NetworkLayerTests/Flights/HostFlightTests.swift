import Foundation
import TestSupport
import Testing
import WindTunnel

@testable import WindTunnelNetworkLayer

/// What is known of a host over several calls, in process and on the wire: breaker, budget,
/// credential, cache.
@Suite struct HostFlightTests {
  static let page = Endpoint(.get, "/page")

  func deck(
    _ plan: Scenario = .calm,
    _ answer: @escaping @Sendable (Request) -> Response = { _ in .json(["id": 7]) }
  ) -> Deck {
    Deck(
      [.get(RequestURL(FlightStand.origin + "/page"), response: answer)],
      scenario: plan,
      matcher: .pathAndQuery,
      then: .repeat
    )
  }

  @Test(arguments: Stage.allCases)
  func `a host that fails is left alone for the pause, and then probed once`(
    stage: Stage
  ) async throws {
    let deck = deck([.always(.first(4), .reset(.afterRequest))])
    let rules = BreakerRules(window: 4, share: 1, pause: .seconds(5))
    try await FlightStand.run(deck, on: stage, .init(breaker: rules)) { stand async throws in
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
    }
  }

  @Test(arguments: Stage.allCases)
  func `half a retry for each call makes one of every other`(stage: Stage) async throws {
    let deck = deck([.always(.always, .status(503))])
    let budget = RetryBudget(share: 0.5, reserve: 0)
    try await FlightStand.run(deck, on: stage, .init(budget: budget, breaker: nil)) {
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
    let deck = deck(.calm) { request in
      request.headers["Authorization"] == "Bearer 1"
        ? .json(["id": 7]) : Response(status: 401, headers: ["Content-Length": "0"])
    }
    let (open, opens) = AsyncStream<Void>.makeStream()
    let fetches = Counter()
    let tokens = BearerTokens("0") {
      for await _ in open {}
      return "\(fetches.next())"
    }
    try await FlightStand.run(deck, on: stage, authenticator: tokens) { stand async throws in
      let calls = (0..<3).map { _ in stand.start(Self.page) }
      while deck.attempts("GET /page") < 3 || stand.client.admission.load.running > 0 {
        await Task.yield()
      }
      #expect(stand.client.admission.load == (0, 0))
      opens.finish()
      for call in calls { try await expectEqual(call.value.get().attempts, 2) }
      expectEqual(fetches.next(), 2)
      expectEqual(deck.attempts("GET /page"), 6)
      #expect(stand.gaps.isEmpty)
    }
  }

  @Test(arguments: Stage.allCases)
  func `stale is shown while a newer one is fetched, once`(stage: Stage) async throws {
    let answers = Counter()
    let deck = deck(.calm) { _ in
      Response(
        headers: ["Cache-Control": "max-age=1, stale-while-revalidate=60", "Content-Length": "1"],
        body: Body("\(answers.next())")
      )
    }
    try await FlightStand.run(deck, on: stage, cache: ResponseCache()) { stand async throws in
      try await stand.client.runningErrands {
        var seen: [String] = []
        for _ in 0..<3 {
          let answer = try await stand.call(Self.page).result.get()
          seen.append("\(answer.source) \(String(decoding: answer.body, as: UTF8.self))")
          // A stale one is renewed by a call of its own.
          while stand.client.shared.revalidations.count > 0 { await Task.yield() }
          if seen.count == 1 { stand.time.advance(by: .seconds(2)) }
        }
        expectEqual(seen, ["network 1", "stale 1", "cache 2"])
        expectEqual(deck.attempts("GET /page"), 2)
      }
    }
  }
}
