import PlantedSecrets
import TestSupport

@testable import WindTunnel

/// Secrets in syntaxes, containers, spellings and pieces; public identifiers; and recordings that
/// differ in a redacted value alone. `Data/Redaction/third-list.txt` has the score of each kind.
@Suite struct ThirdListTests {
  @Test func `each kind of the third list has its score, no more and no less`() {
    let rows =
      HardSecret.third.map { ("secret, \($0.kind)", $0.title, HardSecretTests.isOut($0)) }
      + HarmlessAnswer.third.map { row in
        ("harmless, \(row.kind)", row.title, HardSecretTests.isUntouched(row))
      }
      + RedactedPair.all.map { ("pair, \($0.kind)", $0.title, Self.isRight($0)) }
    let scores = Dictionary(grouping: rows, by: \.0).map { kind, rows in
      "\(kind): \(rows.count(where: \.2)) of \(rows.count)\n"
    }
    let wrong = rows.filter { !$0.2 }.map { "\n  \($0.0): \($0.1)" }.joined()
    let expected = TestData.text("Redaction/third-list.txt")
    expectEqual(scores.sorted().joined(), expected, "not right:\(wrong)")
  }

  @Test func `each row of the third list has its value before redaction`() {
    for hard in HardSecret.third {
      let texts = Spellings.joined(Spellings.texts(Cassette(hard.interactions)))
      let isThere = hard.secrets.allSatisfy { Spellings.leak($0, in: texts) }
      #expect(isThere && !hard.secrets.isEmpty, "\(hard.kind): \(hard.title)")
    }
    for harmless in HarmlessAnswer.third {
      let texts = Spellings.texts(Cassette(harmless.interactions))
      let isThere = harmless.stays.allSatisfy { stay in texts.contains { $0.contains(stay) } }
      #expect(isThere && !harmless.stays.isEmpty, "\(harmless.kind): \(harmless.title)")
    }
  }

  /// Whether each request gets its own recording, or order alone decides and all are named.
  private static func isRight(_ pair: RedactedPair) -> Bool {
    let runs = pair.kind == .twoRuns ? pair.interactions.map { [$0] } : [pair.interactions]
    let kept = runs.reduce(into: [Interaction]()) { kept, run in
      var redaction = Redaction(continuing: kept)
      kept += redaction.redact(run)
    }
    var matcher = Matcher.url
    (matcher.body, matcher.headers) = (BodyRule(.byType), ["Authorization", "Cookie", "X-Api-Key"])
    let deck = Deck(Cassette(kept), matcher: matcher, then: .repeat)
    let isLong = pair.kind == .given || pair.kind == .told
    let order = isLong ? [1, 3, 0, 2] : pair.kind == .other ? [1, 0] : [0, 1]
    let places = order.map { index -> Int? in
      let sent = pair.kind == .given ? kept[index] : pair.interactions[index]
      guard case .recording(_, let place) = deck.decide(sent.request).source else { return nil }
      return place
    }
    let isListed = CassetteReview(Cassette(kept)).alike.contains([1, 2])
    let isNamed = isListed && deck.journal.all.contains { $0.rival != nil }
    // In the other kinds, an earlier response or request tells which recording it is.
    return places == order || isNamed && (pair.kind == .other || pair.kind == .twoRuns)
  }
}
