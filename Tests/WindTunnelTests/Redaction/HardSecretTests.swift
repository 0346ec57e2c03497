import PlantedSecrets
import TestSupport

@testable import WindTunnel

/// Secrets that are hard to see, what looks like one and is none, and requests that differ in nothing
/// but such a value. What is missing of each list is named in the failure.
@Suite struct HardSecretTests {
  /// How many of each list have to be right.
  private static let (hardMin, harmlessMin, pairsMin) = (381, 149, 35)

  static func isOut(_ hard: HardSecret) -> Bool {
    let (cassette, leftOut) = Cassette(hard.interactions).redacted()
    let texts = Spellings.joined(Spellings.texts(cassette) + leftOut)
    return hard.secrets.allSatisfy { !Spellings.leak($0, in: texts) }
  }

  static func isUntouched(_ harmless: HarmlessAnswer) -> Bool {
    let (cassette, leftOut) = Cassette(harmless.interactions).redacted()
    return leftOut == [] && cassette.interactions == harmless.interactions
  }

  /// Whether each request of a pair gets its own answer, in another order than they were recorded in.
  private static func isToldApart(_ pair: HarmlessPair) -> Bool {
    var matcher = Matcher.url
    matcher.body = BodyRule(.byType)
    // Those of the requests' own fields that are no part of the protocol.
    matcher.headers = pair.first.request.headers.map(\.name)
    let deck = Deck(
      Cassette([pair.first, pair.second]).redacted().cassette,
      matcher: matcher,
      then: .repeat
    )
    return [1, 0, 1].allSatisfy { index in
      let asked = [pair.first, pair.second][index].request
      guard case .recording(_, let place) = deck.decide(asked).source else { return false }
      return place == index
    }
  }

  private static func report(_ list: String, _ failing: [String], of count: Int) -> Comment {
    let missing = failing.map { "\n  \($0)" }.joined()
    return "\(list): \(count - failing.count) of \(count); not right:\(missing)"
  }

  /// The number of rows of each kind.
  private static func counts(_ kinds: [String]) -> [String: Int] {
    kinds.reduce(into: [:]) { $0[$1, default: 0] += 1 }
  }

  @Test func `each table has all of its rows`() {
    let (hard, harmless, pairs) = (HardSecret.all, HarmlessAnswer.all, HarmlessPair.all)
    expectEqual(
      Self.counts(hard.map(\.kind)),
      [
        "name with a tail": 95, "header field": 44, "published shape": 97,
        "part of a credential": 24, "coding": 56, "other place": 69,
      ]
    )
    expectEqual(
      Self.counts(harmless.map(\.kind)),
      [
        "a number or a switch": 17, "a word of a schema": 15, "a sample with placeholders": 9,
        "a word of a text": 13, "a label or a complaint": 10, "a place in a list": 10,
        "a token that opens nothing": 13, "a word with another meaning": 13,
        "a word of another trade": 12, "a key that everybody may know": 7,
        "a checksum or a public name": 9, "a value that the path repeats": 12,
        "a harmless header field": 10,
      ]
    )
    expectEqual(pairs.count, 35)
    #expect(hard.allSatisfy { $0.interactions.count == 1 })
    expectEqual(hard.flatMap(\.secrets).count, 407)
    expectEqual(harmless.flatMap(\.interactions).count, 154)
  }

  @Test func `hard secrets are out`() {
    let all = HardSecret.all
    let failing = all.filter { !Self.isOut($0) }.map { "\($0.kind): \($0.title)" }
    let report = Self.report("hard secrets that are out", failing, of: all.count)
    #expect(all.count - failing.count >= Self.hardMin, report)
  }

  @Test func `what is harmless stays to the byte`() {
    let all = HarmlessAnswer.all
    let failing = all.filter { !Self.isUntouched($0) }.map { "\($0.kind): \($0.title)" }
    let report = Self.report("harmless answers that stay", failing, of: all.count)
    #expect(all.count - failing.count >= Self.harmlessMin, report)
  }

  @Test func `requests that differ in a harmless value get their own answers`() {
    let all = HarmlessPair.all
    let failing = all.filter { !Self.isToldApart($0) }.map(\.title)
    let report = Self.report("pairs that are told apart", failing, of: all.count)
    #expect(all.count - failing.count >= Self.pairsMin, report)
  }
}
