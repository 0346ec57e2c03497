import TestSupport
import WindTunnelNetworkLayer
import WindTunnelVirtualTimeTesting

/// A client with all its policy, and nothing in it that knows of virtual time.
@Suite(.virtualTime(seed: 1), .onThisSystem, .timeLimit(.minutes(5)))
struct ClientInVirtualTimeTests {
  /// Answers after so long, each time with the next of these statuses, and the last from then on.
  private actor Server {
    private var statuses: [Int]
    private let delay: Duration
    private(set) var asked: [Duration] = []
    private let begun = ContinuousClock.now

    init(_ statuses: [Int], after delay: Duration = .milliseconds(40)) {
      (self.statuses, self.delay) = (statuses, delay)
    }

    func answer() async -> ServerResponse {
      asked.append(ContinuousClock.now - begun)
      let status = statuses.count > 1 ? statuses.removeFirst() : statuses[0]
      try? await Task.sleep(for: delay)
      return ServerResponse(status: status, body: Data("{}".utf8))
    }
  }

  private static func client(
    _ server: Server,
    _ policy: RetryPolicy = RetryPolicy(),
    limits: CallLimits = CallLimits(),
    breaker: BreakerRules = BreakerRules()
  ) throws -> NetworkClient {
    NetworkClient(
      builder: RequestBuilder(baseURL: try #require(URL(string: "http://a.test"))),
      policy: policy,
      transport: ScriptedEngine { _ throws(TransportError) in
        let answer = await server.answer()
        if Task.isCancelled { throw TransportError.cancelled }
        return answer
      },
      limits: limits,
      admission: AdmissionController(AdmissionController.Rules(breaker: breaker))
    )
  }

  @Test func `four retries with back-off up to a minute`() async throws {
    let server = Server([503, 503, 503, 503, 200], after: .zero)
    let policy = RetryPolicy(
      mostRetries: [.status(503): 4],
      backoff: Backoff(base: .seconds(15), cap: .seconds(60), jitter: .full)
    )
    let answer = try await Self.client(server, policy, limits: CallLimits(deadline: nil))
      .call(Endpoint(.get, "/home"))
    expectEqual(answer.status, 200)
    let asked = await server.asked
    let waits = zip(asked, asked.dropFirst()).map { $1 - $0 }
    expectEqual(waits.count, 4)
    for (wait, longest) in zip(waits, [15.0, 30, 60, 60]) {
      #expect(wait > .zero && wait <= .seconds(longest))
    }
  }

  @Test func `a circuit that opens for five minutes`() async throws {
    let server = Server([503, 503, 503, 503, 200], after: .zero)
    let client = try Self.client(
      server,
      RetryPolicy(mostRetries: [:]),
      breaker: BreakerRules(window: 4, share: 1, pause: .seconds(300))
    )
    let endpoint = Endpoint(.get, "/home")
    for _ in 0..<4 { _ = try? await client.call(endpoint) }
    await #expect(throws: NetworkError.self) { try await client.call(endpoint) }
    try await Task.sleep(for: .seconds(299))
    await #expect(throws: NetworkError.self) { try await client.call(endpoint) }
    await expectEqual(server.asked.count, 4, "nobody asked while it was open")
    try await Task.sleep(for: .seconds(1))
    try await expectEqual(client.call(endpoint).status, 200)
    await expectEqual(server.asked.last, .seconds(300))
  }

  @Test func `a call that is never answered ends at its deadline, to the instant`() async throws {
    let server = Server([200], after: .seconds(3600))
    let start = ContinuousClock.now
    let client = try Self.client(
      server,
      limits: CallLimits(attemptTimeout: .seconds(3600), deadline: .seconds(60))
    )
    await #expect(throws: NetworkError.self) { try await client.call(Endpoint(.get, "/home")) }
    expectEqual(ContinuousClock.now - start, .seconds(60))
  }
}
