import TestSupport

@testable import WindTunnel

@Suite struct TemplateTests {
  private static let request = Request(
    "POST",
    "https://api.example.test/users/a%20%22b?page=2&q=a%22b%0D%0AX-Evil%3A+1",
    headers: ["X-Id": #"7","admin":true"#],
    body: Body(#"{"id":7,"name":"A\"da\n","list":[1,{"k":null}]}"#)
  )

  /// A cassette of a template in a file's words.
  private static func cassette(_ text: String, type: String, isTemplate: Bool = true) throws
    -> Cassette
  {
    let headers: JSON = [
      ["Content-Type", .text(type)], ["X-Q", "<{{request.query.q}}>"], ["X-C", "\"{{counter}}\""],
    ]
    let interaction: JSON = [
      "request": ["method": "POST", "url": "/users/{id}"],
      "response": ["headers": headers, "text": .text(text)], "then": "repeat",
      "template": .bool(isTemplate),
    ]
    return try Cassette("\(["windtunnel": 1, "interactions": [interaction]] as JSON)")
  }

  private static func deck(_ cassette: Cassette, seed: UInt64 = 1) -> Deck {
    var matcher = Matcher.url
    matcher.ignoredQuery = ["*"]
    return Deck(cassette, seed: seed, matcher: matcher)
  }

  private static func response(_ deck: Deck, lane: Lane = .deck) -> Response? {
    deck.decide(request, lane: lane).recording?.response
  }

  @Test func `each value stands in the response as its place wants it`() throws {
    for row in try DataFiles.rows("templates.json", count: 20) {
      let row = row.compactMap(\.stringValue)
      let deck = try Self.deck(Self.cassette(row[1], type: row[0]))
      var expected = Response(
        headers: ["Content-Type": row[0], "X-Q": "<a\"b  X-Evil: 1>", "X-C": "\"1\""],
        body: Body(row[2])
      )
      expectEqual(Self.response(deck), expected, "\(row)")
      expectEqual(
        deck.journal.all[0].misfits,
        row.dropFirst(3).map { "The template's {{\($0)}} has no value in the request." }
      )
      let literal = try Self.deck(Self.cassette(row[1], type: row[0], isTemplate: false))
      expected.head.headers["X-Q"] = "<{{request.query.q}}>"
      expected.head.headers["X-C"] = "\"{{counter}}\""
      expected.body = Body(row[1])
      expectEqual(Self.response(literal), expected, "\(row)")
    }
  }

  @Test func `ids are those of the seed, the lane and the ordinal`() throws {
    let cassette = try Self.cassette("{{uuid}} {{uuid}}", type: "text/plain")
    let ids = { (seed: UInt64, lanes: [Lane]) in
      let deck = Self.deck(cassette, seed: seed)
      return lanes.map { Self.response(deck, lane: $0)?.body.text ?? "" }
    }
    let lanes: [Lane] = [.deck, .deck, Lane("a"), .deck]
    expectEqual(ids(1, lanes), ids(1, lanes))
    expectEqual(Set(ids(1, lanes) + ids(2, lanes)).count, 8)
    let pattern = /([0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}) \1/
    for text in ids(1, lanes) { #expect(text.wholeMatch(of: pattern) != nil, "\(text)") }
  }

  @Test func `a counter is a lane's, and counts what the client gets`() throws {
    let deck = try Self.deck(Self.cassette("{{counter}}", type: "text/plain"))
    let lanes: [Lane] = [.deck, Lane("a"), .deck, Lane("a"), .deck]
    expectEqual(lanes.map { Self.response(deck, lane: $0)?.body.text }, ["1", "1", "2", "2", "3"])
    deck.swap([.always(.always, .status(503))])
    _ = Self.response(deck)
    deck.swap(.calm)
    expectEqual(Self.response(deck)?.body.text, "4")
    deck.reset()
    expectEqual(Self.response(deck)?.body.text, "1")
  }
}
