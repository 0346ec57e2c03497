internal import Foundation

/// The placeholders of values. `REDACTED-token-1` consists of a field's name and the ordinal of the
/// value's first appearance with that name. It contains nothing of the value, not even a hash.
///
/// A value that is searched everywhere has the same pseudonym everywhere. So a reader sees that the
/// bearer token of a request is the token of an earlier response. Any other value has one pseudonym
/// for each name.
package struct Pseudonyms {
  /// The minimum number of bytes of a secret that is searched everywhere, also within words;
  /// shorter ones occur by coincidence.
  static let anywhereBytesMin = 6
  /// The minimum number of bytes of a secret that is searched between word boundaries.
  ///
  /// Secrets of three bytes or fewer are not searched. Texts are full of them (`the`, `200`, `GET`,
  /// `en`), and an attacker can try them all.
  static let aloneBytesMin = 4

  /// The maximum number of different values of one interaction that are searched everywhere. Each
  /// takes some 2 KB of memory. An interaction with more values is omitted and reported.
  static let soughtMax = 2048

  /// The certainty with which a value is a secret.
  enum Certainty {
    /// The value is only replaced at its own position.
    case none
    /// The value has a name that also has harmless values, such as a cookie's or `sign`.
    case likely
    /// The value authenticates a client.
    case sure
  }

  /// The positions at which a secret is searched.
  package enum Reach {
    /// In every text, also within words.
    case anywhere
    /// Between word boundaries: a short secret, or a word that also names secrets, such as the
    /// password `pass-phrase`.
    case alone
    /// As a whole value: a word that may not be a secret.
    case whole
  }

  /// A secret that is searched.
  package struct SearchedSecret {
    var stand: String
    package var reach: Reach
  }

  /// The values that must not occur in anything that is stored.
  package private(set) var sought: [String: SearchedSecret] = [:]
  /// The values learned since the previous query.
  private var unheard: [String] = []
  /// The values of the current interaction, and possibly one more; `nil` outside of an interaction,
  /// without a limit.
  var own: Set<String>?
  /// Whether the current interaction has more than ``soughtMax`` values. The rest of it is then not
  /// read.
  var isOverfull: Bool { (own?.count ?? 0) > Self.soughtMax }
  private var ordinals: [String: [String: Int]] = [:]
  private var highest: [String: Int] = [:]
  /// The values with an ordinal, in the order of assignment.
  private var given: [(name: String, value: String, ordinal: Int)] = []

  /// Reserves the ordinals that occur in bytes.
  mutating func keepFree(_ bytes: Bytes) {
    for (_, found) in PseudonymText.found(in: bytes) {
      highest[found.name] = max(highest[found.name] ?? 0, found.ordinal)
    }
  }

  /// Returns the placeholder of a value with a name.
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

  /// Adopts the pseudonyms and the learned secrets of a copy that was made at `start`.
  ///
  /// - Returns: The new ordinals of pseudonyms whose ordinals have been assigned here meanwhile.
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

  /// Registers a value for the search, with its placeholder.
  mutating func remember(_ value: String, as stand: String, _ certainty: Certainty = .likely) {
    guard !isOverfull, let reach = Self.reach(of: value.read, certainty) else { return }
    own?.insert(value)
    if let known = sought[value] {
      if known.reach == .whole, reach == .alone {
        seek(value, SearchedSecret(stand: stand, reach: reach))
      }
      return
    }
    if Self.isRedacted(value) || SecretNames.isPlain(value) { return }
    seek(value, SearchedSecret(stand: stand, reach: reach))
    guard reach != .whole else { return }
    for spelling in Self.base64(value) + Self.otherCases(value) where sought[spelling] == nil {
      seek(spelling, SearchedSecret(stand: stand, reach: reach))
    }
  }

  private mutating func seek(_ value: String, _ sought: SearchedSecret) {
    self.sought[value] = sought
    unheard.append(value)
  }

  /// Whether values were learned since the previous query.
  var hasUnheard: Bool { !unheard.isEmpty }

  /// Returns the values learned since the previous query.
  mutating func takeUnheard() -> [(secret: String, sought: SearchedSecret)] {
    defer { unheard = [] }
    return unheard.compactMap { secret in sought[secret].map { (secret, $0) } }
  }

  private static func reach(of value: String, _ certainty: Certainty) -> Reach? {
    let count = value.utf8.count
    guard certainty != .none, count >= aloneBytesMin else { return nil }
    // A long value is not a word, even if it ends like one.
    let isWord = count <= 80 && SecretNames.isWord(value)
    if count >= anywhereBytesMin, !isWord { return .anywhere }
    return certainty == .sure ? .alone : isWord && count >= anywhereBytesMin ? .whole : nil
  }

  /// Returns a value in upper and lower case, because case-insensitive systems may echo it so.
  /// Short values and words are excluded, because they occur by coincidence.
  private static func otherCases(_ value: String) -> [String] {
    guard 12...512 ~= value.utf8.count, value.utf8.allSatisfy({ $0 < 0x80 }),
      value.utf8.contains(where: { $0.isASCIIDigit }) || TextShape.isDrawn(value)
    else { return [] }
    return [value.uppercased(), value.lowercased()].filter { $0 != value }
  }

  /// Returns the base64 spellings of a value that are too short to be detected as base64.
  private static func base64(_ value: String) -> [String] {
    let text = Data(value.read.utf8).base64EncodedString()
    let letters = text.replacing("=", with: "")
    guard letters.utf8.count < Base64Text.lengthMin else { return [] }
    let other = letters.replacing("+", with: "-").replacing("/", with: "_")
    return Array(Set([text, letters, other]))
  }

  /// Whether a value is a placeholder.
  static func isRedacted(_ value: String) -> Bool {
    guard RedactedText.mayBeIn(value.read.utf8) else { return false }
    // A placeholder in base64 or in hexadecimal digits, or after an escaped equals sign.
    if value.hasPrefix("3D") { return isRedacted(String(value.dropFirst(2))) }
    let packed = RedactedText.packed(in: value).first?.range
    // The claims of a redacted web token are names without an ordinal.
    let isName =
      value.hasPrefix("REDACTED-")
      && value.utf8.dropFirst(9).allSatisfy { 0x61...0x7A ~= $0 || $0.isASCIIDigit || $0 == 0x2D }
    return packed == value.startIndex..<value.endIndex || isName
      || PseudonymText.isWhole(Bytes(value.utf8)) || WebToken.isRedacted(value)
  }

  /// Returns the pseudonym in the format of the value if clients decode that format.
  private static func shaped(_ pseudonym: String, like value: String) -> String {
    if let token = WebToken(value) { return token.redacted(as: pseudonym) }
    if PersonalData.isMail(value) { return "\(pseudonym)@example.test" }
    return pseudonym
  }
}
