import TestSupport
import WindTunnelNetworkLayerDebug
import WindTunnelSymptoms

@testable import WindTunnelNetworkLayer

/// Users and their engines, and what a configuration makes of them.
@Suite struct EngineSharesTests {
  static func engine(_ body: String) -> ScriptedEngine {
    ScriptedEngine { _ throws(TransportError) in ServerResponse(status: 200, body: Data(body.utf8))
    }
  }

  static let engines: [String: any Transport] = [
    "a": engine("a"), "b": engine("b"), "c": engine("c"),
  ]

  static func shares(
    _ shares: [String: Int],
    of id: String,
    experiment: String = "engines"
  ) throws -> EngineShares {
    try EngineShares(engines, shares: shares, of: id, experiment: experiment)
  }

  /// The engine of each of so many users.
  static func engines(
    _ shares: [String: Int],
    users: Int = 20_000,
    experiment: String = "engines"
  ) throws -> [String] {
    try (0..<users).map {
      try Self.shares(shares, of: "user-\($0)", experiment: experiment).engine()
    }
  }

  @Test func `a user keeps an engine over launches`() throws {
    // As any launch, any process and any machine works them out.
    let ids = ["", "1", "ada", "0d5c0f4e-6f0c-4a5e-9f0e-0a8f7a3f1b11", "größe"]
    try expectEqual(
      ids.map { try Self.shares(["a": 1, "b": 1, "c": 1], of: $0).engine() },
      ["c", "c", "b", "c", "c"]
    )
  }

  @Test(arguments: [["a": 95, "b": 5], ["a": 1, "b": 1, "c": 2], ["a": 7], ["a": 1, "b": 0]])
  func `the users are shared out in proportion`(shares: [String: Int]) throws {
    let all = try Self.engines(shares)
    let sum = Double(shares.values.reduce(0, +))
    for (name, share) in shares {
      let expected = Double(share) / sum
      let got = Double(all.count { $0 == name }) / Double(all.count)
      // Four standard deviations.
      let most = 4 * (expected * (1 - expected) / Double(all.count)).squareRoot()
      #expect(abs(got - expected) <= most, "\(name): \(got)")
    }
  }

  @Test func `where shares change, users move only to an engine whose share has risen`() throws {
    let rows: [(before: [String: Int], now: [String: Int], risen: Set<String>)] = [
      (["a": 95, "b": 5], ["a": 80, "b": 20], ["b"]),
      (["a": 80, "b": 20], ["a": 95, "b": 5], ["a"]),
      (["a": 50, "b": 30, "c": 20], ["a": 50, "b": 0, "c": 20], ["a", "c"]),
      (["a": 1, "b": 1], ["a": 1, "b": 1, "c": 1], ["c"]),
      (["a": 1, "b": 1], ["a": 500_000, "b": 500_000], []),
    ]
    for (before, now, risen) in rows {
      let moved = zip(try Self.engines(before), try Self.engines(now)).filter { $0 != $1 }
      expectEqual(Set(moved.map(\.1)), risen, "\(before) to \(now)")
    }
  }

  @Test func `of three engines users move to one that rises beside theirs, whatever the whole`()
    throws
  {
    // The second has a third of the whole before and afterwards.
    let (before, now) = (["a": 10, "b": 10, "c": 10], ["a": 20, "b": 15, "c": 10])
    let moved = zip(try Self.engines(before), try Self.engines(now)).filter { $0 != $1 }
    expectEqual(Set(moved.map { "\($0) to \($1)" }), ["b to a", "c to a", "c to b"])
  }

  @Test(.timeLimit(.minutes(1))) func `a call by one engine shares no answer of another's`()
    async throws
  {
    let held = HeldTransport()
    let client = NetworkClient(
      builder: RequestBuilder(baseURL: try Fixture.base()),
      transport: try EngineShares(["a": held, "b": Self.engine("b")], shares: ["a": 1], of: "ada"),
      limits: CallLimits(deadline: nil)
    )
    var (first, second) = (Endpoint(.get, "/list"), Endpoint(.get, "/list"))
    (first.priority, second.priority) = (.deferrable, .deferrable)
    second.engine = "b"
    let call = Task { [first] in try await client.call(first).body }
    let path = await held.next()
    try await expectEqual(client.call(second).body, Data("b".utf8))
    held.answer(path, body: "a")
    try await expectEqual(call.value, Data("a".utf8))
    expectEqual(held.requests, 1)
  }

  @Test func `two experiments share users out independently`() throws {
    let shares = ["a": 1, "b": 1]
    let one = try Self.engines(shares, experiment: "one")
    let other = try Self.engines(shares, experiment: "other")
    let same = zip(one, other).count { $0 == $1 }
    #expect(abs(same - one.count / 2) <= 4 * Int(Double(one.count).squareRoot() / 2))
  }

  @Test func `shares that name no engine, or give none, are refused`() {
    let rows: [([String: Int], [String])] = [
      (["a": 0, "b": 0], ["No engine has a share."]), ([:], ["No engine has a share."]),
      (["a": 1, "d": 1], ["The engine \"d\" of a share does not exist; the engines are a, b, c."]),
      (
        ["a": -1, "b": 1_000_001],
        [
          "The share of \"a\" is -1; it must be 0 to 1000000.",
          "The share of \"b\" is 1000001; it must be 0 to 1000000.",
        ]
      ),
    ]
    for (shares, faults) in rows {
      #expect(throws: ConfigurationError(problems: faults)) {
        _ = try Self.shares(shares, of: "1")
      }
    }
    #expect(throws: ConfigurationError(problems: ["\"engineShares\": No engine has a share."])) {
      _ = try NetworkConfiguration(
        builtIn: ConfigurationLayer(baseURL: "https://api.example.test", engineShares: ["a": 0])
      )
    }
  }

  static func configuration(
    _ shares: [String: Int]? = nil,
    endpoints: [String: EndpointTerms] = [:]
  ) throws -> NetworkConfiguration {
    try NetworkConfiguration(
      builtIn: ConfigurationLayer(
        baseURL: "http://127.0.0.1",
        endpoints: endpoints,
        engineShares: ["a": 1]
      ),
      fetched: ConfigurationLayer(engineShares: shares)
    )
  }

  static func client(
    _ transport: any Transport,
    _ observer: any Observer = SilentObserver()
  ) throws -> NetworkClient {
    NetworkClient(
      builder: try configuration().builder,
      policy: RetryPolicy(backoff: Backoff(jitter: .none)),
      transport: transport,
      observer: observer
    )
  }

  @Test func `an endpoint and a configuration name engines, and records tell them`() async throws {
    let (counters, recording) = (CallCounters(), RecordingObserver())
    let shares = try Self.shares(["a": 1], of: "1")
    // What is wrapped around it need not know of engines.
    let client = try Self.client(FaultHook(shares), Observers(counters, recording))
    func run(_ endpoint: Endpoint) async throws -> String {
      let answer = try await client.call(endpoint)
      let body = String(decoding: answer.body, as: UTF8.self)
      expectEqual(answer.record?.system.engine, body)
      return body
    }
    var named = Endpoint(.get, "/x")
    named.engine = "b"
    var unknown = Endpoint(.get, "/x")
    unknown.engine = "moon"
    try await expectEqual(run(Endpoint(.get, "/x")), "a")
    try await expectEqual(run(named), "b")
    try await expectEqual(run(unknown), "a")
    client.apply(try Self.configuration(["c": 1, "moon": 99]))
    try await expectEqual(run(Endpoint(.get, "/x")), "c")
    try await expectEqual(run(named), "b")
    // Terms overrule an endpoint, and only engines that are here have shares.
    client.apply(try Self.configuration(["moon": 1], endpoints: ["/x": EndpointTerms(engine: "c")]))
    try await expectEqual(run(named), "c")
    try await expectEqual(run(Endpoint(.get, "/y")), "a")
    let engines = counters.counts.engines.mapValues { [$0.calls, $0.failed, $0.attempts] }
    expectEqual(engines, ["a": [3, 0, 3], "b": [2, 0, 2], "c": [2, 0, 2]])
  }

  @Test func `a switch meets no call in flight`() async throws {
    let (arrivals, arrived) = AsyncStream.makeStream(of: Void.self)
    let (gates, gate) = AsyncStream.makeStream(of: Void.self)
    let tried = Locked(0)
    let held = ScriptedEngine { _ throws(TransportError) in
      arrived.yield()
      for await _ in gates { break }
      let count = tried.withLock { tried in
        tried += 1
        return tried
      }
      if count < 3 { throw .failed(.connectionLost, text: "") }
      return ServerResponse(status: 200, body: Data("held".utf8))
    }
    let shares = try EngineShares(["a": held, "b": Self.engine("b")], shares: ["a": 1], of: "1")
    let recording = RecordingObserver()
    let client = try Self.client(shares, recording)
    let call = Task { try await client.call(Endpoint(.get, "/x")) }
    for await _ in arrivals { break }
    client.apply(try Self.configuration(["b": 1]))
    try await expectEqual(client.call(Endpoint(.get, "/x")).body, Data("b".utf8))
    for _ in 1...3 { gate.yield() }
    // Its further attempts, too, are those of the engine that it began with.
    try await expectEqual(call.value.body, Data("held".utf8))
    let engines = recording.events.compactMap { event -> String? in
      if case .attemptStarted(_, _, let engine) = event.kind { engine } else { nil }
    }
    expectEqual(engines, ["a", "b", "a", "a"])
  }

  @Test func `shares come out of a layer's JSON, and stand in the public view`() throws {
    let text = """
      {"baseURL": "https://api.example.test", "engineShares": {"sockets": 5, "urlsession": 95},
       "endpoints": {"/pay": {"engine": "urlsession"}}}
      """
    let layer = try JSONDecoder().decode(ConfigurationLayer.self, from: Data(text.utf8))
    let configuration = try NetworkConfiguration(builtIn: layer)
    expectEqual(configuration.engineShares, ["sockets": 5, "urlsession": 95])
    expectEqual(configuration.endpoints["/pay"]?.engine, "urlsession")
    expectEqual(configuration.publicView["engineShares.sockets"], "5")
    // In place of those of earlier layers, not beside them.
    let replaced = try NetworkConfiguration(
      builtIn: layer,
      fetched: ConfigurationLayer(engineShares: ["urlsession": 1])
    )
    expectEqual(replaced.engineShares, ["urlsession": 1])
    try expectEqual(
      NetworkConfiguration(opening: try configuration.export { $0 }) { $0 },
      configuration
    )
  }
}
