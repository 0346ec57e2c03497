import Origins
import TestSupport
import WindTunnel
import WindTunnelServer
import WindTunnelTesting

@Suite(.cassette("users", sharedSession: true))
struct SharedSessionTests {
  /// A client of those that take no session.
  let api = UserAPI(session: .shared)

  @Test func `code that takes no session is played the tape`() async throws {
    try await expectEqual(api.profile(7).name, "Ada")
    expectEqual(Deck.current.attempts("GET /users/7"), 1)
  }

  @Test(arguments: 0..<64) func `each test has a fresh tape`(number: Int) async throws {
    try await expectEqual(api.profile(7).name, "Ada")
  }

  @Test(.faults([.on("GET /users/*", .first(2), .status(503))], seed: 7))
  func `it has the test's weather`() async throws {
    _ = try await api.profile(7)
    expectEqual(Deck.current.attempts("GET /users/7"), 3)
  }

  @Test func `the tasks that a test starts are the test`() async throws {
    async let one = api.home()
    let other = Task { try await api.home() }
    let sections = try await withThrowingTaskGroup { group in
      group.addTask { try await api.home().sections }
      return try await group.next()
    }
    try await expectEqual(one.sections, ["new"])
    try await expectEqual(other.value.sections, ["new"])
    expectEqual(sections, ["new"])
  }

  @Test(.onTheWire) func `on the wire it reaches the deck's server`() async throws {
    let api = UserAPI(session: .shared, base: Deck.current.url)
    try await expectEqual(api.profile(7).name, "Ada")
  }

  @Test(.onTheWire) func `on the wire it reaches nothing else`() async throws {
    let other = Deck([.get("/users/7", json: [:])])
    let server = try await ReplayServer(other, .patient)
    for base in ["https://api.example.test", server.url] {
      let error = await #expect(throws: (any Error).self) {
        try await UserAPI(session: .shared, base: base).profile(7)
      }
      expectEqual(
        error?.localizedDescription,
        """
        \(base)/users/7 through URLSession.shared would reach the network. On the wire, \
        use \(Deck.current.url), which is Deck.current.url.
        """
      )
    }
    await server.stop()
    #expect(other.journal.all.isEmpty)
  }
}

@Suite struct SharedSessionOrderOfTraitsTests {
  @Test(.onTheWire, .cassette("users", sharedSession: true))
  func `the wire may stand in front of the cassette`() async throws {
    let api = UserAPI(session: .shared, base: Deck.current.url)
    try await expectEqual(api.profile(7).name, "Ada")
  }
}

@Suite struct SharedSessionPartTests {
  private static let url = "https://api.example.test/n"

  private func deck(_ answers: String...) -> Deck {
    Deck(
      Cassette(answers.map { Interaction(Request("GET", RequestURL(Self.url)), .text(Body($0))) })
    )
  }

  @Test func `both sessions of a test play one sequence`() async throws {
    let texts = try await withDeck(deck("1", "2", "3"), sharedSession: true) { session in
      [
        try await session.text(Self.url), try await URLSession.shared.text(Self.url),
        try await session.text(Self.url),
      ]
    }
    expectEqual(texts, ["1", "2", "3"])
  }

  @Test func `async callers and uploads are played, too`() async throws {
    let echo = Deck([.post(RequestURL(Self.url)) { request in .text(request.body) }])
    let text = try await withDeck(echo, sharedSession: true) { _ in
      var request = URLRequest(url: try #require(URL(string: Self.url)))
      request.httpMethod = "POST"
      let (data, _) = try await URLSession.shared.upload(for: request, from: Data("up".utf8))
      return String(decoding: data, as: UTF8.self)
    }
    expectEqual(text, "up")
  }

  @Test func `a part within a part is played its own`() async throws {
    let inner = deck("inner")
    let texts = try await withDeck(deck("1", "2"), sharedSession: true) { _ in
      [
        try await URLSession.shared.text(Self.url),
        try await withDeck(inner, sharedSession: true) { _ in
          try await URLSession.shared.text(Self.url)
        }, try await URLSession.shared.text(Self.url),
      ]
    }
    expectEqual(texts, ["1", "inner", "2"])
  }

  private func giving(_ cookie: String) -> Deck {
    Deck([
      .recorded(
        Interaction(
          Request("GET", "https://cookies.example.test/login"),
          Response(headers: ["Set-Cookie": cookie])
        )
      ),
      .get("https://cookies.example.test/") { .text(Body($0.headers["Cookie"] ?? "none")) },
    ])
  }

  @Test func `a cookie stays with the test that was given it`() async throws {
    try await withDeck(giving("sid=a"), sharedSession: true) { _ in
      _ = try await URLSession.shared.text("https://cookies.example.test/login")
      try await expectEqual(URLSession.shared.text("https://cookies.example.test/"), "sid=a")
      let other = try await withDeck(giving("sid=b"), sharedSession: true) { _ in
        try await URLSession.shared.text("https://cookies.example.test/")
      }
      expectEqual(other, "none")
    }
    let url = try #require(URL(string: "https://cookies.example.test/"))
    #expect(HTTPCookieStorage.shared.cookies(for: url)?.isEmpty != false)
  }

  @Test func `a task that outlives its test is still played and not sent`() async throws {
    try await Self.playLate()
    // In a process without other tests, which have the session, too.
    await #expect(processExitsWith: .success) {
      let cache = try #require(URLSession.shared.configuration.urlCache)
      for _ in 0..<20 { try await Self.playLate() }
      // The next request finds it in its place.
      let other = Deck([.get("http://api.example.test/") { _ in .text(Body("other")) }])
      try await withDeck(other, sharedSession: true) { _ in
        _ = try await URLSession.shared.text("http://api.example.test/")
      }
      try #require(URLSession.shared.configuration.urlCache === cache)
    }
  }

  private static func playLate() async throws {
    let origin = Deck([.get("/n", json: [:])])
    let server = try await ReplayServer(origin, .patient)
    let url = "\(server.url)/n"
    let tape = Deck([.get(RequestURL(url)) { _ in .text(Body("tape")) }])
    let (gate, open) = AsyncStream.makeStream(of: Never.self)
    let late = try await withDeck(tape, sharedSession: true) { _ in
      Task {
        for await _ in gate {}
        return try await URLSession.shared.text(url)
      }
    }
    open.finish()
    try await expectEqual(late.value, "tape")
    await server.stop()
    #expect(origin.journal.all.isEmpty)
  }
}
