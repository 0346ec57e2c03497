import TestSupport
import WindTunnel
import WindTunnelSymptoms

/// A client is led hop by hop, and each hop is a request of its own.
@Suite struct RedirectConformanceTests {
  static func hop(_ path: String, _ location: String, status: Int = 302, method: String = "GET")
    -> Stub
  {
    .recorded(
      Interaction(
        Request(method, RequestURL(Theatre.origin + path)),
        Response(
          status: status,
          headers: ["Location": location, "Content-Length": "5"],
          body: Body("moved")
        ),
        then: .repeat
      )
    )
  }

  static let end = Stub.get("http://api.example.test/end") { request in
    .text(Body("\(request.method) \(request.url.target)"))
  }

  @Test(
    arguments: [
      ["/end"], ["http://api.example.test/end"], ["end"], ["/b", "/c", "/end"],
      ["http://api.example.test/b", "/end"],
    ],
    Stage.allCases
  )
  func `redirects lead to the end`(locations: [String], stage: Stage) async throws {
    let places = ["/a"] + locations.dropLast().map { RequestURL($0).path }
    let hops = zip(places, locations).map { Self.hop($0, $1) }
    let deck = Deck(hops + [Self.end])
    try await Theatre.play(deck, on: stage) { theatre async throws in
      let seen = try await theatre.ask("/a")
      expectEqual(seen, Seen(200, "GET /end"))
      expectEqual(seen.response?.url?.path, "/end")
      expectEqual(deck.journal.all.map(\.decision.key), (places + ["/end"]).map { "GET \($0)" })
    }
  }

  @Test(arguments: [301, 302, 303], Stage.allCases)
  func `a POST goes on as a GET`(status: Int, stage: Stage) async throws {
    let deck = Deck([Self.hop("/a", "/end", status: status, method: "POST"), Self.end])
    try await Theatre.play(deck, on: stage) { theatre async throws in
      var request = try theatre.request("/a", method: "POST")
      request.httpBody = Data("form".utf8)
      await expectEqual(theatre.ask(request), Seen(200, "GET /end"))
    }
  }

  @Test(arguments: [307, 308], Stage.allCases)
  func `a POST stays one where the status says so`(status: Int, stage: Stage) async throws {
    let end = Stub.post("http://api.example.test/end") {
      .text(Body("\($0.method) \($0.url.target)"))
    }
    let deck = Deck([Self.hop("/a", "/end", status: status, method: "POST"), end])
    try await Theatre.play(deck, on: stage) { theatre async throws in
      try await expectEqual(theatre.ask("/a", method: "POST"), Seen(200, "POST /end"))
    }
  }

  #if canImport(Darwin)
    // A protocol is shown no session there, and so it cannot ask a session's delegate.
    private static let stagesThatAsk = Stage.allCases.filter { $0 != .inProcess }
  #else
    private static let stagesThatAsk = Stage.allCases
  #endif

  @Test(arguments: stagesThatAsk)
  func `a delegate that does not want to be led gets the answer that leads`(stage: Stage)
    async throws
  {
    let deck = Deck([Self.hop("/a", "/end"), Self.end])
    try await Theatre.play(deck, on: stage) { theatre async throws in
      let seen = await theatre.ask(try theatre.request("/a"), follows: false)
      expectEqual(seen, Seen(302, "moved"))
      expectEqual(deck.journal.all.map(\.decision.key), ["GET /a"])
    }
  }

  @Test(arguments: Stage.allCases)
  func `a circle ends`(stage: Stage) async throws {
    let deck = Deck([Self.hop("/a", "/b"), Self.hop("/b", "/a")])
    try await Theatre.play(deck, on: stage) { theatre async throws in
      try await expectEqual(theatre.ask("/a").symptom, .tooManyRedirects)
      expectEqual(deck.journal.all.count, 21)
    }
  }

  @Test(arguments: Stage.allCases)
  func `a fault at a later hop is met there`(stage: Stage) async throws {
    let deck = Deck(
      [Self.hop("/a", "/end"), Self.end],
      scenario: [.on("GET /end", .first(1), .truncate(afterBodyBytes: 3))]
    )
    try await Theatre.play(deck, on: stage) { theatre async throws in
      try await expectEqual(theatre.ask("/a"), Seen(200, "GET", .truncated))
      try await expectEqual(theatre.ask("/a"), Seen(200, "GET /end"))
    }
  }
}
