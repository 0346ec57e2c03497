import TestSupport
import WindTunnel
import WindTunnelDrillTesting

/// Code that makes its sessions itself is led like code that takes one.
@Suite struct ConfigurationTests {
  private static let url = "https://api.example.test/n"

  private static var deck: Deck {
    Deck(
      (1...3).map { number in
        .recorded(Interaction(Request("GET", RequestURL(url)), .text(Body("\(number)"))))
      }
    )
  }

  @Test func `sessions of its own play one sequence with the test's`() async throws {
    try await withDeck(Self.deck) { session async throws in
      let own = URLSession(configuration: .windTunnel)
      let other = URLSession(configuration: .windTunnel)
      try await expectEqual(own.text(Self.url), "1")
      try await expectEqual(session.text(Self.url), "2")
      try await expectEqual(other.text(Self.url), "3")
      expectEqual(Deck.current.attempts("GET /n"), 3)
    }
  }

  @Test func `each configuration is the asker's own`() async throws {
    try await withDeck(Deck([.get("/agent") { .text(Body($0.headers["X-App"] ?? "none")) }])) {
      _ async throws in
      let changed = URLSessionConfiguration.windTunnel
      changed.httpAdditionalHeaders = ["X-App": "shop"]
      let plain = URLSessionConfiguration.windTunnel
      let agent = "https://api.example.test/agent"
      try await expectEqual(URLSession(configuration: changed).text(agent), "shop")
      try await expectEqual(URLSession(configuration: plain).text(agent), "none")
    }
  }

  @Test(.cassette("users"), .onTheWire) func `on the wire it reaches the server and nothing else`()
    async throws
  {
    let session = URLSession(configuration: .windTunnel)
    try await expectEqual(UserAPI(session: session, base: Deck.current.url).profile(7).name, "Ada")
    await #expect(throws: (any Error).self) {
      try await session.text("https://api.example.test/users/7")
    }
    expectEqual(Deck.current.attempts("GET /users/7"), 1)
  }

  @Test(arguments: [Stage.inProcess, .onTheWire])
  func `a client in a drill makes its sessions itself`(stage: Stage) async throws {
    let report = try await Drill(
      "users",
      in: [[.on("GET /users/*", .first(1), .status(503))]],
      calls: 6,
      deadline: .seconds(3600),
      stage: stage
    ).run { call in
      let session = URLSession(configuration: call.configuration)
      defer { session.finishTasksAndInvalidate() }
      return try await UserAPI(session: session, base: call.baseURL.absoluteString).profile(7)
    }
    // Every attempt is seen in its own call's lane: one 503 each, and its retry.
    report.require(.successRate == 1, .averageRetries == 1)
  }
}
