import TestSupport
import WindTunnelDrill
import WindTunnelDrillTesting
import WindTunnelHAR
import WindTunnelServer
import WindTunnelSymptoms

// The examples of doc comments; a tidy test holds each against its comment, line by line.

/// Examples that tests are, or that run in one.
@Suite struct DocExamples {
  @Test func `an event of a recorded stream is changed`() {
    let stream = Response(
      headers: ["Content-Type": "text/event-stream"],
      body: Body("id: 3\ndata: {\"price\":7}\n\n")
    )
    var interaction = Interaction(Request("GET", "/prices"), stream)
    let tokens = interaction.events.map(\.data)
    #expect(tokens == [#"{"price":7}"#])
    interaction.editEvents { event in
      if event.id == "3" { event.data = #"{"price":0}"# }
    }
    #expect(interaction.events.map(\.data) == [#"{"price":0}"#])
  }

  @Test(.cassette("users")) func `the session plays the cassette`() async throws {
    #expect(try await UserAPI(session: .windTunnel).profile(7).name == "Ada")
  }

  @Test(.cassette("users", expecting: .inOrder)) func `a user is read`() async throws {
    #expect(try await UserAPI(session: .windTunnel).profile(7).name == "Ada")
  }

  @Test(.cassette("users"), .onTheWire) func `real sockets play the cassette`() async throws {
    let api = UserAPI(session: .windTunnel, base: Deck.current.url)
    #expect(try await api.profile(7).name == "Ada")
  }

  @Test(.cassette("users"), .faults([.on("GET /users/*", .first(2), .status(503))], seed: 7))
  func `two 503s cost two retries`() async throws {
    _ = try await UserAPI(session: .windTunnel).profile(7)
    #expect(Deck.current.attempts("GET /users/7") == 3)
  }

  @Test(.cassette("users"))
  func `a part of a test flies in a scenario`() async throws {
    let user = try await withFaults([.on("GET /users/*", .first(1), .status(503))]) {
      try await UserAPI(session: .windTunnel).profile(7)
    }
    #expect(user.name == "Ada")
    #expect(Deck.current.attempts("GET /users/7") == 2)
  }

  @Test(.cassette("users"))
  func `a configuration plays the cassette`() async throws {
    let session = URLSession(configuration: .windTunnel)
    #expect(try await UserAPI(session: session).profile(7).name == "Ada")
  }

  @Test func `a part of a test plays a cassette`() async throws {
    let user = try await withCassette("users") { session in
      try await UserAPI(session: session).profile(7)
    }
    #expect(user.name == "Ada")
  }

  @Test func `a part of a test plays a deck`() async throws {
    let deck = Deck([.get("/users/{id}", json: ["id": 7, "name": "Ada"])])
    let user = try await withDeck(deck) { session in
      try await UserAPI(session: session).profile(7)
    }
    #expect(user.name == "Ada")
  }

  @Test func `a deck answers a session`() async throws {
    let deck = Deck([.get("/users/{id}", json: ["id": 7, "name": "Ada"])])
    let session = URLSession(configuration: .windTunnel(deck))
    let user = try await UserAPI(session: session).profile(7)
    #expect(user.name == "Ada")
  }

  @Test(arguments: Scenario.everyPush)
  func `a scenario has a test of its own`(in scenario: Scenario) {
    #expect(!scenario.name.isEmpty)
  }

  @Test func `a server answers, and is recorded`() async throws {
    let deck = Deck([.get("/users/{id}", json: ["id": 7, "name": "Ada"])], then: .repeat)
    let session = URLSession(configuration: .ephemeral)
    let server = try await ReplayServer(deck)
    let user = try await UserAPI(session: session, base: server.url).profile(7)
    await server.stop()
    #expect(user.name == "Ada")
    let live = try await ReplayServer(deck)
    let file = FileManager.default.temporaryDirectory
      .appendingPathComponent("\(UUID().uuidString).json")
    defer { try? FileManager.default.removeItem(at: file) }
    #expect(try await Self.record(from: live.url, to: file) == [])
    #expect(try await Self.verify(try Cassette(contentsOf: file), at: live.url).isEmpty)
    await live.stop()
  }

  private static func record(from origin: String, to file: URL) async throws -> [String] {
    let deck = Deck(Cassette(), mode: .newEpisodes)
    let session = URLSession(configuration: .windTunnel(deck))
    _ = try await UserAPI(session: session, base: origin).profile(7)
    let (cassette, leftOut) = deck.recorded()
    try cassette.write(to: file)
    return leftOut
  }

  private static func verify(_ cassette: Cassette, at origin: String) async throws -> Drift {
    let verifier = Verifier(try Upstream(RequestURL(origin)))
    let drift = try await verifier.verify(cassette)
    return drift
  }

  @Test func `a name server answers nobody`() async throws {
    let server = try await DNSServer(DNSScript([DNSEntry("*.example.com", fault: .servfail)]))
    print("nameserver 127.0.0.1, port \(server.port)")
    await server.stop()
  }

  @Test func `what is written in Swift reads`() throws {
    let stubs: [Stub] = [
      .get("/users/{id}", json: ["id": 7, "name": "Ada"]),
      .post("/users") { request in
        Response(status: request.headers["Idempotency-Key"] == nil ? 400 : 201)
      },
    ]
    let more: [Stub] = [
      .get("/slow", json: ["id": 7], delay: .seconds(1)),
      .delete("/users/{id}", status: 204),
      .get("/jobs/7", .responses([.status(503), .json(["done": true])])),
      .any("/down/{page}", .failure(.timedOut)),
    ]
    let tunnel = Scenario(
      "tunnel",
      link: Link(
        up: .init(delay: .milliseconds(50), lossProbability: 0.02),
        down: .init(delay: .milliseconds(50), lossProbability: 0.02)
      ),
      rules: [.on("GET /users/*", .first(2), .status(503, retryAfter: .seconds(1)))],
      gates: [try Gate("successRate >= 0.99")]
    )
    let slow = FaultRule.on("POST /payments", .attempt(1), .delay(.seconds(2)), .status(503))
    let sometimes = Trigger(request: "GET /feed", probability: 0.2)
    let gate = try Gate("p95(POST /payments) <= 3s")
    let faults: [Fault] = [
      .delay(.around(.milliseconds(200), jitter: .milliseconds(50))),
      .truncate(afterBodyBytes: 100),
    ]
    let edge = Link(
      up: .init(delay: .milliseconds(200), bitsPerSecond: 200_000),
      down: .init(delay: .milliseconds(200), bitsPerSecond: 240_000)
    )
    var matcher = Matcher.url
    matcher.paths = ["/users/{id}"]
    matcher.ignoredQuery = ["utm_*"]
    matcher.body = .json(ignoring: "timestamp")
    let rules = RedactionRules(names: ["loginToken", "$.user.code"], keep: ["pageToken"])
    #expect(stubs.count == 2 && tunnel.rules.count == 1 && slow.faults.count == 2)
    #expect(more.count == 4 && sometimes.probability == 0.2 && gate.description.hasPrefix("p95"))
    #expect(faults.count == 2 && edge.roundTrip == .milliseconds(400))
    #expect(matcher.ignoredQuery == ["utm_*"] && rules.keep == ["pageToken"])
  }

  @Test func `an exchange has its times`() {
    let link = Link(
      up: .init(delay: .milliseconds(50), lossProbability: 0.05),
      down: .init(delay: .milliseconds(50), lossProbability: 0.05)
    )
    let draws = ConnectionDraws(seed: 1, scenario: "s", lane: .deck, key: "k", ordinal: 1)
    let timeline = ExchangeTimeline(link, requestBytes: 300, responseBytes: 14_480, draws: draws)
    #expect(timeline.done != nil)
  }
}

/// Examples that take too long to run, or a file: they are compiled and no more.
private enum LongExamples {
  struct ShopAPI {
    let baseURL: URL
    let session: URLSession

    func get(_ url: URL) async throws -> Data { try await session.data(from: url).0 }
  }

  static func load(_ file: URL) throws -> Deck {
    let cassette = try Cassette(contentsOf: file)
    let deck = Deck(cassette)
    return deck
  }

  static func look(_ cassette: Cassette) {
    for leak in CassetteLint(cassette).leaks { print(leak) }
  }

  static func read(_ file: URL) throws -> Cassette {
    let har = try HARImport(Data(contentsOf: file), source: file.lastPathComponent)
    for warning in har.warnings { print(warning) }
    return har.cassette
  }

  static func write(_ cassette: Cassette, to file: URL) throws {
    try HARExport(cassette).data.write(to: file)
  }

  static func compare(_ old: Cassette, _ new: Cassette) {
    let difference = CassetteDifference(from: old, to: new)
    print(difference.text(title: "users.json"))
  }

  static func merge(_ users: Cassette, _ home: Cassette) throws -> Cassette {
    let merge = try CassetteMerge([("users.json", users), ("home.json", home)])
    return merge.cassette
  }

  static func secure(_ deck: Deck, _ file: URL) async throws -> ReplayServer {
    let authority = try CertificateAuthority()
    try authority.write(to: file)
    var options = ReplayServer.Options()
    options.tls = ServerTLS(authority: authority)
    let server = try await ReplayServer(deck, options)
    return server
  }

  static func drill(_ cassette: Cassette) async throws {
    let report = try await Drill(cassette, in: .preRelease, calls: 400, seed: 7).run { call in
      try await ShopAPI(baseURL: call.baseURL, session: call.session).get(call.url)
    }
    try report.require([Gate("successRate >= 0.99"), Gate("blankScreens == 0")])
  }

  static func drillInVirtualTime(_ cassette: Cassette) async throws {
    let report = try await Drill(cassette, in: .preRelease).run(in: .virtualTime) { call in
      try await call.send(call.request).body.data
    }
    _ = report
  }

  static func drillNamed() async throws {
    let report = try await Drill("shop", in: .preRelease, calls: 400, seed: 7).run { call in
      try await ShopAPI(baseURL: call.baseURL, session: call.session).get(call.url)
    }
    report.require(.successRate >= 0.99, .blankScreens == 0)
    report.require(.successRate >= 0.99, .p95(of: "POST /payments") <= .seconds(3), .hangs == 0)
  }

  static func drillInProcesses(_ plan: DrillPlan, _ executable: URL) async throws -> Report {
    // Started with this argument, the executable calls `await ProcessDrill.runAsSubject()`.
    let drill = try ProcessDrill(plan, executable: executable, arguments: ["subject"])
    let report = try await drill.run()
    return report
  }

  static func program() async {
    await DrillMain(subject: "shop") { call in
      try await ShopAPI(baseURL: call.baseURL, session: call.session).get(call.url)
    }.run()
  }

  static func programBeside() async {
    let shop = DrillSubject("shop") { call in
      try await ShopAPI(baseURL: call.baseURL, session: call.session).get(call.url)
    }
    await DrillMain(subject: shop, beside: [.urlSession]).run()
  }

  static func judge(_ file: URL) throws {
    let report = try Report(contentsOf: file)
    try report.require([Gate("successRate >= 0.99"), Gate("p95(POST /payments) <= 3s")])
    try report.requireNoFindings()
    try report.write(to: "drill.html")
  }
}
