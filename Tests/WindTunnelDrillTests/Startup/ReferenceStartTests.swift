import TestSupport
import WindTunnelNetworkLayer
import WindTunnelNetworkLayerOffline
import WindTunnelSymptoms

@testable import WindTunnelDrill
@testable import WindTunnelReferenceSubject

/// The outcome of the reference client's start in the weather of each shipped scenario.
@Suite(.timeLimit(.minutes(5))) struct ReferenceStartTests {
  /// The result of a start.
  struct End: Hashable {
    var source: ConfigurationSource
    var refusal: String?
    /// The host that is asked first.
    var server: String?
    var deadline: Duration?
  }

  /// Launches an app in a scenario, on the wire.
  private static func launch(_ name: String) async throws -> End {
    let scenario = try #require(try Shipped.scenarios(named: [name]).first)
    let cassette = try Shipped.startup()
    let recorded = try #require(try RecordedStartup(cassette))
    let matcher = DrillPlan.matcher(of: cassette, ignoring: [])
    let deck = Deck(
      cassette,
      scenario: scenario,
      options: PlaybackOptions(matcher: matcher, then: .repeat)
    )
    let target = try await Targets.target(
      .onTheWire,
      deck,
      scenario,
      .current,
      servers: recorded.servers
    )
    let route = try await target.open(Workload.lane(name, 0))
    let time = SystemTime()
    let start = ReferenceStart(recorded: recorded, time: time)
    let kept = try await start.folder(of: scenario.startup ?? .warm)
    let startup = try await start.launch(
      in: TemporaryFolder(copying: kept),
      by: ReaddressingTransport(
        route.servers,
        by: URLSessionTransport(session: route.session.session)
      ),
      feeding: AdmissionController(time: time),
      within: .seconds(20)
    )
    route.close(isHung: false)
    await target.close()
    return End(
      source: startup.record.source,
      refusal: startup.record.refusal,
      server: startup.configuration.baseURL.host,
      deadline: startup.configuration.limits.deadline
    )
  }

  private static let near = "near.example.test"
  private static let second = "second.example.test"

  /// The ends of starts by scenario. What is built in has a deadline of a minute.
  static let ends: [(scenario: String, end: End)] = [
    ("nearest-dead", End(.builtIn, "late", second, .seconds(60))),
    ("nearest-slow", End(.fetched(version: 6), nil, second, .seconds(9))),
    ("nearest-lies", End(.builtIn, "unsigned", second, .seconds(60))),
    ("captive-portal", End(.lastGood(version: 5), "unsigned", near, .milliseconds(8500))),
    ("config-garbage", End(.lastGood(version: 5), "unsigned", near, .milliseconds(8500))),
    ("config-late", End(.lastGood(version: 5), "late", near, .milliseconds(8500))),
    ("config-replayed", End(.lastGood(version: 7), "replayed", near, .seconds(8))),
    ("offline-start", End(.lastGood(version: 5), "unreachable", near, .milliseconds(8500))),
  ]

  @Test(arguments: ends)
  func `a start accepts only a valid configuration`(scenario: String, end: End) async throws {
    var found: End?
    // A busy machine makes a server slow in some starts, and lets none take what is not good.
    for _ in 0..<5 where found != end {
      found = try await Self.launch(scenario)
      if end.refusal != nil { expectEqual(found?.source, end.source) }
    }
    expectEqual(found, end)
  }

  /// The notes of cassettes whose start cannot be flown, with what is said of them.
  @Test(arguments: try TestData.rows("refused-starts.json", count: 11) as [(String, String)])
  func `a start that is not on the cassette is refused`(note: String, problem: String) throws {
    var cassette = try Shipped.startup()
    let key = Data(repeating: 1, count: 32).base64EncodedString()
    let json = try JSON(parsing: note.replacing("KEY", with: key).utf8, source: "")
    cassette.notes = [JSON.Member("_startup", json)]
    let error = #expect(throws: DrillError.self) { try RecordedStartup(cassette) }
    expectEqual(error?.description.contains(problem), true, "\(error?.description ?? "")")
    #expect(throws: DrillError.self) {
      var plan = DrillPlan(cassette, in: [.calm])
      plan.subjects = ["client"]
      plan.clients = [PlannedClient(ClosureSubject(name: "client") { _ in "" })]
      try plan.validate()
    }
  }

  @Test func `a cassette without a note has no start`() throws {
    try expectNil(RecordedStartup(Shipped.cassette()))
  }

  @Test func `what belongs to a start is no call`() throws {
    let plan = DrillPlan(try Shipped.startup(), in: [])
    expectEqual(plan.workload.all.map(\.url.target), ["/home"])
    expectEqual(plan.workload.all.map(\.url.host), [Self.near])
  }

  @Test func `the query of a start alone is not compared`() throws {
    var cassette = try Shipped.startup()
    for (time, text) in [("8", "Good morning"), ("20", "Good evening")] {
      cassette.interactions.append(
        Interaction(
          Request("GET", RequestURL("https://\(Self.near)/news?time=\(time)")),
          .text(Body(text))
        )
      )
    }
    let plan = DrillPlan(cassette, in: [])
    expectEqual(plan.workload.all.map(\.url.target), ["/home", "/news?time=8", "/news?time=20"])
    func key(_ target: String) -> String {
      plan.matcher.key(Request("GET", RequestURL("https://\(Self.near)\(target)"))).text
    }
    expectEqual(key("/probe?nonce=1"), "GET /probe")
    expectEqual(key("/configuration?app=2.0&os=9"), "GET /configuration")
    expectEqual(key("/probes?nonce=1"), "GET /probes?nonce=1")
  }

  /// Launches an app that was never launched before.
  private static func launchInProcess(
    _ cassette: Cassette,
    _ scenario: Scenario,
    within limit: Duration
  ) async throws -> Startup {
    let recorded = try #require(try RecordedStartup(cassette))
    let matcher = DrillPlan.matcher(of: cassette, ignoring: [])
    let deck = Deck(
      cassette,
      scenario: scenario,
      options: PlaybackOptions(matcher: matcher, then: .repeat)
    )
    let target = InProcessTarget(deck, errors: .current, servers: recorded.servers)
    let route = target.open(Workload.lane(scenario.name, 0))
    defer { route.close(isHung: false) }
    return try await ReferenceStart(recorded: recorded, time: SystemTime()).launch(
      in: TemporaryFolder(),
      by: URLSessionTransport(session: route.session.session),
      feeding: AdmissionController(time: SystemTime()),
      within: limit
    )
  }

  @Test func `a probe and a configuration that have a query of their own are asked for`()
    async throws
  {
    var cassette = try Shipped.startup()
    for place in cassette.interactions.indices
    where ["/probe", "/configuration"].contains(cassette.interactions[place].request.url.path) {
      cassette.interactions[place].request.url.query = "size=4"
    }
    let startup = try await Self.launchInProcess(cassette, .calm, within: .seconds(20))
    expectEqual(startup.record.source, .fetched(version: 6))
    expectEqual(startup.record.dial?.isFound, true)
  }

  @Test func `the nearest server is the call's own, whatever most was recorded at`() throws {
    var cassette = try Shipped.startup()
    for page in 0..<20 {
      cassette.interactions.append(
        Interaction(Request("GET", RequestURL("https://\(Self.second)/\(page)")), .text(Body("x")))
      )
    }
    expectEqual(Deck(cassette).origin?.host, Self.second)
    let plan = DrillPlan(cassette, in: [])
    expectEqual(Set(plan.workload.all.map(\.url.host)), [Self.near])
    expectEqual(RecordedStartup.serversMax, DialTest.candidatesMax, "each server is probed")
  }

  @Test func `what was kept and has expired is no warm start`() throws {
    let cassette = try Shipped.startup()
    let recorded = try #require(try RecordedStartup(cassette))
    let later = Date(timeIntervalSince1970: 4_102_444_800)
    for state in [StartupState.warm, .ahead] {
      try recorded.refuseExpired(in: state, at: later - 1)
      let error = #expect(throws: DrillError.self) {
        try recorded.refuseExpired(in: state, at: later)
      }
      expectEqual(error?.description.contains("expired at 2100-01-01T00:00:00Z"), true)
    }
    try recorded.refuseExpired(in: .cold, at: later)
  }

  @Test func `a start leaves a call with little time some for its page`() async throws {
    // Both wait for as long as they may.
    let silent = Scenario(
      "silent",
      rules: [
        .on("GET /configuration", .always, .stall(.afterRequest)),
        .on("GET /probe", .always, .stall(.afterRequest)),
      ]
    )
    let cassette = try Shipped.startup()
    let startup = try await Self.launchInProcess(cassette, silent, within: .milliseconds(400))
    expectEqual(startup.record.refusal, "late")
    expectEqual(startup.record.dial?.isFound, false)
    #expect(
      ReferenceStart.budgets(within: .milliseconds(400)) == (.milliseconds(200), .milliseconds(100))
    )
    #expect(ReferenceStart.budgets(within: .seconds(20)) == (.seconds(2), .seconds(1)))
  }
}

extension ReferenceStartTests.End {
  fileprivate init(
    _ source: ConfigurationSource,
    _ refusal: String?,
    _ server: String,
    _ deadline: Duration
  ) {
    (self.source, self.refusal) = (source, refusal)
    (self.server, self.deadline) = (server, deadline)
  }
}
