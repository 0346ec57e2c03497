/// A recorded text with redacted values, such as `Bearer REDACTED-authorization-1`.
package struct RedactedText {
  /// A redacted part of the text.
  fileprivate enum Slot: Hashable, Sendable {
    /// A value with its name.
    case value(String)
    /// A text in base64 that contains values.
    case base64(Shape)
  }

  /// The text around the values, and their names, without ordinals. Texts of one shape are indexed
  /// together.
  package struct Shape: Hashable, Sendable {
    /// The texts around the slots; one more than there are slots.
    package var literals: [String]
    fileprivate var slots: [Slot]

    /// The names of the values, in order.
    var names: [String] {
      slots.flatMap { slot in
        switch slot {
        case .value(let name): [name]
        case .base64(let shape): shape.names
        }
      }
    }

    /// Returns the values that a text has in place of the placeholders; `nil` if it does not have
    /// this shape.
    ///
    /// Each value ends before the first occurrence of the next literal, and the last value before
    /// the last literal.
    package func values(in text: String) -> [String]? {
      guard let first = literals.first, let last = literals.last, text.read.hasPrefix(first) else {
        return nil
      }
      var rest = text.dropFirst(first.count)
      guard rest.hasSuffix(last), rest.count >= last.count else { return nil }
      rest = rest.dropLast(last.count)
      var values: [String] = []
      for (index, literal) in literals.dropFirst().dropLast().enumerated() {
        guard let range = rest.firstRange(of: literal),
          let found = Self.values(of: slots[index], in: rest[..<range.lowerBound].read)
        else { return nil }
        values += found
        rest = rest[range.upperBound...]
      }
      guard let slot = slots.last, let found = Self.values(of: slot, in: rest) else { return nil }
      return values + found
    }

    private static func values(of slot: Slot, in text: Substring) -> [String]? {
      switch slot {
      case .value: [String(text)]
      case .base64(let shape):
        EncodedText.decoded(text.replacing(/%3[Dd]/, with: "=").utf8).flatMap { String(utf8: $0) }
          .flatMap { shape.values(in: $0) }
      }
    }
  }

  package private(set) var shape = Shape(literals: [], slots: [])
  private(set) var ordinals: [Int] = []
  /// The placeholders as they are written, for values outside base64.
  package private(set) var stands: [String] = []
  /// Whether some of the values are in base64.
  package private(set) var isPacked = false

  private static let mark = "REDACTED-"
  /// The maximum length of a placeholder without its mark. The limit keeps parsing linear.
  private static let wordMax = 128

  /// Parses a text; `nil` if it contains no placeholders.
  package init?(_ text: String) {
    var literal = ""
    var place = text.startIndex
    for (range, inner) in Self.packed(in: text) {
      read(text[place..<range.lowerBound], &literal)
      add(literal, .base64(inner.shape))
      ordinals += inner.ordinals
      (literal, place, isPacked) = ("", range.upperBound, true)
    }
    read(text[place...], &literal)
    guard !ordinals.isEmpty else { return nil }
    shape.literals.append(literal)
  }

  /// Returns the values of another text by name and ordinal; empty if it does not have this shape.
  package func values(in text: String) -> [Pseudonym: String] {
    let parts = zip(shape.names, ordinals).map { Pseudonym(name: $0, ordinal: $1) }
    return Dictionary(zip(parts, shape.values(in: text) ?? [])) { first, _ in first }
  }

  private mutating func add(_ literal: String, _ slot: Slot) {
    shape.literals.append(literal)
    shape.slots.append(slot)
  }

  /// Parses text outside base64; `literal` is the text after the last value.
  private mutating func read(_ text: Substring, _ literal: inout String) {
    var rest = text
    while let range = rest.firstRange(of: Self.mark) {
      literal += rest[..<range.lowerBound].read
      rest = rest[range.upperBound...]
      guard let (name, ordinal, count) = Self.tail(rest) else {
        literal += Self.mark
        continue
      }
      let end = rest.dropFirst(count)
      // The end of a pseudonym in the form of an e-mail address.
      let mail = end.hasPrefix(Self.mailEnd) ? Self.mailEnd.count : 0
      let before = Self.withoutToken(literal)
      stands.append(
        String(literal.dropFirst(before.count)) + Self.mark + rest.prefix(count) + end.prefix(mail)
      )
      rest = end.dropFirst(mail)
      add(before, .value(name))
      ordinals.append(ordinal)
      literal = ""
    }
    literal += rest.read
  }

  /// Parses `name-N` at the beginning of a text. The name may contain hyphens and digits.
  private static func tail(_ text: Substring) -> (name: String, ordinal: Int, count: Int)? {
    var word = text.prefix(wordMax).prefix {
      $0.isASCII && ($0.isLetter || $0.isNumber || "-_".contains($0))
    }
    while let hyphen = word.lastIndex(of: "-") {
      let digits = word[word.index(after: hyphen)...].prefix { "0"..."9" ~= $0 }
      if let ordinal = Int(digits), hyphen > word.startIndex {
        let name = String(word[..<hyphen])
        return (name, ordinal, name.count + 1 + digits.count)
      }
      word = word[..<hyphen]
    }
    return nil
  }

  /// Returns the ordinal of a value that is a placeholder itself; a drill sends the requests of the
  /// cassette.
  static func ordinal(in value: String, name: String) -> Int? {
    guard let text = RedactedText(value), text.shape.names == [name],
      text.shape.literals == ["", ""], !text.isPacked
    else { return nil }
    return text.ordinals[0]
  }

  /// Whether a text contains placeholders.
  static func isIn(_ text: String) -> Bool { mayBeIn(text.utf8) && RedactedText(text) != nil }

  /// Whether a text may contain placeholders, in plain text or in base64. A fast check that may
  /// return `true` unnecessarily.
  package static func mayBeIn(_ bytes: some Collection<UInt8>) -> Bool {
    var rest = bytes[...]
    while let place = rest.firstIndex(where: { begins($0) }) {
      rest = rest[place...]
      if rest.starts(with: mark.utf8) || packedMarks.contains(where: { rest.starts(with: $0.utf8) })
      {
        return true
      }
      rest = rest.dropFirst()
    }
    return false
  }

  // Values within base64 text: the whole text was encoded again.

  /// The mark in base64, at each of the three offsets within a group, and in hexadecimal digits.
  private static let packedMarks = [
    "UkVEQUNURUQt", "JFREFDVEVEL", "SRURBQ1RFRC", "52454441435445442d", "52454441435445442D",
  ]

  /// Whether a mark can begin with a byte.
  private static func begins(_ byte: UInt8) -> Bool {
    byte == UInt8(ascii: "R") || byte == UInt8(ascii: "U") || byte == UInt8(ascii: "J")
      || byte == UInt8(ascii: "S") || byte == UInt8(ascii: "5")
  }

  /// Returns the ranges of a text that contain values in base64 or hexadecimal digits. The parts of
  /// a web token are excluded, because they belong to its pseudonym.
  package static func packed(in text: String) -> [(range: Range<String.Index>, inner: RedactedText)]
  {
    guard packedMarks.contains(where: { text.read.contains($0) }) else { return [] }
    let bytes = Bytes(text.utf8)
    let isToken = text.contains(".REDACTED-")
    return runs(in: bytes).compactMap { run in
      if isToken, run.upperBound < bytes.count, bytes[run.upperBound] == UInt8(ascii: ".") {
        return nil
      }
      guard let decoded = EncodedText.decoded(bytes[run]), let inner = String(utf8: decoded),
        let redacted = RedactedText(inner)
      else { return nil }
      let utf8 = text.utf8
      let start = utf8.index(utf8.startIndex, offsetBy: run.lowerBound)
      let end = utf8.index(start, offsetBy: run.count)
      // Percent-encoded padding in a URL.
      let padding = text[end...].prefixMatch(of: /(%3[Dd]){1,2}/)?.range.upperBound
      return (start..<(padding ?? end), redacted)
    }
  }

  /// Returns the runs that may be encoded text: a whole run, or its parts between slashes.
  private static func runs(in bytes: Bytes) -> [Range<Int>] {
    Base64Text.runs(in: bytes).flatMap { run -> [Range<Int>] in
      if EncodedText.decoded(bytes[run]).flatMap({ String(utf8: $0) }) != nil { return [run] }
      return bytes[run].split(separator: UInt8(ascii: "/")).map { $0.startIndex..<$0.endIndex }
    }
  }

  // A redacted value may keep its shape: a web token its first two parts, an e-mail address its
  // end. Both belong to the value rather than to the surrounding text.

  /// Returns the text before a pseudonym, without the parts of a web token at its end.
  private static func withoutToken(_ text: String) -> String {
    guard text.read.hasSuffix(".") else { return text }
    let start = text.lastIndex { !isToken($0) }.map { text.index(after: $0) } ?? text.startIndex
    let token = text[start...]
    let parts = token.split(separator: ".", omittingEmptySubsequences: false)
    guard parts.count == 3, token.hasPrefix("eyJ") else { return text }
    return String(text[..<start])
  }

  private static func isToken(_ character: Character) -> Bool {
    character.isASCII && (character.isLetter || character.isNumber || "-_.".contains(character))
  }

  private static let mailEnd = "@example.test"
}

// Redacted parts of texts, such as `Bearer REDACTED-authorization-1`.
extension String {
  /// The text with `REDACTED-authorization` for `REDACTED-authorization-1`, because two recordings
  /// may number differently.
  ///
  /// A redacted web token is reduced to its signature, because its dates change.
  var withoutRedactionOrdinals: String {
    guard contains("REDACTED-") else { return self }
    return replacing(/(?:eyJ[\w-]+\.[\w-]*\.)?(REDACTED-[a-z0-9-]*[a-z0-9])-[0-9]+/) { $0.output.1 }
  }

  /// The text with zero for the dates in redacted web tokens (RFC 7519 §4.1), which are the only
  /// numbers left in them; `nil` if there are none.
  var withoutTokenDates: String? {
    guard contains(".REDACTED-") else { return nil }
    let text = replacing(/\b(eyJ[A-Za-z0-9_-]+\.)([A-Za-z0-9_-]+)(?=\.REDACTED-)/) { match in
      guard let claims = Base64Text.decoded(Array(match.output.2.utf8)),
        let text = String(utf8: claims)
      else { return String(match.output.0) }
      let dateless = Bytes(text.replacing(/[0-9]+/, with: "0").utf8)
      return match.output.1 + Base64Text.encoded(dateless, like: Array("_".utf8))
    }
    return text == self ? nil : text
  }

  /// Whether a recorded text equals another text, with its placeholders matching any value.
  package func agrees(with other: String) -> Bool {
    if self == other { return true }
    guard RedactedText.mayBeIn(utf8) else { return false }
    return withoutRedactionOrdinals == other.withoutRedactionOrdinals
      || RedactedText(self)?.shape.values(in: other) != nil
  }
}
