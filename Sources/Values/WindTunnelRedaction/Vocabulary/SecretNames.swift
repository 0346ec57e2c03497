internal import Foundation
@_spi(WindTunnel) internal import WindTunnelCore

/// The judgement whether the value of a named field is a secret, may be one, or is harmless.
///
/// A name is compared by its letters and digits in lower case, so `X-Api-Key`, `x_api_key` and
/// `xApiKey` are equal. The end of the name decides, ignoring neutral suffixes. So
/// `user[new_password]` and `passwordHash` are a password, and `api_key_v2` is a key.
struct SecretNames {
  /// The place of a name.
  enum Location: String { case header, query, field }

  /// The meaning of a name for its value.
  enum Kind: Hashable {
    /// A rule declares the value as a secret.
    case told
    case certain
    case ambiguous(Sense)
    /// E-mail addresses and telephone numbers, which are also searched elsewhere.
    case contact
    /// Names and addresses of people, which occur elsewhere by coincidence.
    case person

    /// The row of the detection table for values with such a name.
    var row: String {
      switch self {
      case .told: "told"
      case .certain: "field-name"
      case .ambiguous: "likely-name"
      case .contact, .person: "personal-data"
      }
    }

    /// Whether the name alone is not sufficient.
    var isAmbiguous: Bool { if case .ambiguous = self { true } else { false } }
  }

  private let told: [Location: Set<String>]
  private let kept: Set<String>
  private let personalData: Bool
  private let known = Locked<[Location: [String: Kind?]]>([:])

  init(_ rules: RedactionRules) {
    told = [
      .header: Set(rules.headers.map(Self.folded)),
      .query: Set(rules.queries.map(Self.folded)),
      .field: Set(rules.fields.map(Self.folded)),
    ]
    kept = Set(rules.keep.filter { !$0.hasPrefix("$") }.map(Self.folded))
    personalData = rules.personalData
  }

  /// Returns the meaning of a name for its value; `nil` if it has none. Results are cached, because
  /// the same names occur repeatedly.
  func kind(of written: some StringProtocol, in place: Location) -> Kind? {
    // Only the end of the name decides.
    Work.read(min(written.utf8.count, Self.nameBytesMax))
    let name = String(decoding: written.utf8.suffix(Self.nameBytesMax), as: UTF8.self)
    if let kind = known.withLock({ $0[place]?[name] }) { return kind }
    let kind = read(name, place)
    known.withLock {
      // The cache is limited, because names that are data, such as identifiers, are different in
      // every body.
      if $0[place, default: [:]].count < Self.knownMax {
        $0[place, default: [:]][name] = .some(kind)
      }
    }
    return kind
  }

  private static let knownMax = 4096
  private static let nameBytesMax = 512

  private func read(_ written: String, _ place: Location) -> Kind? {
    let name = Self.folded(written)
    guard !name.isEmpty, !kept.contains(name) else { return nil }
    if told[place]?.contains(name) == true { return .told }
    if let kind = Self.standard(name, written, place) { return kind }
    guard personalData else { return nil }
    if Self.ends(name, in: Vocabulary.contacts) { return .contact }
    return Vocabulary.persons.contains(name) ? .person : nil
  }

  /// Whether a rule declares values with a name as not secret.
  func isKept(_ name: some StringProtocol) -> Bool {
    !kept.isEmpty && kept.contains(Self.folded(name))
  }

  private static func standard(
    _ name: String,
    _ written: some StringProtocol,
    _ place: Location
  ) -> Kind? {
    if place == .header, Vocabulary.harmlessHeaders.contains(name) { return nil }
    if ends(name, in: Vocabulary.harmless) { return nil }
    if let kind = plain(name, place) { return kind }
    var stem = name
    while let shorter = withoutTail(stem) {
      stem = shorter
      if let kind = plain(stem, place) {
        // `key1` and `login_field` may be anything.
        return kind == .certain || stem != "key" && stem != "keys" && stem != "login" ? kind : nil
      }
    }
    let parts = words(of: written)
    if place == .header {
      let isOne = parts.contains { Vocabulary.headerWords.contains($0) }
      return isOne || Vocabulary.headers.contains(name) ? .ambiguous(.token) : nil
    }
    return within(parts) ? .ambiguous(.near) : nil
  }

  /// Whether up to three adjacent words of a name are a secret's name: `redisPasswordReplica`,
  /// `segredo_do_cliente`, `şifresi`.
  ///
  /// No following word may give the name another meaning.
  private static func within(_ parts: [String]) -> Bool {
    guard parts.count <= 8 else { return false }
    if parts.count > 1, let last = parts.last, ["pass", "pw", "pwd"].contains(last) { return true }
    for index in parts.indices {
      let joined = (1...3).prefix(parts.count - index).map { parts[index..<index + $0].joined() }
      guard let place = joined.lastIndex(where: isRoot) else { continue }
      if parts.last == "value" { return true }
      return !parts[(index + place + 1)...].contains { Vocabulary.aboutSecrets.contains($0) }
    }
    return false
  }

  /// Whether a word is a secret's name, possibly with a grammatical ending.
  private static func isRoot(_ word: String) -> Bool {
    if plain(word, .field) == .certain { return true }
    return (1...3).contains { count in
      word.count - count >= 5 && Vocabulary.certain.contains(String(word.dropLast(count)))
    }
  }

  /// Returns the words of a name, separated by symbols or by an upper-case letter after a
  /// lower-case one.
  static func words(of name: some StringProtocol) -> [String] {
    var (words, word, wasSmall): ([String], String, Bool) = ([], "", false)
    for character in name.suffix(80) {
      let isPart = character.isLetter || character.isNumber
      if !word.isEmpty, !isPart || wasSmall && (character.isUppercase || character.isNumber) {
        words.append(folded(word))
        word = ""
      }
      if isPart { word.append(character) }
      wasSmall = character.isLowercase
    }
    return word.isEmpty ? words : words + [folded(word)]
  }

  private static func plain(_ name: String, _ place: Location) -> Kind? {
    if ends(name, in: Vocabulary.certain) || Vocabulary.certainWholes.contains(name) {
      return .certain
    }
    if let sense = Vocabulary.ambiguous[name] {
      // A key of a store, of music or of a table. Only in a URL is it a credential.
      return (name == "key" || name == "keys") && place == .field ? nil : .ambiguous(sense)
    }
    if name.hasSuffix("tokens") { return .ambiguous(.token) }
    for end in ["token", "cookie", "pass", "pw", "sig", "auth"] where name.hasSuffix(end) {
      let owner = String(name.dropLast(end.count))
      if end == "token" || end == "cookie" {
        return ends(owner, in: Vocabulary.tokenOwners) ? .certain : .ambiguous(.token)
      }
      if ends(owner, in: Self.shortOwners) { return .ambiguous(.pass) }
    }
    if name.hasSuffix("secret") || name.hasSuffix("pwd") { return .certain }
    if name.hasSuffix("signature") || name.hasSuffix("assertion") { return .ambiguous(.token) }
    if ends(name, in: Self.cards) { return .ambiguous(.card) }
    // An owner followed by `key`.
    if name.hasSuffix("key"), name.utf8.count > 5 { return .ambiguous(.longKey) }
    return nil
  }

  private static let shortOwners: Words =
    "user db smtp imap ftp mail admin root my login auth api app proxy http url ssh ldap mysql pg postgres become"
  private static let cards: Words = "cardnumber creditcardnumber ccnumber"

  /// Whether a name ends with one of many words. The cost depends on the length of the name, not of
  /// the list.
  static func ends(_ name: String, in words: Words) -> Bool {
    name.indices.contains { words.contains(String(name[$0...].read)) }
  }

  private static func withoutTail(_ name: String) -> String? {
    let count = name.reversed().prefix(while: \.isNumber).count
    if count > 0 {
      let stem = name.dropLast(count)
      guard count <= 4, stem.count > 2 else { return nil }
      return String(stem.hasSuffix("v") ? stem.dropLast() : stem)
    }
    if name.hasSuffix("s"), !name.hasSuffix("ss"), name.count > 5 { return String(name.dropLast()) }
    return Vocabulary.tails.first { name.hasSuffix($0) && name.count > $0.count + 1 }
      .map { String(name.dropLast($0.count)) }
  }

  /// Returns the letters and digits of a name's last 80 characters in lower case, without accents.
  ///
  /// Full-width letters and other compatibility forms become plain letters. A name in letters that
  /// look like Latin ones becomes Latin, unless it is already a known word.
  static func folded(_ name: some StringProtocol) -> String {
    let plain = FieldName.normalised(name)
    guard plain.utf8.contains(where: { $0 >= 0x80 }) else { return plain }
    let written = String(name.suffix(80)).precomposedStringWithCompatibilityMapping
    let read = letters(written.unicodeScalars)
    guard !Vocabulary.certain.contains(read) else { return read }
    let latin = letters(written.unicodeScalars.map { LookAlikes.latin[$0] ?? $0 })
    return latin.utf8.allSatisfy { $0 < 0x80 } ? latin : read
  }

  private static func letters(_ scalars: some Sequence<Unicode.Scalar>) -> String {
    let text = String(String.UnicodeScalarView(scalars)).lowercased()
      .decomposedStringWithCanonicalMapping.unicodeScalars.filter {
        // Combining diacritical marks; the voiced sound mark of kana is kept.
        !(0x300...0x36F ~= $0.value) && !$0.properties.isDefaultIgnorableCodePoint
          && ($0.properties.isAlphabetic || $0.properties.numericType != nil
            || $0.properties.generalCategory == .nonspacingMark
            || $0.properties.generalCategory == .spacingMark)
      }
    return String(String.UnicodeScalarView(text)).precomposedStringWithCanonicalMapping
  }

  /// Returns a name in the form of a pseudonym.
  static func slug(_ name: some StringProtocol, instead: String = "value") -> String {
    // Limited in length, because many values may share one long name.
    let letters = name.prefix(80).lowercased().prefix(40).map {
      $0.isASCII && ($0.isLetter || $0.isNumber) ? $0 : "-"
    }
    return letters.contains { $0 != "-" } ? String(letters) : instead
  }

  /// Whether a value is too common to be a secret.
  static func isPlain(_ value: some StringProtocol) -> Bool {
    value.isEmpty || value.utf8.count <= 40 && Vocabulary.plainValues.contains(value.lowercased())
  }

  /// Whether a value is itself a word for secrets, and therefore occurs in many texts.
  static func isWord(_ value: String) -> Bool {
    guard value.utf8.count <= 40 else { return false }
    let name = folded(value)
    return Vocabulary.certain.contains(name) || Vocabulary.certainWholes.contains(name)
      || Vocabulary.ambiguous[name] != nil || Vocabulary.harmless.contains(name)
      || ["token", "secret"].contains {
        name.hasSuffix($0) && Vocabulary.tokenOwners.contains(String(name.dropLast($0.count)))
      }
  }
}
