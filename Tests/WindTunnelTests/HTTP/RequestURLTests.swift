import TestSupport

@testable import WindTunnel

@Suite struct RequestURLTests {
  private func parts(_ url: RequestURL) -> [String?] {
    [url.scheme, url.userInfo, url.host, url.port.map(String.init), url.path, url.query]
  }

  @Test(arguments: try TestData.rows("addresses.json", count: 20) as [(String, [String?])])
  func `an address is taken apart as RFC 3986 says`(text: String, expected: [String?]) {
    expectEqual(parts(RequestURL(text)), expected)
  }

  @Test(arguments: ["http://h:x/a", "http://h:-1/a", "http://h:99999/a", "http://h:+8/a"])
  func `what is no port stays in the address`(text: String) {
    let url = RequestURL(text)
    expectNil(url.port)
    expectEqual(url.description, text)
  }

  @Test(arguments: [
    "https://u:p@api.example.com:8443/a%2Fb/?x=1&x=2", "/users/{id}", "http://[::1]:8080/",
    "https://api.example.com/?",
  ])
  func `an address is written as it was read`(text: String) {
    expectEqual(RequestURL(text).description, text)
  }

  @Test(
    arguments: [
      ("https://a:443/x", "https://a"), ("http://a:80", "http://a"),
      ("http://a:443", "http://a:443"),
      ("https://u:p@A:8443/x?y", "https://a:8443"), ("http://[::1]:80/", "http://[::1]"),
      ("/x", nil),
    ] as [(String, String?)]
  )
  func `an origin leaves out the port that is the scheme's own`(text: String, origin: String?) {
    let url = RequestURL(text)
    expectEqual(url.origin, origin)
    // No other is it but the one that it spells.
    let others = ["http://api.test", "https://api.test:1", "http://api.test:8080", "", "http://"]
    for other in others + [origin, origin.map { $0 + "1" }, origin.map { String($0.dropLast()) }] {
      guard let other else { continue }
      expectEqual(url.isOf(other), (url.origin == other), "\(other)")
    }
  }

  @Test func `the port that is meant follows from the scheme`() {
    let ports = ["https://a", "http://a", "http://a:1", "/a", "ws://a"].map {
      RequestURL($0).effectivePort
    }
    expectEqual(ports, [443, 80, 1, nil, nil])
  }

  @Test func `the target is path and query`() {
    expectEqual(RequestURL("https://a/b?c=d#e").target, "/b?c=d")
    expectEqual(RequestURL("https://a").target, "/")
  }

  @Test(arguments: [
    ("/%7euser", "/~user"), ("/%c3%a9", "/%C3%A9"), ("/a%2fb", "/a%2Fb"), ("/%41%62", "/Ab"),
    ("/100%", "/100%"), ("/%4", "/%4"), ("/%zz", "/%zz"), ("/%%41", "/%A"), ("/%2541", "/%2541"),
    ("/é", "/%C3%A9"), ("/a b", "/a%20b"),
  ])
  func `equal addresses have one spelling`(text: String, canonical: String) {
    expectEqual(text.canonicalPercentEncoding, canonical)
  }

  @Test(arguments: [
    ("OPTIONS", "*", "*", "*"), ("OPTIONS", "https://a.test", "*", "https://a.test"),
    ("OPTIONS", "https://a.test:8443", "*", "https://a.test:8443"),
    ("OPTIONS", "https://a.test/", "/", "https://a.test/"),
    ("OPTIONS", "https://a.test/*", "/*", "https://a.test/*"),
    ("OPTIONS", "https://a.test?b", "/", "https://a.test/?b"), ("OPTIONS", "/*", "/*", "/*"),
    ("GET", "https://a.test", "/", "https://a.test/"), ("GET", "*", "/*", "/*"),
  ])
  func `OPTIONS of an address without a path is about the server as a whole`(
    method: String,
    text: String,
    path: String,
    written: String
  ) {
    let url = RequestURL(text, askedBy: method)
    #expect(url.path == path && url.description == written)
    expectEqual(RequestURL(url.description, askedBy: method), url)
  }
}
