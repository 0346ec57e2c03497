import TestSupport

@testable import WindTunnelDrill

/// What a call shows, held against the texts of a cassette.
@Suite struct RecordedTextsTests {
  private static let stream =
    "id: 1\ndata: Grüße\n\ndata: from\ndata: München, Köln\n\ndata: the end\n\n"

  private static let cassette = Cassette([
    Interaction(
      Request("GET", "/stream"),
      Response(headers: ["Content-Type": "text/event-stream"], body: Body(stream))
    ),
    Interaction(
      Request("GET", "/latin"),
      Response(headers: ["Content-Type": "text/plain; charset=iso-8859-1"], body: Body("Grüße"))
    ),
    Interaction(Request("GET", "/plain"), Response(body: Body("All is said."))),
    Interaction(Request("GET", "/holes"), Response(body: Body("Gr\u{FFFD}ße an alle"))),
    Interaction(
      Request("GET", "/lines"),
      Response(
        headers: ["Content-Type": "application/x-ndjson"],
        body: Body("{\"a\":1}\n{\"text\":\"long\"}\n")
      )
    ),
    Interaction(
      Request("GET", "/size"),
      Response(
        headers: ["Content-Type": "application/json"],
        body: Body(#"{"size":"Größe XL","price":"19,90 €","note":"CafÃ©, Café"}"#)
      )
    ),
    Interaction(
      Request("GET", "/text"),
      Response(headers: ["Content-Type": "text/plain"], body: Body("Größe"))
    ),
    Interaction(Request("GET", "/weather"), Response(body: Body("今日は良い天気です。"))),
    Interaction(
      Request("GET", "/tokens"),
      Response(
        headers: ["Content-Type": "text/event-stream"],
        body: Body(
          ["Der Bä", "r lä", "uft ", "über den Sch", "nee."].map {
            "data: {\"id\":\"c-1\",\"choices\":[{\"delta\":{\"content\":\"\($0)\"}}]}\n\n"
          }.joined() + "data: [DONE]\n\n"
        )
      )
    ),
  ])

  private static func result(_ text: String) -> CallResult {
    var result = CallResult.good(Data(text.utf8))
    result.isPrinted = true
    return result
  }

  private static func replaces(_ text: String, at path: String = "/stream") -> Bool? {
    RecordedTexts(cassette, matcher: .pathAndQuery)
      .replacesScalars(result(text), Matcher.pathAndQuery.key(Request("GET", RequestURL(path))))
  }

  @Test(
    arguments: try TestData.rows("holes.json", count: 11) as [(String, Bool?)]
  )
  func `a hole where the text has letters is found`(text: String, isHole: Bool?) {
    expectEqual(Self.replaces(text), isHole)
  }

  @Test(arguments: try TestData.rows("mojibake.json", count: 14) as [(String, String, Bool)])
  func `bytes of letters that are shown as letters are found`(
    path: String,
    text: String,
    isFound: Bool
  ) {
    let texts = RecordedTexts(Self.cassette, matcher: .pathAndQuery)
    let key = Matcher.pathAndQuery.key(Request("GET", RequestURL(path)))
    expectEqual(texts.showsMojibake(Self.result(text), key), isFound)
  }

  @Test func `texts without such letters, with holes or in another coding do not tell`() {
    expectNil(Self.replaces("All is\u{FFFD}said.", at: "/plain"))
    expectNil(Self.replaces("Gr\u{FFFD}\u{FFFD}e an alle", at: "/holes"))
    expectNil(Self.replaces("Gr\u{FFFD}\u{FFFD}e", at: "/latin"))
    var raw = CallResult.good(Data([0x4D, 0xC3, 0x6E]))
    raw.isPrinted = true
    let key = Matcher.pathAndQuery.key(Request("GET", "/stream"))
    expectNil(RecordedTexts(Self.cassette, matcher: .pathAndQuery).replacesScalars(raw, key))
  }

  @Test func `tokens that are put together are held against what they make`() throws {
    let whole = "Der Bär läuft über den Schnee."
    expectEqual(Self.replaces(whole, at: "/tokens"), false)
    let holes = "Der B\u{FFFD}\u{FFFD}r l\u{FFFD}\u{FFFD}uft über"
    expectEqual(Self.replaces(holes, at: "/tokens"), true)
    let stream = try #require(Self.cassette.interactions.last?.response?.body.data)
    let cut = try #require(stream.range(of: Data("uft ".utf8))).lowerBound
    expectEqual(Self.showsCut("Der Bär lä\n", cut, of: 8), true)
    expectEqual(Self.showsCut("\(whole)\n", cut, of: 8), false)
    expectEqual(Self.showsCut("a bear\n", cut, of: 8), false)
    expectEqual(Self.showsCut("c-1c-1\n", cut, of: 8), false)
  }

  @Test func `holes of a script without a letter of one byte are counted`() {
    let holes = String(repeating: "\u{FFFD}", count: 30)
    expectEqual(Self.replaces(holes, at: "/weather"), true)
    expectNil(Self.replaces(holes + "\u{FFFD}", at: "/weather"))
  }

  private static func showsCut(_ text: String, _ bytes: Int, of interaction: Int = 0) -> Bool? {
    RecordedTexts(cassette, matcher: .pathAndQuery)
      .showsCutEvent(result(text), CutStream(interaction: interaction, bytes: bytes))
  }

  @Test func `the beginning of an event that was cut is known again`() throws {
    let whole = Data(Self.stream.utf8)
    let cut = try #require(whole.range(of: Data("chen".utf8))).lowerBound
    expectEqual(Self.showsCut("Grüße\nfrom\nMün\n", cut), true)
    expectEqual(Self.showsCut("Grüße\n", cut), false)
    // It is whole, or has no content that could be told from any other.
    expectEqual(Self.showsCut("from\nMünchen, Köln", cut), false)
    expectEqual(Self.showsCut("data: Gr", 14), false)
    // Between two events nothing is cut.
    let between = try #require(whole.range(of: Data("data: from".utf8))).lowerBound
    expectEqual(Self.showsCut("Grüße\n", between), false)
    expectNil(Self.showsCut("", cut))
    expectNil(Self.showsCut("All", 3, of: 2))
    expectEqual(Self.showsCut("{\"a\":1} {\"text\":\"lo", 19, of: 4), true)
  }
}
