internal import Foundation

/// What stands in the place of values: `REDACTED-token-1` is a field's name and the ordinal of the
/// value's first appearance under it, and nothing of the value, not even a hash.
///
/// A value of some length bears one pseudonym wherever it turns up, so that a reader sees that the
/// bearer of one request is the token of an earlier answer. A short one bears one a name.
struct Pseudonyms {
  /// A secret of at least so many bytes is looked for everywhere; shorter ones occur by chance.
  static let echoBytesMin = 6

  /// What must not occur in anything that is kept, and what stands in its place.
  private(set) var secrets: [String: String] = [:]
  /// Secrets that are themselves words which name secrets, such as a token `pass-phrase`. They stand
  /// in any text by right, so they are looked for only where they are the whole of a value.
  private(set) var words: [String: String] = [:]
  private var ordinals: [String: [String: Int]] = [:]
  private var highest: [String: Int] = [:]

  /// Keeps the ordinals free that stand in a text.
  mutating func keepFree(_ text: some StringProtocol) {
    for match in String(text).matches(of: /REDACTED-([a-z0-9-]+)-([0-9]+)/) {
      guard let ordinal = Int(match.2) else { continue }
      let name = String(match.1)
      highest[name] = max(highest[name] ?? 0, ordinal)
    }
  }

  /// What stands for a value of a name.
  mutating func stand(for value: String, name: String, echoes: Bool = true) -> String {
    if SecretNames.isPlain(value) || Self.isRedacted(value) { return value }
    if let known = secrets[value] ?? words[value] { return known }
    let ordinal: Int
    if let known = ordinals[name]?[value] {
      ordinal = known
    } else {
      ordinal = (highest[name] ?? 0) + 1
      highest[name] = ordinal
      ordinals[name, default: [:]][value] = ordinal
    }
    let stand = Self.shaped("REDACTED-\(name)-\(ordinal)", like: value)
    if echoes { remember(value, as: stand) }
    return stand
  }

  /// Has a value looked for, and what stands for it.
  mutating func remember(_ value: String, as stand: String) {
    guard value.utf8.count >= Self.echoBytesMin, secrets[value] == nil, words[value] == nil,
      !Self.isRedacted(value)
    else { return }
    if SecretNames.isWord(value) { words[value] = stand } else { secrets[value] = stand }
  }

  /// Whether a value is one that stands for another.
  static func isRedacted(_ value: String) -> Bool {
    guard value.contains("REDACTED-") else { return false }
    if value.wholeMatch(of: /REDACTED-[a-z0-9-]+-[0-9]+(@example\.test)?/) != nil { return true }
    return WebToken.isRedacted(value)
  }

  /// Keeps the shape of what is decoded by clients.
  private static func shaped(_ pseudonym: String, like value: String) -> String {
    if let token = WebToken(value) { return token.redacted(as: pseudonym) }
    if Shapes.isMail(value) { return "\(pseudonym)@example.test" }
    return pseudonym
  }
}
