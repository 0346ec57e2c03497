import TestSupport
import WindTunnelFindings

/// Facts about calls that single rules need: each is a row, in the file of its rule.
@Suite struct EvidenceTests {
  @Test func `reports have the facts of calls in one order`() {
    let keys = FindingRule.evidence.map(\.key)
    expectEqual(Set(keys).count, keys.count)
    #expect(keys.prefix(2) == ["printed", "showsResponseOf"] && keys.count == 17)
  }

  @Test func `calls are equal in whatever order their facts were set`() throws {
    var (one, other) = (RuleTests.call([]), RuleTests.call([]))
    (one.isStale, one.printed, one.startUp) = (true, "words", .milliseconds(3))
    (other.startUp, other.isStale, other.printed) = (.milliseconds(3), true, "words")
    #expect(one == other && Set([one, other]).count == 1)
    try expectEqual(Observation(one.json), one)
    other.printed = nil
    #expect(other != one && other.printed == nil && other.isStale == true)
    (other.isStale, other.startUp) = (nil, nil)
    expectEqual(other, RuleTests.call([]))
  }

  /// Returns what every row takes from a call that returned a body.
  private static func taken(
    _ body: String,
    hasMutation: Bool = false,
    _ change: (inout CallResult) -> Void = { _ in }
  ) -> Observation {
    let request = Request("GET", "/home")
    let recorded = Response(body: Body("a page with enough words to be known again"))
    let cassette = Cassette([Interaction(request, recorded)])
    var result = CallResult.good(Data(body.utf8))
    change(&result)
    let seen = EndedCall(
      result,
      of: Matcher.pathAndQuery.key(request),
      against: RecordedBodies(cassette, matcher: .pathAndQuery),
      RecordedTexts(cassette, matcher: .pathAndQuery),
      hasMutation: hasMutation
    )
    var call = RuleTests.call([])
    call.bodyMatches = seen.bodyMatches
    for row in FindingRule.evidence { row.probe(seen, into: &call) }
    return call
  }

  @Test func `rows take what a call shows and nothing else`() {
    var plain = RuleTests.call([])
    plain.bodyMatches = true
    expectEqual(Self.taken("a page with enough words to be known again"), plain)
    let other = Self.taken("my own words") { $0.isPrinted = true }
    #expect(other.bodyMatches == nil && other.printed == "my own words")
    let changed = Self.taken("my own words", hasMutation: true) { $0.isPrinted = true }
    #expect(changed.bodyMatches == nil && changed.printed == nil)
    let page = ReplacementResponse.portalPage
    let long = page + String(repeating: " ", count: 1 << 20)
    let shown = [page, long].flatMap { body in
      [false, true].map { Self.taken(body, hasMutation: $0).showsResponseOf }
    }
    expectEqual(shown, [Observation.portalPage, Observation.portalPage, nil, nil])
    let large = Self.taken("x") { $0.memory = Observation.Memory(peakBytes: 7) }
    #expect(large.memory?.peakBytes == 7 && large.bodyMatches == false)
  }
}
