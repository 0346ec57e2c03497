import Origins
import TestSupport

@testable import WindTunnel
@testable import WindTunnelServer

/// Fields, cookies and URLs of a recorded origin, as clients of the server get them.
@Suite(.timeLimit(.minutes(5))) struct LeadingBackTests {
  private static let end = "Connection: close\r\n\r\n"

  @Test func `each field leads back to the server and into the play, and to no other place`()
    async throws
  {
    let file = URL(filePath: #filePath).deletingLastPathComponent()
      .appending(path: "../Data/LeadingBack.json").standardizedFileURL
    let table = try JSONDecoder().decode([[String]].self, from: Data(contentsOf: file))
    try #require(table.count == 27)
    let deck = Deck(
      Cassette(
        table.enumerated().map { number, row in
          let url = RequestURL("https://api.example.test/\(number)")
          return Interaction(Request("GET", url), Response(headers: [row[0]: row[1]]))
        }
      ),
      then: .repeat
    )
    for (plays, base, column) in [(nil, "", 2), (Plays(by: .pathSegment), "/alpha", 3)] {
      var options = ReplayServer.Options.patient
      options.plays = plays
      try await ReplayServer.serving(deck, options) { server async throws in
        let host = "127.0.0.1:\(server.port)"
        for (number, row) in table.enumerated() {
          let text = "GET \(base)/\(number) HTTP/1.1\r\nHost: \(host)\r\n" + Self.end
          let lines = try await server.answer(to: text).components(separatedBy: "\r\n")
          let values = lines.filter { $0.hasPrefix("\(row[0]): ") }
          expectEqual(values, ["\(row[0]): \(row[column].replacing("HOST", with: host))"])
        }
      }
    }
    expectEqual(deck.interactions.map { $0.response?.headers.first?.value }, table.map { $0[1] })
  }

  @Test(arguments: [
    ("__Host-a=1; Path=/; Secure", "127.0.0.1", "__Host-a=1; Path=/; Secure"),
    ("a=1; Domain=example.test", "api.example.test", "a=1; Domain=example.test"),
    ("a=1; Domain=ample.test", "example.test", "a=1"),
  ])
  func `by TLS a cookie keeps what a client accepts`(cookie: String, host: String, played: String) {
    expectEqual(CookieRewriting.played(cookie, at: host, isSecure: true), played)
  }

  @Test func `a cookie that comes back under its other name is the recorded one`() async throws {
    var matcher = Matcher.pathAndQuery
    matcher.headers = ["Cookie"]
    let tape = Interaction(
      Request("GET", "https://api.example.test/a", headers: ["Cookie": "b=2; __Host-a=1"]),
      Response(body: Body("known"))
    )
    let deck = Deck(Cassette([tape]), matcher: matcher, then: .repeat)
    try await ReplayServer.serving(deck) { server async throws in
      for (cookie, status) in [("windtunnel__Host-a=1", 200), ("windtunnel__Host-a=2", 501)] {
        let text = "GET /a HTTP/1.1\r\nHost: 127.0.0.1\r\nCookie: b=2; \(cookie)\r\n" + Self.end
        let answer = try await server.answer(to: text)
        #expect(answer.hasPrefix("HTTP/1.1 \(status) "), "\(answer)")
      }
    }
  }

  @Test(arguments: [false, true]) func `URLs in JSON lead back if that is asked for`(isAsked: Bool)
    async throws
  {
    let template = #"""
      {"next": "LED/b?c=1", "php": "PHP\/b", "bare":"LED", "OWN/key": 1,
       "others": ["https://other.test/?u=OWN/b", "OWN.evil.test/", "see OWN/b", "\"OWN/b\""]}
      """#.replacing("OWN", with: "https://api.example.test")
    func body(_ own: String) -> String {
      template.replacing("LED", with: own).replacing("PHP", with: own.replacing("/", with: #"\/"#))
    }
    let recorded = body("https://api.example.test")
    let tape = Interaction(
      Request("GET", "https://api.example.test/a"),
      Response(headers: ["Content-Type": "application/hal+json"], body: Body(recorded))
    )
    expectEqual(Cassette([tape]).absoluteURLs?.prefix(21), "3 absolute URLs of ht")
    var options = ReplayServer.Options.patient
    options.rewritesURLs = isAsked
    let deck = Deck(Cassette([tape]), matcher: .pathAndQuery, then: .repeat)
    try await ReplayServer.serving(deck, options) { server async throws in
      // What was rendered for one name is not sent to the other.
      for host in ["127.0.0.1:\(server.port)", "localhost:\(server.port)"] {
        let answer = try await server.answer(to: "GET /a HTTP/1.1\r\nHost: \(host)\r\n" + Self.end)
        expectEqual(answer.content, isAsked ? body("http://\(host)") : recorded)
        #expect(
          answer.contains("\r\nContent-Length: \(answer.content.utf8.count)\r\n"),
          "\(answer)"
        )
      }
    }
  }
}
