import TestSupport

@testable import WindTunnel

/// Which spellings of an address are one, and what a recorded address stands for.
@Suite struct SpellingTests {
  /// Two targets, whether they are one, and whether they are where spellings count.
  struct Pair: Sendable, CustomTestStringConvertible {
    var recorded, asked: Request
    var isSame, isSameExactly: Bool

    init(_ row: [JSON]) throws {
      let texts = try row.prefix(2).map { try #require($0.stringValue) }
      (recorded, asked) = (SpellingTests.get(texts[0]), SpellingTests.get(texts[1]))
      (isSame, isSameExactly) = (row[2] == .bool(true), row.last == .bool(true))
    }

    var testDescription: String { "\(recorded.url) | \(asked.url) | \(isSame)" }
  }

  private static let exact = Matcher.url.with { ($0.isPathExact, $0.isQueryExact) = (true, true) }

  private static func get(_ target: String) -> Request {
    Request("GET", RequestURL("https://a.example\(target)"))
  }

  private static func tape(_ targets: String...) -> Cassette {
    Cassette(targets.map { Interaction(get($0), .json(1)) })
  }

  static func spellings() throws -> [Pair] {
    try DataFiles.rows("Matching/spellings.json", count: 71).map { try Pair($0) }
  }

  @Test(arguments: try spellings())
  func `two spellings are one where a parser takes them for the same`(pair: Pair) {
    for (recorded, asked) in [(pair.recorded, pair.asked), (pair.asked, pair.recorded)] {
      MatcherCase(.url, recorded, asked, pair.isSame).expectAnswer()
      MatcherCase(Self.exact, recorded, asked, pair.isSameExactly).expectAnswer()
    }
    // Draws and sequences go by the key.
    expectEqual(Matcher.url.key(pair.recorded) == Matcher.url.key(pair.asked), pair.isSame)
  }

  @Test(arguments: try spellings().filter { $0.isSame && !$0.isSameExactly })
  func `where spellings count, the rule offered is that they do not, and no parameter goes`(
    pair: Pair
  ) throws {
    let tape = Cassette([Interaction(pair.recorded, Response())])
    let rule = try #require(Explanation(pair.asked, tape, matcher: Self.exact).mismatch?.rule)
    let isPath = pair.recorded.url.path != pair.asked.url.path
    expectEqual(rule[isPath ? "path" : "query"], ["exact": false], "\(rule)")
    expectEqual(rule["paths"] ?? rule["ignoreQuery"], nil, "\(rule)")
    let pasted = try Matcher(data: Data(rule.bytes()), source: "rule", over: Self.exact)
    expectEqual(Explanation(pair.asked, tape, matcher: pasted).numbers, [1])
  }

  @Test(arguments: try DataFiles.rows("Matching/literals.json", count: 27).map { try Pair($0) })
  func `what was recorded is literal, also when the file is read again`(pair: Pair) throws {
    let deck = Deck(Cassette(), mode: .rewrite)
    deck.keep(Interaction(pair.recorded, .json(1)), for: deck.decide(pair.recorded))
    let tape = try Cassette(data: deck.recorded().cassette.data(), source: "a.json")
    let recorded = tape.interactions[0].request
    expectEqual(recorded.url, pair.recorded.url.literal ?? pair.recorded.url)
    #expect(!recorded.url.hasVariables)
    MatcherCase(.url, recorded, pair.asked, pair.isSame).expectAnswer()
    MatcherCase(Self.exact, recorded, pair.recorded, true).expectAnswer()
  }

  @Test func `a recorded pattern is named by its number`() {
    var tape = Self.tape("/users/{id}", "/users/{id}")
    tape.interactions[1].timing = Timing(firstByte: .zero, lastByte: .zero)
    expectEqual(CassetteReview(tape).patterns, [2])
  }

  @Test func `the nearest recording is the one that differs in more than a spelling least`() {
    let tape = Self.tape("/s?q=c&r=1&page=2", "/s?q=a%20b&r=x%2Cy&e&page=1")
    let asked = Self.get("/s?q=a+b&r=x,y&e=&page=2")
    let mismatch = Explanation(asked, tape, matcher: .url).mismatch
    expectEqual(mismatch?.nearest?.number, 2)
    expectEqual(mismatch?.nearest?.difference, "query \"page\": recorded \"1\", asked \"2\"")
    expectEqual(mismatch?.rule, ["match": 1, "ignoreQuery": ["page"]])
  }

  @Test func `a rule offered for a literal segment or name stands for it alone`() throws {
    let tape = Self.tape("/a/b/%7Bid%7D/7?x*=1")
    let asked = Self.get("/a/b/{id}/8?x*=2")
    let rule = try #require(Explanation(asked, tape, matcher: .url).mismatch?.rule)
    expectEqual(rule, ["match": 1, "paths": ["/a/b/%7Bid%7D/{id}"], "ignoreQuery": ["x%2A"]])
    let pasted = try Matcher(data: Data(rule.bytes()), source: "rule", over: .url)
    for (rest, answers) in [("{id}/8?x*=2", [1]), ("c/8", []), ("{id}/8?xy=1", [])] {
      expectEqual(Explanation(Self.get("/a/b/\(rest)"), tape, matcher: pasted).numbers, answers)
    }
  }
}
