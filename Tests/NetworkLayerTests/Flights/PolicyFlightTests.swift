import TestSupport
import WindTunnel
import WindTunnelTesting

@testable import WindTunnelNetworkLayer

/// Each rule of the policy with the very attempts and gaps that it promises, in process and on the
/// wire.
@Suite struct PolicyFlightTests {
  struct Row: Sendable, CustomTestStringConvertible {
    var testDescription: String
    var endpoint = Endpoint(.get, "/users/7")
    var plan: Scenario
    var rules = AdmissionController.Rules()
    var policy = RetryPolicy(backoff: Backoff(jitter: .none))
    /// However long the machine takes.
    var limits = CallLimits(attemptTimeout: .seconds(3600), deadline: nil)
    /// The stages that can make this weather.
    var stages = Stage.allCases
    /// Whether a request reaches a host.
    var isSeen = true
    /// `status 200`, or the error's symptom or status.
    var end: String
    var gaps: [Int] = []
  }

  /// What the rows call.
  private static let endpoints: [String: Endpoint] = {
    let body = RequestBody.data(Data("1".utf8))
    let key: Headers = ["Idempotency-Key": "k1"]
    return [
      "GET": Endpoint(.get, "/users/7"), "PUT": Endpoint(.put, "/users/7", body: body),
      "DELETE": Endpoint(.delete, "/users/7"), "POST": Endpoint(.post, "/pay", body: body),
      "POST with a key": Endpoint(.post, "/pay", headers: key, body: body),
    ]
  }()

  /// The error table, `Retry-After` and the methods. A row has a fault for the first attempts, or 0
  /// for each, and whether a request reaches a host: if not, only one stage can play it.
  private static func rows() throws -> [Row] {
    let rows: [(String, String, Int, String, Bool, String, [Int])] =
      try TestData.rows("policy.json", count: 27)
    return try rows.map { name, call, count, fault, isSeen, end, gaps in
      let when = count == 0 ? "" : #""when": { "first": \#(count) }, "#
      let rule = "{ \(when)\"faults\": [\(fault)] }"
      let plan = #"{ "windtunnelScenario": 1, "name": "plan", "rules": [\#(rule)] }"#
      return Row(
        testDescription: name,
        endpoint: try #require(endpoints[call]),
        plan: try Scenario(data: Data(plan.utf8), source: "policy.json"),
        stages: isSeen ? Stage.allCases : [.inProcess],
        isSeen: isSeen,
        end: end,
        gaps: gaps
      )
    }
  }

  /// The rows with limits, rules or a policy of their own.
  private static let specialRows = [
    Row(testDescription: "calm", plan: .calm, end: "status 200"),
    Row(
      testDescription: "silence for longer than an attempt may take",
      plan: [.always(.first(1), .stall(.afterRequest))],
      limits: CallLimits(attemptTimeout: .seconds(5), deadline: nil),
      end: "status 200",
      gaps: [200]
    ),
    Row(
      testDescription: "waits that double up to the cap",
      plan: [.always(.first(5), .status(503))],
      policy: RetryPolicy(
        mostRetries: [.status(503): 5],
        backoff: Backoff(base: .seconds(1), cap: .seconds(3), jitter: .none)
      ),
      end: "status 200",
      gaps: [1000, 2000, 3000, 3000, 3000]
    ),
    Row(
      testDescription: "a deadline that the third wait would reach",
      plan: [.always(.always, .status(503))],
      limits: CallLimits(attemptTimeout: .seconds(3600), deadline: .milliseconds(1400)),
      end: "status 503",
      gaps: [200, 400]
    ),
    Row(
      testDescription: "a budget that is spent",
      plan: [.always(.always, .status(503))],
      rules: .init(budget: RetryBudget(share: 0, reserve: 0)),
      end: "status 503"
    ),
    Row(
      testDescription: "a budget of one retry",
      plan: [.always(.always, .status(503))],
      rules: .init(budget: RetryBudget(share: 0, reserve: 1)),
      end: "status 503",
      gaps: [200]
    ),
    Row(
      testDescription: "a host that is left alone after two failures",
      plan: [.always(.always, .status(500))],
      rules: .init(breaker: BreakerRules(window: 2)),
      end: "status 500",
      // The second wait is begun, and then nothing is sent.
      gaps: [200, 400]
    ),
  ]

  /// A row for one kind of call on one stage.
  struct Flight: Sendable, CustomTestStringConvertible {
    var row: Row
    var kind: FlightStand.Kind
    var stage: Stage
    var testDescription: String { "\(row.testDescription), \(kind), \(stage)" }

    /// Tells whether there is such a call: one that sends something, or one that brings something.
    var isPossible: Bool {
      switch kind {
      case .call: true
      case .upload: row.endpoint.body != nil
      case .download: row.endpoint.method == .get
      // A stream has been opened when its content breaks off: that is its reader's.
      case .stream: row.endpoint.method == .get && row.testDescription != "a truncated body"
      }
    }
  }

  static func flights() throws -> [Flight] {
    try (rows() + specialRows).flatMap { row in
      row.stages.flatMap { stage in
        FlightStand.Kind.allCases.map { Flight(row: row, kind: $0, stage: stage) }
          .filter(\.isPossible)
      }
    }
  }

  @Test(.world, arguments: try flights())
  func `a rule makes these attempts with these gaps`(flight: Flight) async throws {
    let (row, stage) = (flight.row, flight.stage)
    let method = row.endpoint.method.rawValue
    let deck = FlightStand.deck(row.endpoint.path, row.plan, method: method)
    try await FlightStand.run(
      deck,
      on: stage,
      row.rules,
      policy: row.policy,
      limits: row.limits
    ) { stand in
      let (result, gaps) = await stand.call(row.endpoint, as: flight.kind)
      expectEqual(Self.name(result), row.end)
      expectEqual(gaps, row.gaps.map { .milliseconds($0) })
      let isBroken = row.rules.breaker?.window == 2
      let attempts = row.gaps.count + (isBroken ? 0 : 1)
      expectEqual(stand.sent.count, attempts)
      // What never reaches a host is not seen there.
      if row.isSeen {
        expectEqual(deck.attempts(RequestPattern("\(method) \(row.endpoint.path)")), attempts)
      }
      #expect(stand.client.admission.load == (0, 0))
    }
  }

  static func name(_ result: Result<WindTunnelNetworkLayer.CallResponse, NetworkError>) -> String {
    switch result {
    case .success(let answer): "status \(answer.status)"
    case .failure(.server(let status, _)), .failure(.credentials(let status, _)):
      "status \(status)"
    case .failure(.rateLimited): "rate limited"
    case .failure(.transport(let symptom, _)): symptom.rawValue
    case .failure(let error): "\(error)"
    }
  }

  @Test(
    .cassette("flights", matching: .pathAndQuery, then: .repeat),
    .faults([.always(.attempt(3), .status(404)), .always(.attempt(4), .reset(.afterRequest))]),
    arguments: Stage.allCases
  )
  func `a stale answer is asked about by its tag, and shown if the server fails`(
    stage: Stage
  ) async throws {
    try await FlightStand.run(
      on: stage,
      .init(budget: RetryBudget(share: 0, reserve: 0)),
      cache: ResponseCache()
    ) { stand in
      var seen: [String] = []
      for _ in 0..<4 {
        let (result, _) = await stand.call(Endpoint(.get, "/tagged"))
        seen.append((try? result.get()).map { "\($0.source)" } ?? Self.name(result))
        stand.time.advance(by: .seconds(2))
      }
      expectEqual(seen, ["network", "revalidated", "status 404", "stale"])
      let tags = Deck.current.requests().map { $0.headers["If-None-Match"] }
      expectEqual(tags, [nil, "\"1\"", "\"1\"", "\"1\""])
    }
  }
}
