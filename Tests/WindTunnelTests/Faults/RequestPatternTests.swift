import TestSupport

@testable import WindTunnel

@Suite struct RequestPatternTests {
  @Test(
    arguments: try TestData.rows("request-patterns.json", count: 44)
      as [(String, String, String, Bool)]
  )
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
