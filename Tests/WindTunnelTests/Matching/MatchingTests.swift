import TestSupport

@testable import WindTunnel
@testable import WindTunnelCassettes

@Suite struct MatchingTests {
  private func place(
    _ recorded: [RequestURL],
    _ asked: RequestURL,
    _ matcher: Matcher = .url
  ) -> [Int]? {
    let index = MatchIndex(recorded.map { Request("GET", $0) }, matcher: matcher)
    let request = Request("GET", asked)
    return index.sequence(for: request, key: matcher.key(request))?.places
  }

  @Test(
    arguments: try TestData.rows("Matching/recordings.json", count: 26)
      as [([String], String, [Int]?)]
  )
  func `the recordings of a request are found`(recorded: [String], asked: String, places: [Int]?) {
    expectEqual(place(recorded.map { RequestURL($0) }, RequestURL(asked)), places)
  }

  @Test(
    arguments: [
      (["https://a/x"], "http://127.0.0.1:8080/x", [0]),
      (["https://a/x", "https://b/x"], "https://b/x", [1]),
      (["https://a/x", "https://b/x"], "http://127.0.0.1/x", [0, 1]),
    ] as [([RequestURL], RequestURL, [Int]?)]
  )
  func `on another host the recorded one only breaks ties`(
    recorded: [RequestURL],
    asked: RequestURL,
    places: [Int]?
  ) {
    expectEqual(place(recorded, asked, .pathAndQuery), places)
  }

  @Test(arguments: ["/x", "/{id}"] as [RequestURL])
  func `bodies are compared where the matcher says so`(url: RequestURL) {
    let matcher = Matcher(authority: .required, comparesBodies: true)
    let recorded = ["a", "b", ""].map { Request("POST", url, body: Body($0)) }
    let index = MatchIndex(recorded, matcher: matcher)
    let found = ["b", "", "c"].map { body in
      let request = Request("POST", "/x", body: Body(body))
      return index.sequence(for: request, key: matcher.key(request))?.places
    }
    expectEqual(found, [[1], [2], nil])
  }

  @Test func `each of ten thousand recordings is found, and ten thousand templates too`() {
    let literal = (0..<10_000).map { Request("GET", RequestURL("https://a/users/\($0)?q=\($0)")) }
    let templates = (0..<10_000).map { Request("GET", RequestURL("/t\($0)/{id}/x")) }
    let index = MatchIndex(literal + templates, matcher: .url)
    for number in 0..<10_000 {
      let request = Request("GET", RequestURL("https://a/t\(number)/7/x"))
      let places = [literal[number], request].map {
        index.sequence(for: $0, key: Matcher.url.key($0))?.places
      }
      guard places == [[number], [10_000 + number]] else {
        Issue.record("\(number) was not found")
        return
      }
    }
  }

  @Test func `a key bears no host and no port`() {
    let key = Matcher.url.key(Request("GET", "https://u:p@a:1/x%2f?b=2&a=1"))
    expectEqual(key.text, "GET /x%2F?a=1&b=2")
  }
}

@Suite struct MismatchTests {
  @Test func `a slip of the pen is nearest to what was meant`() {
    let interactions = ["/json", "/headers", "/get", "/user/agents"].map { path in
      Interaction(Request("GET", RequestURL("https://a.example\(path)")), Response())
    }
    let deck = Deck(Cassette(interactions))
    for asked in ["/gett", "/user/agent", "/jason"] {
      _ = deck.decide(Request("GET", RequestURL("https://a.example\(asked)")))
    }
    expectEqual(
      deck.mismatches.map { $0.nearest?.request },
      ["/get", "/user/agents", "/json"].map { "GET https://a.example\($0)" }
    )
  }

  private func sentence(_ deck: Deck, _ request: Request) -> String {
    guard case .unmatched(let mismatch) = deck.decide(request).source else { return "" }
    return "\(mismatch)"
  }

  private static let tape = Cassette([
    Interaction(Request("GET", "https://a.example/users?page=1"), .json([])),
    Interaction(Request("POST", "https://a.example/login", body: Body("x")), .json([:])),
    Interaction(Request("GET", "/items/{id}"), .json([:])),
  ])

  @Test(arguments: [
    (
      Request("GET", "https://a.example/users?page=2"),
      "#1 GET https://a.example/users?page=1, differs in query \"page\": recorded \"1\", asked \"2\"."
    ),
    (
      Request("GET", "https://a.example/users"),
      "#1 GET https://a.example/users?page=1, differs in query \"page\": recorded \"1\", asked none."
    ),
    (
      Request("PUT", "https://a.example/login"),
      "#2 POST https://a.example/login, differs in method: recorded POST, asked PUT."
    ),
    (
      Request("POST", "https://b.example/login"),
      "#2 POST https://a.example/login, differs in host: recorded https://a.example, asked https://b.example."
    ),
    (
      Request("GET", "https://a.example/items/7/parts"),
      "#3 GET /items/{id}, differs in path: recorded /items/{id}, asked /items/7/parts."
    ),
  ])
  func `what is not there is told with the nearest and the first difference`(
    request: Request,
    nearest: String
  ) {
    expectEqual(
      sentence(Deck(Self.tape), request).split(separator: "\n").prefix(2).joined(separator: "\n"),
      "\(request.method) \(request.url) is not on the cassette.\nNearest: \(nearest)"
    )
  }

  @Test func `a used-up recording is reported with its number of plays and the fix`() {
    let deck = Deck(Self.tape)
    let request = Request("GET", "https://a.example/users?page=1")
    expectEqual(sentence(deck, request), "")
    expectEqual(
      sentence(deck, request),
      """
      GET https://a.example/users?page=1 was already played once, and has no further recording.
      To play it again, add "then": "repeat" to interaction #1, or record it once more.
      """
    )
  }

  @Test func `a password is not repeated`() {
    let text = sentence(Deck(Cassette()), Request("GET", "https://u:secret@a.example/"))
    expectEqual(text, "GET https://a.example/ is not on the cassette, which has no interactions.")
  }
}
