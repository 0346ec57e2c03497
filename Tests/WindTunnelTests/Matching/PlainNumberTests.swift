import TestSupport

@testable import WindTunnelCassettes
@testable import WindTunnelHTTP

@Suite struct PlainNumberTests {
  @Test(arguments: [
    ("19.90", "19.9"), ("0.5", "0.5"), ("-0.05", "-0.05"), ("900", "900"), ("-12.50e1", "-125"),
    ("0", "0"), ("1e20", "100000000000000000000"), ("1e21", "1e21"), ("12e-30", "12e-30"),
  ])
  func `a number that is compared is shown as a person writes it`(written: String, shown: String) {
    expectEqual(JSON.plain(number: JSON.canonical(number: written)), shown)
  }

  @Test func `a mismatch tells amounts as they are`() throws {
    let tape = Cassette([
      Interaction(Request("POST", "https://a/x", body: Body(#"{"amount":19.90}"#)), Response())
    ])
    var matcher = Matcher.pathAndQuery
    matcher.body = BodyRule(.json)
    let asked = Request("POST", "https://a/x", body: Body(#"{"amount":900}"#))
    let words = "\(Explanation(asked, tape, matcher: matcher))"
    #expect(words.contains("recorded 19.9, asked 900"), "\(words)")
  }
}
