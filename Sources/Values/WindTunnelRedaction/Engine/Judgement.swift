internal import Foundation

/// A value's name and context, which determine whether the value is a secret.
struct NamedPlace {
  /// The name as it is written.
  var name: String
  var kind: SecretNames.Kind
  /// The kinds of the members next to the named one.
  var neighbours: Neighbours = []
  /// Whether the value is part of a request, which contains no labels or documentation.
  var isAsked = false
  /// Whether an object is between the name and the value. Its numbers describe the secret.
  var isWithin = false
}

/// The judgement whether a value is a secret, by its name and by evidence.
///
/// With an unambiguous name, every value that can be a secret is one. With an ambiguous name, the
/// value must look like a secret, or a neighbour must indicate it: a login or an OAuth grant.
enum Judgement {
  /// Returns the certainty with which a value is a secret; `nil` if it is not.
  static func certainty(of value: String, _ place: NamedPlace) -> Pseudonyms.Certainty? {
    Work.read(value.utf8.count)
    switch place.kind {
    case .told: return value.isEmpty ? nil : .sure
    case .contact: return SecretNames.isPlain(value) ? nil : .likely
    case .person: return SecretNames.isPlain(value) ? nil : Pseudonyms.Certainty.none
    case .certain: return isHarmless(value, place) ? nil : .sure
    case .ambiguous(let sense):
      if isPlaceholder(value) || SecretNames.isPlain(value) || isKnownWord(value) { return nil }
      if place.neighbours.contains(.told), Prose.isPlain(value) { return nil }
      return looksLike(sense, value, place) ? .likely : nil
    }
  }

  /// Whether a number is a secret, which requires an unambiguous name.
  static func isSecret(number digits: Bytes, _ place: NamedPlace) -> Bool {
    switch place.kind {
    case .told: true
    case .certain:
      !place.neighbours.contains(.told) && digits.count >= 3
        && digits.allSatisfy { $0.isASCIIDigit }
        && !isNumber(digits.text, of: place.name)
    case .contact: true
    case .person, .ambiguous: false
    }
  }

  /// Whether a value with an unambiguous name is harmless: a word of a schema, a label or a path.
  private static func isHarmless(_ value: String, _ place: NamedPlace) -> Bool {
    let isLongWay = isWay(value) && value.utf8.count { $0 == 0x2F } > 1
    if isPlaceholder(value) || SecretNames.isPlain(value) || TextShape.isPublished(value)
      || switches.contains(value.lowercased())
      // A single digit is a switch, a state or a count, and symbols alone mean nothing.
      || value.utf8.count == 1 && value.utf8.allSatisfy(\.isASCIIDigit)
      || value.utf8.count < 6 && !value.contains(where: { $0.isLetter || $0.isNumber })
      || isLongWay || isNumber(value, of: place.name) || isName(value)
      || Prose.isKeyOfStore(place.name, value)
    {
      return true
    }
    if place.isAsked { return false }
    // `"default_credential": "api_key"` names a kind.
    if isOfKey(value, place.name)
      || SecretNames.folded(place.name).hasSuffix("credential") && SecretNames.isWord(value)
    {
      return true
    }
    let words = value.split(separator: " ")
    if words.count > 3,
      words.allSatisfy({ $0.allSatisfy { $0.isLetter || "'’.,!?:;()-\"".contains($0) } }),
      !isPhrase(place.name)
    {
      return true
    }
    if place.neighbours.contains(.told) { return Prose.isPlain(value) || words.count > 2 }
    return isKnownWord(value) || isLabel(value, of: place.name) || isWay(value)
  }

  /// Whether a value describes a key: `write`, `not available`. Keys do not consist of words.
  private static func isOfKey(_ value: String, _ name: String) -> Bool {
    let name = SecretNames.folded(name)
    let isOfKeys = name.contains("key") || name.hasSuffix("secrets") || name.hasSuffix("tokens")
    return isOfKeys
      && (["read", "write", "admin", "none", "all"].contains(value)
        || value.contains(" ") && value == value.lowercased() && Prose.isPlain(value)
        || value.contains(".") && value.utf8.allSatisfy { 0x61...0x7A ~= $0 || $0 == 0x2E })
  }

  private static let switches: Words =
    "on off optional required enabled disabled hidden allowed forbidden"

  /// Whether a value without letters is a count or an identifier; tokens are longer.
  private static func isNumber(_ value: String, of name: String) -> Bool {
    guard value.utf8.count < 12, !value.contains(where: \.isLetter) else { return false }
    let name = SecretNames.folded(name)
    return ["id", "key", "token", "secret"].contains { name.hasSuffix($0) }
  }

  /// Whether a value is the label of a field: its name in some language, or words about it.
  private static func isLabel(_ value: String, of name: String) -> Bool {
    if value.utf8.count <= 40, value.contains(where: { $0.isUppercase || !$0.isASCII }),
      SecretNames.isWord(value)
    {
      return true
    }
    // The name with a suffix: `"parola": "Parolanız"`.
    let folded = (name: SecretNames.folded(name), value: SecretNames.folded(value))
    if value.first?.isUppercase == true, value.allSatisfy(\.isLetter), folded.name.count >= 4,
      folded.value.hasPrefix(folded.name), folded.value.count <= folded.name.count + 4
    {
      return true
    }
    // Han, kana and hangul are not used in passwords; digits among them are a count.
    let (scalars, signs) = (value.unicodeScalars, " ?!.,:;()~-0123456789：，。（）～？！、".unicodeScalars)
    let digits = scalars.count { "0"..."9" ~= $0 }
    let isOfSigns = { (scalar: Unicode.Scalar) in 0x2E80..<0xFF00 ~= scalar.value }
    if scalars.count > (digits > 0 ? 3 : 1), digits < 4, scalars.contains(where: isOfSigns),
      value.utf8.last.map(\.isASCIIDigit) == false,
      scalars.allSatisfy({ isOfSigns($0) || signs.contains($0) })
    {
      return true
    }
    let count = value.split(separator: " ").count
    return !isPhrase(name) && (count > 2 || count == 2 && value.first?.isUppercase == true)
      && Prose.isPlain(value)
  }

  /// Whether values with this name consist of words.
  private static func isPhrase(_ name: String) -> Bool {
    ["phrase", "mnemonic", "securityanswer", "secretanswer"].contains {
      SecretNames.folded(name).contains($0)
    }
  }

  /// Whether a value is a word of a schema or public by its prefix.
  private static func isKnownWord(_ value: String) -> Bool {
    TextShape.isPublished(value)
      || value.utf8.count <= 40 && Vocabulary.schemaWords.contains(value.lowercased())
  }

  /// Whether a value consists of words in the form of a file path or of a URL without a query.
  static func isWay(_ value: String) -> Bool {
    (value.read.hasPrefix("/") || value.hasPrefix("./") || value.contains("://"))
      && !value.contains { "@?=".contains($0) }
      && !TextShape.isDrawn(value.replacing("://", with: "/"))
  }

  private static func looksLike(_ sense: Sense, _ value: String, _ place: NamedPlace) -> Bool {
    let isOfLogin = !place.neighbours.isDisjoint(with: [.login, .grant])
    let isWhole = !value.utf8.contains { $0 <= 0x20 }
    switch sense {
    case .token, .cookie:
      let isSignature = signatures.contains(SecretNames.folded(place.name))
      if isPublic(value) || value.contains("://") || isName(value)
        || isReference(value, place)
        || place.neighbours.contains(.lexer) && value.utf8.count < 12
        || isSignature && place.neighbours.contains(.published) && !place.isAsked
        || place.neighbours.contains(.paging) && !isOfLogin || isCursor(value)
      {
        return false
      }
      return TextShape.isDrawn(value) || isMarked(value)
        || isOfLogin && isWhole && value.utf8.count >= 6 && !Prose.isPlain(value) && isMixed(value)
    case .code:
      if place.neighbours.contains(.address) { return false }
      let isNumber = value.utf8.allSatisfy { $0.isASCIIDigit }
      return isNumber
        ? 3...12 ~= value.utf8.count : value.utf8.count <= 16 && TextShape.isDrawn(value)
    case .pass:
      if isOfLogin { return isWhole && !SecretNames.isPlain(value) }
      return isWhole && value.utf8.count >= 6 && isMixed(value) && !isReference(value, place)
        && (TextShape.isDrawn(value) || value.contains { "!@#$%^&*?".contains($0) })
    case .near:
      return isWhole && value.utf8.count >= 6 && hasDigitOrSign(value) && !isWay(value)
        && !isTime(value) && !value.contains("://") && !isName(value)
    case .longKey: return isLongKey(value)
    case .card: return isCard(value)
    case .exchanged:
      if place.neighbours.contains(.exchange) { return true }
      return !place.neighbours.isDisjoint(with: [.state, .redirect]) && value.utf8.count >= 8
        && !value.allSatisfy(\.isNumber) || isLongKey(value)
    }
  }

  private static let signatures: Words = "sig signature signatures treeheadsignature"

  /// Whether a value is the number of a ticket: a few upper-case letters and digits; for a `pass`,
  /// in groups.
  private static func isReference(_ value: String, _ place: NamedPlace) -> Bool {
    let name = SecretNames.folded(place.name)
    return (name == "ticket" || name == "pass" && value.contains("-"))
      && place.neighbours.isDisjoint(with: [.login, .grant]) && 5...13 ~= value.utf8.count
      && value.utf8.allSatisfy { $0.isASCIIDigit || 0x41...0x5A ~= $0 || $0 == "-" }
  }

  /// Whether a value is long and has letters of both cases and digits, without separators of words.
  static func isLongKey(_ value: String, least: Int = 24) -> Bool {
    value.utf8.count >= least && TextShape.isDrawn(value) && !isCursor(value)
      && value.utf8.allSatisfy { Base64Text.isLetter($0) || $0 == "=" }
      && value.utf8.contains { 0x61...0x7A ~= $0 } && value.utf8.contains { 0x41...0x5A ~= $0 }
      && value.utf8.contains { $0.isASCIIDigit }
      && value.utf8.split { "-_/".utf8.contains($0) }.contains { $0.count >= 16 }
  }

  /// Whether a value is the name of a cookie (RFC 6265bis §4.1.3), or a public PEM text.
  private static func isName(_ value: String) -> Bool {
    ["__Host-", "__Secure-"].contains { value.hasPrefix($0) } && !value.contains("=")
      || value.hasPrefix("-----BEGIN ") && !value.prefix(60).contains("PRIVATE")
  }

  private static func hasDigitOrSign(_ value: String) -> Bool {
    value.utf8.contains(where: \.isASCIILetter)
      && value.utf8.contains { $0.isASCIIDigit || "!@#$%^&*+=?/".utf8.contains($0) }
  }

  /// Whether a value is a date, a time or a number with a unit.
  private static func isTime(_ value: String) -> Bool {
    value.utf8.first.map { $0.isASCIIDigit } == true && value.utf8.count { $0.isASCIILetter } <= 4
  }

  /// Whether a value begins with a word for tokens, such as `tok-live-12345`.
  private static func isMarked(_ value: String) -> Bool {
    let parts = value.split { "-_.:".contains($0) }
    return parts.count > 1 && value.utf8.count { $0.isASCIIDigit } > 2
      && marks.contains(parts[0].lowercased())
  }

  private static let marks: Words = "tok token sk sess sid pat auth secret jwt csrf apikey"

  private static func isMixed(_ value: String) -> Bool {
    value.utf8.contains(where: \.isASCIILetter)
      && value.utf8.contains { !$0.isASCIILetter && $0 < 0x80 }
  }

  /// Whether a value is public: a digest (Subresource Integrity §3.1), or an address on a public
  /// chain (EIP-55).
  ///
  /// An address has 0x and 40 digits; a transaction or an identifier has 64 digits.
  private static func isPublic(_ value: String) -> Bool {
    ["sha256-", "sha384-", "sha512-"].contains { value.hasPrefix($0) }
      || value.hasPrefix("0x")
        && (value.utf8.count <= 10 || value.utf8.count == 42 || value.utf8.count == 66)
        && value.utf8.dropFirst(2).allSatisfy(\.isHexadecimalDigit)
  }

  /// Whether a value is the base64 of a list cursor: `{"offset":20}`, `cursor:v2:id:1042`.
  private static func isCursor(_ value: String) -> Bool {
    guard value.utf8.count >= 8,
      let bytes = Base64Text.decoded(value.replacing("%3D", with: "=").utf8),
      let text = String(utf8: bytes)
    else { return false }
    return text.lowercased().split { !$0.isLetter }.contains { places.contains(String($0)) }
  }

  private static let places: Words =
    "offset cursor page limit last after before start skip position id sort index seq next"

  /// Whether a value is a card number (ISO/IEC 7812-1, annex B): 12 to 19 digits, of which the last
  /// is a checksum.
  private static func isCard(_ value: String) -> Bool {
    guard value.utf8.allSatisfy({ $0.isASCIIDigit || $0 == 0x20 || $0 == "-" })
    else { return false }
    let digits = value.utf8.filter { $0.isASCIIDigit }.map { Int($0 - 0x30) }
    guard 12...19 ~= digits.count else { return false }
    let sum = digits.reversed().enumerated().reduce(0) { sum, digit in
      let twice = digit.element * (digit.offset % 2 == 1 ? 2 : 1)
      return sum + (twice > 9 ? twice - 9 : twice)
    }
    return sum % 10 == 0
  }

  /// Whether a value is replaced later or was masked: `<your key>`, `${TOKEN}`, `YOUR_API_KEY`,
  /// `****`.
  static func isPlaceholder(_ value: String) -> Bool {
    if CodeText.isPlaceholder(value.read.utf8) { return true }
    guard let first = value.unicodeScalars.first else { return true }
    if value.count >= 3, "*x•.X-_…".unicodeScalars.contains(first),
      value.unicodeScalars.allSatisfy({ $0 == first })
    {
      return true
    }
    let name = value.lowercased()
    let isVariable = value.count > 2 && value.hasPrefix("%") && value.hasSuffix("%")
    return isVariable && value.dropFirst().dropLast().allSatisfy { $0.isLetter || $0 == "_" }
      || name.hasPrefix("your")
        && name.utf8.allSatisfy { $0.isASCIILetter || "-_ '".utf8.contains($0) }
      || name.hasPrefix("{{") && name.hasSuffix("}}") || name.hasPrefix("...")
      || name.hasPrefix("[")
        && name.hasSuffix("]") && Prose.isPlain(String(name.dropFirst().dropLast()))
  }
}
