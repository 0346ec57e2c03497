import TestSupport
import WindTunnel
import WindTunnelTesting

/// A client as a user would have it: it takes a session and tries three times.
struct UserAPI: Sendable {
  struct Profile: Decodable, Sendable, Equatable {
    var id: Int
    var name: String
  }
  struct Home: Decodable, Sendable, Equatable { var sections: [String] }

  var session: URLSession
  var base = "https://api.example.test"

  func profile(_ id: Int) async throws -> Profile { try await get("/users/\(id)") }
  func home() async throws -> Home { try await get("/home") }

  private func get<Value: Decodable & Sendable>(_ path: String) async throws -> Value {
    let url = try #require(URL(string: base + path))
    for _ in 0..<3 {
      let (data, response, error) = await session.result(of: URLRequest(url: url))
      if let error { throw error }
      if response?.statusCode == 200 {
        return try JSONDecoder().decode(Value.self, from: data ?? Data())
      }
    }
    throw URLError(.badServerResponse)
  }
}

@Suite(.cassette("users"))
struct ProfileTests {
  let api = UserAPI(session: .windTunnel)

  @Test func `a profile is read from the tape`() async throws {
    try await expectEqual(api.profile(7), UserAPI.Profile(id: 7, name: "Ada"))
    expectEqual(Deck.current.attempts("GET /users/7"), 1)
    expectEqual(Deck.current.unused.map(\.request.url.path), ["/home"])
  }

  @Test(.faults([.on("GET /users/*", .first(2), .status(503, retryAfter: .seconds(1)))], seed: 7))
  func `two 503s cost two retries and no more`() async throws {
    _ = try await api.profile(7)
    expectEqual(Deck.current.attempts("GET /users/7"), 3)
    expectEqual(Deck.current.seed, 7)
  }

  @Test(arguments: [Scenario.calm, [.on("GET /home", .first(1), .status(500))]])
  func `home is never blank`(in scenario: Scenario) async throws {
    let home = try await withFaults(scenario) { try await api.home() }
    #expect(!home.sections.isEmpty)
  }

  @Test(arguments: 0..<64) func `each test has a fresh tape`(number: Int) async throws {
    // Recorded once, so a tape that is shared would be used up by the second of these.
    try await expectEqual(api.profile(7).name, "Ada")
  }
}

@Suite(.cassette("users"), .onTheWire)
struct WireTests {
  @Test func `the same test flies through a loopback server`() async throws {
    let api = UserAPI(session: .windTunnel, base: Deck.current.url)
    try await expectEqual(api.profile(7).name, "Ada")
    #expect(Deck.current.url.hasPrefix("http://127.0.0.1:"))
  }

  @Test func `what asks elsewhere is refused and never sent`() async throws {
    let api = UserAPI(session: .windTunnel)
    let error = await #expect(throws: (any Error).self) { try await api.profile(7) }
    #expect("\(try #require(error))".contains("would reach the network"))
  }
}

@Suite struct OrderOfTraitsTests {
  @Test(.faults([.always(.first(1), .status(500))]), .onTheWire, .cassette("users"))
  func `weather and wire may stand in front of the cassette`() async throws {
    let api = UserAPI(session: .windTunnel, base: Deck.current.url)
    _ = try await api.profile(7)
    expectEqual(Deck.current.attempts("GET /users/7"), 2)
  }
}

@Suite struct WithCassetteTests {
  @Test func `a part of a test has a session of its own`() async throws {
    let name = try await withCassette("users") { session in
      try await UserAPI(session: session).profile(7).name
    }
    expectEqual(name, "Ada")
  }

  @Test func `a request that nothing answers is told`() async throws {
    let error = await #expect(throws: CassetteProblem.self) {
      try await withCassette("users") { session in
        _ = try? await UserAPI(session: session).profile(8)
      }
    }
    expectEqual(
      error?.description.hasPrefix("GET https://api.example.test/users/8 is not on the cassette."),
      true
    )
  }
}
