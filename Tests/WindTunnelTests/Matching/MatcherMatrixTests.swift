import TestSupport
import Testing

@testable import WindTunnel
@testable import WindTunnelCassettes

/// Method, origin, path, query, headers and filters.
@Suite struct MatcherMatrixTests {
  private static func get(_ url: RequestURL, _ headers: HeaderFields = [:]) -> Request {
    Request("GET", url, headers: headers)
  }

  private static func row(
    _ matcher: Matcher,
    _ recorded: RequestURL,
    _ asked: RequestURL,
    _ answers: Bool
  ) -> MatcherCase {
    MatcherCase(matcher, get(recorded), get(asked), answers)
  }

  static let methods: [MatcherCase] = [
    (Matcher.url, "GET", "GET", true), (.url, "GET", "HEAD", false), (.url, "GET", "get", false),
    (.url.with { $0.comparesMethod = false }, "GET", "HEAD", true),
    (.pathAndQuery.with { $0.comparesMethod = false }, "POST", "PUT", true),
  ].map { MatcherCase($0.0, Request($0.1, "https://a/x"), Request($0.2, "https://a/x"), $0.3) }

  static let origins: [MatcherCase] = {
    let noScheme = Matcher.url.with { $0.origin = [.host, .port] }
    let noPort = Matcher.url.with { $0.origin = [.scheme, .host] }
    let noHost = Matcher.url.with { $0.origin = [.scheme, .port] }
    let hostOnly = Matcher.url.with { $0.origin = [.host] }
    return [
      row(.url, "https://a/x", "https://a/x", true), row(.url, "https://a/x", "http://a/x", false),
      row(.url, "https://a/x", "https://b/x", false), row(.url, "https://a/x", "https://A/x", true),
      row(.url, "https://a/x", "https://a:443/x", true),
      row(.url, "https://a/x", "https://a:8443/x", false),
      row(.url, "https://[::1]/x", "https://[::1]:443/x", true),
      row(.url, "https://u:p@a/x", "https://a/x", true),
      row(.url, "/x", "https://a/x", true), row(.url, "https://a/x", "/x", true),
      row(noScheme, "https://a:1/x", "http://a:1/x", true),
      row(noScheme, "https://a/x", "http://a/x", false),
      row(noScheme, "https://a/x", "http://b/x", false),
      row(noPort, "https://a:1/x", "https://a:2/x", true),
      row(noPort, "https://a/x", "https://a:2/x", true),
      row(noPort, "https://a/x", "http://a/x", false),
      row(noHost, "https://a/x", "https://b/x", true),
      row(noHost, "https://a/x", "https://b:2/x", false),
      row(hostOnly, "https://a/x", "http://a:9/x", true),
      row(hostOnly, "https://a/x", "http://b:9/x", false),
      row(.pathAndQuery, "https://a/x", "http://b:9/x", true),
    ]
  }()

  static let paths: [MatcherCase] = {
    let users = Matcher.url.with { $0.paths = ["/users/{id}"] }
    let two = Matcher.url.with { $0.paths = ["/a/{x}/b/{y}", "/v1/{rest}"] }
    return [
      row(.url, "/x", "/x", true), row(.url, "/x", "/X", false), row(.url, "/x", "/x/", false),
      row(.url, "/a%2fb", "/a%2Fb", true), row(.url, "/a%2Fb", "/a/b", false),
      row(.url, "/%7Euser", "/~user", true), row(.url, "/caf%C3%A9", "/café", true),
      row(.url, "/cafe%CC%81", "/caf%C3%A9", false), row(.url, "/cafe\u{301}", "/caf\u{E9}", false),
      row(.url, "/users/{id}", "/users/7", true), row(.url, "/users/{id}", "/users/", false),
      row(.url, "/users/{id}", "/users/7/8", false),
      row(users, "/users/7", "/users/8", true), row(users, "/users/7", "/users/", false),
      row(users, "/users/7", "/users/8/x", false), row(users, "/users/{id}", "/users/8", true),
      row(users, "/users/7", "/user/7", false), row(users, "/users/7?a=1", "/users/8?a=2", false),
      row(users, "https://a/users/7", "https://b/users/8", false),
      row(two, "/a/1/b/2", "/a/3/b/4", true), row(two, "/a/1/b/2", "/a/3/c/4", false),
      row(two, "/v1/x", "/v1/y", true), row(two, "/v1/x", "/v2/x", false),
    ]
  }()

  static let queries: [MatcherCase] = {
    let time = Matcher.url.with { $0.ignoredQuery = ["ts", "utm_*"] }
    let none = Matcher.url.with { $0.ignoredQuery = ["*"] }
    let umlaut = Matcher.url.with { $0.ignoredQuery = ["größe"] }
    return [
      row(.url, "/x?a=1&b=2", "/x?b=2&a=1", true), row(.url, "/x?a=1&a=2", "/x?a=2&a=1", false),
      row(.url, "/x?a=1&a=2", "/x?a=1&a=2", true), row(.url, "/x?a=1", "/x?a=1&a=1", false),
      row(.url, "/x?a", "/x?a=", true), row(.url, "/x?", "/x", true),
      row(.url, "/x?a=b+c", "/x?a=b%20c", true), row(.url, "/x?a=%c3%a9", "/x?a=é", true),
      row(.url, "/x?A=1", "/x?a=1", false), row(.url, "/x?a=1=2", "/x?a=1=2", true),
      row(time, "/x?ts=1&a=1", "/x?a=1&ts=2", true), row(time, "/x?ts=1", "/x", true),
      row(time, "/x", "/x?ts", true), row(time, "/x?ts=1&ts=2", "/x?ts=3", true),
      row(time, "/x?ts=1&a=1", "/x?ts=1&a=2", false), row(time, "/x?tsx=1", "/x?tsx=2", false),
      row(time, "/x?utm_a=1", "/x?utm_b=2&utm_=", true), row(time, "/x?utm=1", "/x?utm=2", false),
      row(time, "/x?a=1&b=2&ts=0", "/x?b=2&a=1", true),
      row(none, "/x?a=1", "/x?b=2", true), row(none, "/x?a=1", "/y?a=1", false),
      row(umlaut, "/x?gr%C3%B6%C3%9Fe=1", "/x?größe=2", true),
    ]
  }()

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

  @Test(arguments: methods + origins + paths + queries + headers)
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
    #expect(last.contains("differs in what filter \"tenant\" asks for."), "\(last)")
  }
}
