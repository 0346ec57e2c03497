import TestSupport
import Testing

@testable import WindTunnel

@Suite struct RequestPatternTests {
  @Test(arguments: [
    ("GET /users/*", "GET", "https://a/users/7", true), ("GET /users/*", "POST", "/users/7", false),
    ("GET /users/*", "GET", "/users", false), ("GET /users/*", "GET", "/users/", false),
    ("GET /users/*", "GET", "/users/7/x", false), ("GET /users/{id}", "GET", "/users/7", true),
    ("GET /users/**", "GET", "/users/7/x", true), ("GET /users/**", "GET", "/users", true),
    ("GET /users/**", "GET", "/user", false), ("* /x", "PUT", "/x", true),
    ("/x", "PUT", "/x", true),
    ("/x", "GET", "/x?a=1", true), ("GET /x?a=1", "GET", "/x?a=2", false),
    ("GET /x?b=2&a=1", "GET", "/x?a=1&b=2", true), ("GET /x?a=1", "GET", "/x", false),
    ("GET https://a/x", "GET", "https://a/x", true),
    ("GET https://a/x", "GET", "https://b/x", false),
    ("GET https://a/**", "GET", "/x", false), ("GET /%7Ex", "GET", "/~x", true),
    ("get /x", "GET", "/x", false), ("", "GET", "/any/thing", true),
    ("GET /", "GET", "https://a", true),
    ("GET https://*.a.example/**", "GET", "https://x.a.example/y", true),
    ("GET https://*.a.example/**", "GET", "https://a.example/y", false),
    ("GET https://*.a.example/**", "GET", "https://xa.example/y", false),
    ("CONNECT a.example:443", "CONNECT", "https://a.example:443", true),
    ("CONNECT a.example:443", "CONNECT", "https://a.example:8443", false),
    ("CONNECT A.example", "CONNECT", "https://a.example:8443", true),
    ("CONNECT *.a.example:443", "CONNECT", "https://x.y.a.example:443", true),
    ("CONNECT *", "CONNECT", "https://x:1", true), ("CONNECT *:2", "CONNECT", "https://x:1", false),
    ("CONNECT [::1]:443", "CONNECT", "https://[::1]:443", true),
    ("CONNECT *", "GET", "https://x/", false), ("GET /", "CONNECT", "https://x:1", false),
    ("* /", "CONNECT", "https://x:1", false), ("* /**", "CONNECT", "https://x:1", true),
    ("* https://x/**", "CONNECT", "https://x:1", true),
    ("* https://x/y", "CONNECT", "https://x:1", false),
  ])
  func `a pattern means these requests and no others`(
    pattern: String,
    method: String,
    url: String,
    matches: Bool
  ) {
    expectEqual(RequestPattern(pattern).matches(Request(method, RequestURL(url))), matches)
  }

  @Test func `a pattern is written as it was read`() {
    expectEqual(RequestPattern("GET  /a?b").description, "GET  /a?b")
  }
}
