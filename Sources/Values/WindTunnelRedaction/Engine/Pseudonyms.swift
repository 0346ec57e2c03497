internal import Foundation

/// The placeholders of values: `REDACTED-token-1` is a field's name and the ordinal of the
/// value's first appearance under it, and nothing of the value, not even a hash.
///
/// A value that is looked for bears one pseudonym wherever it turns up, so that a reader sees that
/// the bearer of one request is the token of an earlier answer. Any other bears one a name.
package struct Pseudonyms {
  /// A secret of at least so many bytes is looked for everywhere, in the middle of words, too;
  /// shorter ones occur there by chance.
  static let anywhereBytesMin = 6
  /// A shorter secret is looked for where it stands alone. One of three bytes and less is not:
  /// there are so few of them that texts are full of each (`the`, `200`, `GET`, `en`), and whoever
  /// wants it tries them all.
  static let aloneBytesMin = 4

  /// The maximum number of different values of one interaction that are looked for everywhere: each
  /// takes some 2 KB of memory. An interaction with more is left out, and named.
  static let soughtMax = 2048

  /// The certainty with which a value is somebody's secret.
  enum Certainty {
    /// The value is replaced where it stands and nowhere else.
    case none
    /// Under a name that has harmless values, too, such as a cookie's or `sign`.
    case likely
    /// A value that a client proves itself with.
    case sure
  }

  /// The place where a secret is looked for.
  package enum Reach {
    /// In every text, within words, too.
    case anywhere
    /// The place where it stands alone: a short secret, or a word that itself names secrets, such
    /// as a password `pass-phrase`.
    case alone
    /// The place where it is the whole of a value: such a word that may be no secret.
    case whole
  }

  /// A secret that is looked for.
  package struct Sought {
    var stand: String
    package var reach: Reach
  }

  /// The values that must not occur in anything that is kept.
  package private(set) var sought: [String: Sought] = [:]
  /// Those of them that were learnt since somebody asked.
  private var unheard: [String] = []
  /// Those of the interaction at hand, and maybe one more; `nil` outside of any, without a limit.
  var own: Set<String>?
  /// Whether the interaction at hand has more than ``soughtMax``: no more of it is read.
  var isOverfull: Bool { (own?.count ?? 0) > Self.soughtMax }
  private var ordinals: [String: [String: Int]] = [:]
  private var highest: [String: Int] = [:]
  /// The values that were given an ordinal, in that order.
  private var given: [(name: String, value: String, ordinal: Int)] = []

  /// Keeps the ordinals free that stand in bytes.
  mutating func keepFree(_ bytes: Bytes) {
    for (_, found) in PseudonymText.found(in: bytes) {
      highest[found.name] = max(highest[found.name] ?? 0, found.ordinal)
    }
  }

  /// Returns the placeholder of a value under a name.
  mutating func stand(for value: String, name: String, _ certainty: Certainty = .likely) -> String {
    if isOverfull || value.isEmpty || Self.isRedacted(value) { return value }
    if let known = sought[value.read] {
      remember(value, as: known.stand, certainty)
      return known.stand
    }
    let stand = Self.shaped("REDACTED-\(name)-\(ordinal(of: value, name))", like: value)
    remember(value, as: stand, certainty)
    return stand
  }

  private mutating func ordinal(of value: String, _ name: String) -> Int {
    if let known = ordinals[name]?[value.read] { return known }
    let ordinal = (highest[name] ?? 0) + 1
    highest[name] = ordinal
    ordinals[name, default: [:]][value] = ordinal
    given.append((name, value, ordinal))
    return ordinal
  }

  /// Takes over what a copy has given pseudonyms to that was made of these at `start`, and what it
  /// has learnt.
  ///
  /// - Returns: The ordinals that were given away here meanwhile, and what they are instead.
  mutating func adopt(
    _ other: Pseudonyms,
    since start: Pseudonyms,
    _ learned: [String]
  ) -> [Pseudonym: Int] {
    var changed: [Pseudonym: Int] = [:]
    for (name, value, ordinal) in other.given.dropFirst(start.given.count) {
      let own = self.ordinal(of: value, name)
      if own != ordinal { changed[Pseudonym(name: name, ordinal: ordinal)] = own }
    }
    for secret in learned {
      guard var new = other.sought[secret] else { continue }
      if let known = sought[secret] {
        guard known.reach == .whole, new.reach == .alone else { continue }
        new.stand = known.stand
      } else if !changed.isEmpty {
        new.stand = Interaction.renumbered(new.stand[...]) { changed[$0] ?? $0.ordinal }
      }
      seek(secret, new)
    }
    return changed
  }

  /// Has a value looked for, and what stands for it.
  mutating func remember(_ value: String, as stand: String, _ certainty: Certainty = .likely) {
    guard !isOverfull, let reach = Self.reach(of: value.read, certainty) else { return }
    own?.insert(value)
    if let known = sought[value] {
      if known.reach == .whole, reach == .alone { seek(value, Sought(stand: stand, reach: reach)) }
      return
    }
    if Self.isRedacted(value) || SecretNames.isPlain(value) { return }
    seek(value, Sought(stand: stand, reach: reach))
    guard reach != .whole else { return }
    for spelling in Self.base64(value) + Self.otherCases(value) where sought[spelling] == nil {
      seek(spelling, Sought(stand: stand, reach: reach))
    }
  }

  private mutating func seek(_ value: String, _ sought: Sought) {
    self.sought[value] = sought
    unheard.append(value)
  }

  /// Tells whether anything was learnt since somebody asked.
  var hasUnheard: Bool { !unheard.isEmpty }

  /// Returns the values that were learnt since it was asked the last time.
  mutating func takeUnheard() -> [(secret: String, sought: Sought)] {
    defer { unheard = [] }
    return unheard.compactMap { secret in sought[secret].map { (secret, $0) } }
  }

  private static func reach(of value: String, _ certainty: Certainty) -> Reach? {
    let count = value.utf8.count
    guard certainty != .none, count >= aloneBytesMin else { return nil }
    // Nothing that is long is a word, whatever it ends in.
    let isWord = count <= 80 && SecretNames.isWord(value)
    if count >= anywhereBytesMin, !isWord { return .anywhere }
    return certainty == .sure ? .alone : isWord && count >= anywhereBytesMin ? .whole : nil
  }

  /// Returns a value in capitals and in small letters, as it is echoed by what does not tell them
  /// apart. What is short or a word would be found by chance.
  private static func otherCases(_ value: String) -> [String] {
    guard 12...512 ~= value.utf8.count, value.utf8.allSatisfy({ $0 < 0x80 }),
      value.utf8.contains(where: { $0.isASCIIDigit }) || Looks.isDrawn(value)
    else { return [] }
    return [value.uppercased(), value.lowercased()].filter { $0 != value }
  }

  /// Returns the spellings of a value that are too short to be taken for base64 of something.
  private static func base64(_ value: String) -> [String] {
    let text = Data(value.read.utf8).base64EncodedString()
    let letters = text.replacing("=", with: "")
    guard letters.utf8.count < Base64Text.lengthMin else { return [] }
    let other = letters.replacing("+", with: "-").replacing("/", with: "_")
    return Array(Set([text, letters, other]))
  }

  /// Tells whether a value is one that stands for another.
  static func isRedacted(_ value: String) -> Bool {
    guard value.read.contains("REDACTED-") else { return false }
    // A redacted web token has names without an ordinal for what it claims.
    let isName =
      value.hasPrefix("REDACTED-")
      && value.utf8.dropFirst(9).allSatisfy { 0x61...0x7A ~= $0 || $0.isASCIIDigit || $0 == 0x2D }
    return isName || PseudonymText.isWhole(Bytes(value.utf8)) || WebToken.isRedacted(value)
  }

  /// Keeps the shape of what is decoded by clients.
  private static func shaped(_ pseudonym: String, like value: String) -> String {
    if let token = WebToken(value) { return token.redacted(as: pseudonym) }
    if PersonalData.isMail(value) { return "\(pseudonym)@example.test" }
    return pseudonym
  }
}
