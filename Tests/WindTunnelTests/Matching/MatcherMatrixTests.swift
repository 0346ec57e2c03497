import TestSupport

@testable import WindTunnel

/// Method, origin, path, query, headers and filters.
@Suite struct MatcherMatrixTests {
  private static func get(_ url: RequestURL, _ headers: HeaderFields = [:]) -> Request {
    Request("GET", url, headers: headers)
  }

  static let methods: [MatcherCase] = [
    (Matcher.url, "GET", "GET", true), (.url, "GET", "HEAD", false), (.url, "GET", "get", false),
    (.url.with { $0.comparesMethod = false }, "GET", "HEAD", true),
    (.pathAndQuery.with { $0.comparesMethod = false }, "POST", "PUT", true),
  ].map { MatcherCase($0.0, Request($0.1, "https://a/x"), Request($0.2, "https://a/x"), $0.3) }

  private static let matchers: [String: Matcher] = [
    "url": .url, "pathAndQuery": .pathAndQuery,
    "noScheme": .url.with { $0.origin = [.host, .port] },
    "noPort": .url.with { $0.origin = [.scheme, .host] },
    "noHost": .url.with { $0.origin = [.scheme, .port] },
    "hostOnly": .url.with { $0.origin = [.host] },
    "users": .url.with { $0.paths = ["/users/{id}"] },
    "two": .url.with { $0.paths = ["/a/{x}/b/{y}", "/v1/{rest}"] },
    "time": .url.with { $0.ignoredQuery = ["ts", "utm_*"] },
    "none": .url.with { $0.ignoredQuery = ["*"] },
    "umlaut": .url.with { $0.ignoredQuery = ["größe"] },
  ]

  /// Origins, paths and queries.
  static func addresses() throws -> [MatcherCase] {
    let rows: [(String, String, String, Bool)] =
      try TestData.rows("Matching/addresses.json", count: 66)
    return try rows.map { name, recorded, asked, answers in
      MatcherCase(
        try #require(matchers[name], "\(name)"),
        get(RequestURL(recorded)),
        get(RequestURL(asked)),
        answers
      )
    }
  }

  static let headers: [MatcherCase] = {
    let accept = Matcher.url.with { $0.headers = ["accept", "X-Tenant"] }
    let type = Matcher.url.with { $0.headers = ["Content-Type"] }
    let parts = Matcher.body(.multipart()).with { $0.headers = ["Content-Type"] }
    func row(_ matcher: Matcher, _ there: HeaderFields, _ here: HeaderFields, _ answers: Bool)
      -> MatcherCase
    {
      MatcherCase(matcher, get("/x", there), get("/x", here), answers)
    }
    return [
      row(.url, ["Accept": "a"], ["Accept": "b"], true),
      row(accept, ["Accept": "a"], ["ACCEPT": "a"], true),
      row(accept, ["Accept": "a"], ["Accept": "b"], false),
      row(accept, ["Accept": "a"], [:], false), row(accept, [:], ["Accept": ""], false),
      row(accept, ["Accept": "a", "Other": "1"], ["Other": "2", "Accept": "a"], true),
      row(accept, ["Accept": "a", "X-Tenant": "1"], ["X-Tenant": "1", "Accept": "a"], true),
      row(accept, ["Accept": "a", "Accept": "b"], ["Accept": "b", "Accept": "a"], false),
      row(accept, ["Accept": "a", "Accept": "b"], ["Accept": "a, b"], false),
      row(accept, ["Accept": "caf\u{E9}"], ["Accept": "cafe\u{301}"], false),
      row(type, ["Content-Type": "m/f; boundary=1"], ["Content-Type": "m/f; boundary=2"], false),
      row(parts, ["Content-Type": "m/f; boundary=1"], ["Content-Type": "m/f; boundary=2"], true),
      row(
        parts,
        ["Content-Type": "m/f; boundary=1; a=b"],
        ["Content-Type": "m/f; boundary=2"],
        false
      ),
    ]
  }()

  @Test(arguments: try methods + addresses() + headers)
  func `a recording answers what is the same by the matcher`(row: MatcherCase) {
    row.expectAnswer()
  }

  @Test func `a filter only sees recordings of the same key`() {
    let tape = Cassette(
      ["1", "2", "1"].map { tenant in
        Interaction(Self.get("https://a/x", ["Tenant": tenant]), .json(.text(tenant)))
      } + [Interaction(Self.get("https://a/y"), .json(nil))]
    )
    let matcher = Matcher.url.with {
      $0.filters = [
        Filter("tenant") { recorded, asked in
          recorded.url.path == "/x" && recorded.headers["Tenant"] == asked.headers["Tenant"]
        }
      ]
    }
    let deck = Deck(tape, matcher: matcher)
    let places = ["2", "1", "1", "1", "3"].map { tenant -> Int? in
      let outcome = deck.decide(Self.get("https://a/x", ["Tenant": tenant]))
      guard case .recording(_, let place) = outcome.source else { return nil }
      return place
    }
    expectEqual(places, [1, 0, 2, nil, nil])
    let last = deck.mismatches.last.map { "\($0)" } ?? ""
    #expect(last.contains("differs in the value of filter \"tenant\"."), "\(last)")
  }
}
