import TestSupport

@testable import WindTunnel
@testable import WindTunnelServer

/// Whose name requests and redirects bear: the tape's inside, the server's outside.
@Suite(.timeLimit(.minutes(5))) struct NamesTests {
  static let end = "Connection: close\r\n\r\n"

  static func moved(_ location: String) -> Cassette {
    Cassette([
      Interaction(
        Request("GET", "https://api.example.test/a"),
        Response(status: 302, headers: ["Location": location]),
        then: .repeat
      )
    ])
  }

  @Test(arguments: try TestData.rows("led-back.json", count: 8) as [(String, String, String)])
  func `a redirect on the tape leads back to the server and into its lane`(
    recorded: String,
    plain: String,
    laned: String
  ) async throws {
    let deck = Deck(Self.moved(recorded))
    try await ReplayServer.serving(deck) { server async throws in
      let host = "127.0.0.1:\(server.port)"
      for (path, expected) in [
        ("/a", plain), ("/.windtunnel/calm~11/a", laned), ("/.windtunnel/calm%2F1/a", laned),
      ] {
        let text = try await server.answer(
          to: "GET \(path) HTTP/1.1\r\nHost: \(host)\r\n" + Self.end
        )
        let location = expected.replacingOccurrences(of: "HOST", with: host)
        #expect(text.contains("\r\nLocation: \(location)\r\n"))
      }
    }
    expectEqual(deck.journal.all.map(\.decision.lane), [.deck, Lane("calm/1"), Lane("calm/1")])
    expectEqual(Set(deck.journal.all.map(\.decision.key)), ["GET /a"])
  }

  @Test(arguments: [
    ("GET /n", "HOST"), ("GET /n", "localhost:PORT"), ("GET http://HOST/n", "HOST"),
    ("GET http://HOST/.windtunnel/x/n", "HOST"), ("GET https://api.example.test/n", "HOST"),
    ("GET /n", "api.example.test"),
  ])
  func `however a client names the server, the tape's origin is meant`(line: String, host: String)
    async throws
  {
    let deck = Deck([
      .get("https://api.example.test/n") { .text(Body("\($0.url) \($0.headers["Host"] ?? "-")")) }
    ])
    try await ReplayServer.serving(deck) { server async throws in
      let own = "127.0.0.1:\(server.port)"
      let text = "\(line) HTTP/1.1\r\nHost: \(host)\r\n"
        .replacingOccurrences(of: "HOST", with: own)
        .replacingOccurrences(of: "PORT", with: "\(server.port)")
      let answer = try await server.answer(to: text + Self.end)
      // A host of another scheme is the client's own word.
      expectEqual(
        answer.statusLine,
        (host == "api.example.test" ? "HTTP/1.1 501 Not Implemented" : "HTTP/1.1 200 OK")
      )
      if host != "api.example.test" { expectEqual(answer.content, "https://api.example.test/n -") }
    }
  }

  @Test func `what belongs to the connection is not part of the request`() async throws {
    let deck = Deck([
      .get("/n") { request in
        .text(Body(request.headers.map { "\($0.name): \($0.value)" }.joined(separator: "\n")))
      }
    ])
    try await ReplayServer.serving(deck) { server async throws in
      let answer = try await server.answer(
        to:
          "GET /n HTTP/1.1\r\nHost: x\r\nX-Hop: 1\r\nX-End: 2\r\nKeep-Alive: 3\r\nTE: trailers\r\n"
          + "Connection: close, X-Hop\r\n\r\n"
      )
      expectEqual(answer.content, "X-End: 2")
    }
  }
}
