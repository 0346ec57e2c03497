import TestSupport

@testable import WindTunnel

/// A redacted part matches any value; only ordinals must agree with each other.
@Suite struct RedactedMatchingTests {
  /// The places that a deck deals for requests, one after the other.
  private func places(
    _ recorded: [Request],
    _ asked: [Request],
    _ matcher: Matcher = .url,
    then: EndPolicy = .repeat
  ) -> [Int?] {
    let deck = Deck(
      Cassette(recorded.map { Interaction($0, Response()) }),
      matcher: matcher,
      then: then
    )
    return asked.map { request in
      guard case .recording(_, let place) = deck.decide(request).source else { return nil }
      return place
    }
  }

  private func get(_ urls: [RequestURL]) -> [Request] { urls.map { Request("GET", $0) } }

  @Test(
    arguments: try TestData.rows("redacted-addresses.json", count: 19)
      as [([String], [String], [Int?])]
  )
  func `a redacted part of an address matches any value`(
    recorded: [String],
    asked: [String],
    found: [Int?]
  ) {
    let urls = (recorded.map { RequestURL($0) }, asked.map { RequestURL($0) })
    expectEqual(places(get(urls.0), get(urls.1)), found)
  }

  @Test func `sequences of a redacted request are played in order`() {
    let recorded = get(["/x?t=REDACTED-t-1", "/x?t=REDACTED-t-2", "/x?t=REDACTED-t-1"])
    let asked = get(["/x?t=a", "/x?t=a", "/x?t=b", "/x?t=a"])
    expectEqual(places(recorded, asked, then: .fail), [0, 2, 1, nil])
  }

  @Test func `a user is known by the password that came first`() {
    let recorded = get(["https://REDACTED-userinfo-1@a/x", "https://REDACTED-userinfo-2@a/x"])
    let asked = get(["https://u:p@a/x", "https://v:p@a/x", "https://u:p@a/x", "https://w:p@a/x"])
    expectEqual(places(recorded, asked), [0, 1, 0, nil])
    // Who names nobody is answered by all of them in order.
    expectEqual(places(recorded, get(["https://a/x", "https://a/x"])), [0, 1])
  }

  @Test func `a redacted header value matches where that header counts`() {
    let matcher = Matcher.url.with { $0.headers = ["Authorization", "Cookie"] }
    func request(_ bearer: String, _ cookie: String) -> Request {
      Request("GET", "https://a/x", headers: ["Authorization": bearer, "Cookie": cookie])
    }
    let recorded = [
      request("Bearer REDACTED-authorization-1", "sid=REDACTED-sid-1; t=REDACTED-t-1"),
      request("Bearer REDACTED-authorization-2", "sid=REDACTED-sid-1; t=REDACTED-t-1"),
    ]
    let asked = [
      request("Bearer a", "sid=1; t=dark"), request("Bearer b", "sid=1; t=dark"),
      request("Bearer a", "sid=1; t=dark"), request("Bearer c", "sid=1; t=dark"),
      request("Basic a", "sid=1; t=dark"), request("Bearer a", "sid=2; t=dark"),
    ]
    expectEqual(places(recorded, asked, matcher), [0, 1, 0, nil, nil, nil])
  }

  @Test(arguments: [BodyRule.bytes, .json(), BodyRule(.byType)])
  func `a redacted string of JSON matches any value`(rule: BodyRule) {
    let recorded = [
      post(#"{"user":"ada","password":"REDACTED-password-1"}"#),
      post(#"{"user":"bob","password":"REDACTED-password-2"}"#),
    ]
    let asked = [
      post(#"{"user":"bob","password":"x"}"#), post(#"{"user":"ada","password":"y\"z"}"#),
      post(#"{"user":"ada","password":"x"}"#), post(#"{"user":"eve","password":"x"}"#),
      post(#"{"user":"ada"}"#), post(#"{"user":"ada","password":"y\"z"}"#),
    ]
    expectEqual(places(recorded, asked, .body(rule)), [1, 0, nil, nil, nil, 0])
  }

  @Test(arguments: [BodyRule.bytes, .form(), BodyRule(.byType)])
  func `a redacted field of a form matches any value`(rule: BodyRule) {
    let recorded = [form("user=ada&pin=REDACTED-pin-1")]
    let asked = [form("user=ada&pin=12%2034"), form("user=ada&pin=12+34"), form("user=eve&pin=1")]
    expectEqual(places(recorded, asked, .body(rule)), [0, 0, nil])
  }

  @Test func `a redacted text matches around what was taken`() {
    let recorded = [post("key REDACTED-key-1.", "text/plain")]
    let asked = [post("key 7.", "text/plain"), post("key 7", "text/plain")]
    expectEqual(places(recorded, asked, .body(.bytes)), [0, nil])
  }

  @Test func `lanes bind apart`() {
    let deck = Deck(
      Cassette([Interaction(Request("GET", "/x?t=REDACTED-t-1"), Response())]),
      then: .repeat
    )
    let found = [("1", "a"), ("2", "b"), ("1", "b"), ("2", "b")].map { lane, value -> Bool in
      let outcome = deck.decide(Request("GET", RequestURL("/x?t=\(value)")), lane: Lane(lane))
      if case .recording = outcome.source { return true }
      return false
    }
    expectEqual(found, [true, true, false, true])
  }

  @Test func `a value that another ordinal stands for is told as that`() {
    let deck = Deck(Cassette([Interaction(Request("GET", "/x?t=REDACTED-t-1"), Response())]))
    _ = deck.decide(Request("GET", "/x?t=a"))
    _ = deck.decide(Request("GET", "/x?t=b"))
    let text = deck.mismatches.map { "\($0)" }.joined()
    #expect(
      text.contains("differs in only a redacted part, which already stands for another value.")
    )
  }

  @Test func `each of two thousand tokens of one path finds its own recording`() {
    let recorded = get((0..<2000).map { RequestURL("/x?token=REDACTED-token-\($0 + 1)") })
    let asked = get((0..<2000).map { RequestURL("/x?token=t\($0)") })
    let found = places(recorded, asked + asked.reversed())
    expectEqual(found, Array(0..<2000) + (0..<2000).reversed())
  }
}
