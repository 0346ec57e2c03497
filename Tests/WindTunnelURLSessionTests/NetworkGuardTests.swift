import TestSupport

@testable import WindTunnelURLSession

/// Which spellings of an address lead to a test's own server.
@Suite struct NetworkGuardTests {
  private func letsThrough(_ url: String, to origin: String) throws -> Bool {
    let networkGuard = NetworkGuard(allowing: origin) { _ in false }
    return networkGuard.letsThrough(URLRequest(url: try #require(URL(string: url))))
  }

  @Test(arguments: [
    "http://127.0.0.1:8080/a", "http://localhost:8080/a", "HTTP://LOCALHOST:8080/a",
    "ws://127.0.0.1:8080/feed", "ws://localhost:8080",
  ])
  func `the own server is let through by every name`(url: String) throws {
    #expect(try letsThrough(url, to: "http://127.0.0.1:8080"))
  }

  @Test(arguments: [
    "http://127.0.0.1:8081/", "http://localhost:8081/", "http://localhost/", "ws://localhost/",
    "https://localhost:8080/", "wss://127.0.0.1:8080/", "http://[::1]:8080/",
    "http://127.0.0.2:8080/", "http://localhost.example.test:8080/", "ftp://127.0.0.1:8080/",
  ])
  func `no other server is`(url: String) throws {
    #expect(try !letsThrough(url, to: "http://127.0.0.1:8080"))
  }

  @Test(arguments: [
    ("http://localhost/", "http://127.0.0.1"), ("ws://127.0.0.1:80/", "http://127.0.0.1"),
    ("wss://localhost/", "https://127.0.0.1:443"),
  ])
  func `a port that is the scheme's own need not be written`(url: String, origin: String) throws {
    #expect(try letsThrough(url, to: origin))
  }
}
