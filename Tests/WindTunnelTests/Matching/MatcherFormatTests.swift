import Mutations
import TestSupport

@testable import WindTunnel

@Suite struct MatcherFormatTests {
  private func read(_ text: String, over base: Matcher = .pathAndQuery) throws -> Matcher {
    try Matcher(data: Data(text.utf8), source: "m.json", over: base)
  }

  @Test(arguments: try DataFiles.refusals("matcher", count: 20))
  func `rules that are none are refused with their place`(text: String, sentence: String) {
    expectEqual(refusal { try read(text) }, sentence)
  }

  @Test(arguments: [
    "", "$x", "$.", "$..", "$[", "$[]", "$['a]", "$[1", "$[-1]", "$.a b", "a.b",
    "$[99999999999999999999]",
  ])
  func `what is no path into JSON is refused`(text: String) {
    expectNil(JSONPath(text))
  }

  @Test func `every rule is read`() throws {
    let text = """
      { "match": 1, "method": false, "origin": "required", "scheme": false, "host": true,
        "port": false, "path": { "exact": true }, "query": { "exact": true }, "paths": ["/users/{id}"], "ignoreQuery": ["page", "utm_*"],
        "headers": ["Accept"], "body": "byType", "ignoreBody": ["$.items[*].id", "csrf"],
        "order": false, "ignoreOutput": ["3 passed in *"],
        "_why": "anybody's" }
      """
    var expected = Matcher(authority: .required)
    expected.comparesMethod = false
    expected.origin = [.host]
    expected.paths = ["/users/{id}"]
    expected.ignoredQuery = ["page", "utm_*"]
    expected.headers = ["Accept"]
    (expected.isPathExact, expected.isQueryExact) = (true, true)
    expected.body = BodyRule(.byType, ignoring: ["$.items[*].id"], fields: ["csrf"])
    (expected.comparesOrder, expected.ignoredOutput) = (false, [LinePattern("3 passed in *")])
    try expectEqual(read(text), expected)
  }

  @Test func `what is not said is the command's own rule`() throws {
    try expectEqual(read(#"{"match":1}"#), .pathAndQuery)
    try expectEqual(read(#"{"match":1}"#, over: .url), .url)
    expectEqual(Matcher.url.json(over: .url), ["match": 1])
  }

  @Test(arguments: 0..<60)
  func `what is written is read as it was`(seed: UInt64) throws {
    var generator = Generator(seed: seed)
    let matcher = generator.matcher()
    let text = "\(matcher.json(over: .url))"
    try expectEqual(read(text, over: .url), matcher, "seed \(seed): \(text)")
  }

  @Test(arguments: 0..<30)
  func `no mutation of a match file crashes, and what is accepted stays itself`(
    seed: UInt64
  ) throws {
    var generator = Generator(seed: seed)
    let request = Request("POST", "https://a/users/7?page=1", body: Body(#"{"a":[1]}"#))
    for _ in 0..<60 {
      let text = generator.mutated(Array(generator.matcher().json(over: .url).bytes()))
      // A refused text is what other tests are about.
      guard let matcher = try? Matcher(data: Data(text), source: "m", over: .url) else { continue }
      let again = Data(matcher.json(over: .url).bytes())
      try expectEqual(Matcher(data: again, source: "m", over: .url), matcher, "seed \(seed)")
      #expect(MatcherCase(matcher, request, request, true).isFound, "seed \(seed)")
    }
  }
}

extension RandomNumberGenerator {
  fileprivate mutating func some(_ texts: [String]) -> [String] {
    texts.filter { _ in Bool.random(using: &self) }
  }

  mutating func matcher() -> Matcher {
    var matcher = Matcher.url
    matcher.authority = pick(Matcher.Authority.allCases)
    matcher.comparesMethod = Bool.random(using: &self)
    matcher.origin = Matcher.OriginParts(rawValue: Int.random(in: 0..<8, using: &self))
    matcher.paths = some(["/users/{id}", "/a/{b}/c", "/é"]).map { PathTemplate($0) }
    matcher.ignoredQuery = some(["page", "utm_*", "größe", "*"]).map { NamePattern($0) }
    matcher.headers = some(["Accept", "X-Tenant"])
    matcher.comparesOrder = Bool.random(using: &self)
    matcher.ignoredOutput = some(["3 passed in *", "*"]).map { LinePattern($0) }
    matcher.isPathExact = Bool.random(using: &self)
    matcher.isQueryExact = Bool.random(using: &self)
    matcher.body.reading = pick(BodyRule.Reading.allCases)
    guard matcher.body.reading != .ignored, matcher.body.reading != .bytes else { return matcher }
    let paths = some(["$", "$.a", "$.a[*].b", "$..id", "$['a b'][0]", "$.*"])
    matcher.body.ignoredPaths = paths.map { JSONPath(stringLiteral: $0) }
    matcher.body.ignoredFields = some(["csrf", "_*"]).map { NamePattern($0) }
    return matcher
  }
}
