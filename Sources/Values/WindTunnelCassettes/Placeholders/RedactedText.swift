/// A recorded text from which values were taken, such as `Bearer REDACTED-authorization-1`.
package struct RedactedText {
  /// Something that stands in place of something else.
  fileprivate enum Slot: Hashable, Sendable {
    /// A value, and what it is called.
    case value(String)
    /// A text in base64 that holds values.
    case base64(Shape)
  }

  /// The text around the values, and their names; all texts of one shape are found in one place,
  /// whatever their ordinals.
  package struct Shape: Hashable, Sendable {
    /// One more than there are slots.
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

    /// Returns what a text has in place of the values; `nil` if it is not of this shape.
    ///
    /// Each value ends where the next literal first occurs, the last one before the last literal.
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
  /// The texts in place of the values as they are written, for values outside base64.
  package private(set) var stands: [String] = []
  /// Tells whether some of the values are in base64.
  package private(set) var isPacked = false

  private static let mark = "REDACTED-"
  /// Longer names are none of ours; the bound keeps the reading of any text linear.
  private static let wordMax = 128

  /// Reads a text; `nil` if nothing was taken from it.
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

  /// Returns what a text has in place of the values, each by its name and ordinal; empty if it is
  /// not of this shape.
  package func values(in text: String) -> [Pseudonym: String] {
    let parts = zip(shape.names, ordinals).map { Pseudonym(name: $0, ordinal: $1) }
    return Dictionary(zip(parts, shape.values(in: text) ?? [])) { first, _ in first }
  }

  private mutating func add(_ literal: String, _ slot: Slot) {
    shape.literals.append(literal)
    shape.slots.append(slot)
  }

  /// Reads what is not in base64; `literal` is what stands behind the last value.
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
      // The end of a pseudonym that is an e-mail address.
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

  /// `name-N` at the beginning of a text; the name may hold hyphens and digits of its own.
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

  /// Returns the ordinal that a value names itself: a drill asks with what stands on the cassette.
  static func ordinal(in value: String, name: String) -> Int? {
    guard let text = RedactedText(value), text.shape.names == [name],
      text.shape.literals == ["", ""], !text.isPacked
    else { return nil }
    return text.ordinals[0]
  }

  /// Tells whether anything was taken from a text.
  static func isIn(_ text: String) -> Bool { mayBeIn(text.utf8) && RedactedText(text) != nil }

  /// Tells whether it is worth looking: the mark stands somewhere, as it is or in base64.
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

  // What was taken out of something in base64: the whole of it was spelled anew.

  /// The spellings that base64 makes of the mark at each of the three places in which a group may
  /// begin, and its hexadecimal digits.
  private static let packedMarks = [
    "UkVEQUNURUQt", "JFREFDVEVEL", "SRURBQ1RFRC", "52454441435445442d", "52454441435445442D",
  ]

  /// Tells whether a mark may begin with a byte.
  private static func begins(_ byte: UInt8) -> Bool {
    byte == UInt8(ascii: "R") || byte == UInt8(ascii: "U") || byte == UInt8(ascii: "J")
      || byte == UInt8(ascii: "S") || byte == UInt8(ascii: "5")
  }

  /// Returns the stretches of a text that hold values in base64 or in
  /// hexadecimal digits. The parts of a web token are none: they
  /// lead up to its pseudonym.
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
      // Padding, as it is spelled in an address.
      let padding = text[end...].prefixMatch(of: /(%3[Dd]){1,2}/)?.range.upperBound
      return (start..<(padding ?? end), redacted)
    }
  }

  /// Returns the runs that may be either: as a whole, or between strokes of a path.
  private static func runs(in bytes: Bytes) -> [Range<Int>] {
    Base64Text.runs(in: bytes).flatMap { run -> [Range<Int>] in
      if EncodedText.decoded(bytes[run]).flatMap({ String(utf8: $0) }) != nil { return [run] }
      return bytes[run].split(separator: UInt8(ascii: "/")).map { $0.startIndex..<$0.endIndex }
    }
  }

  // What was taken out may have left its shape: a web token its first two parts, which lead up to
  // the pseudonym, an e-mail address its end. Both belong to the value and not to what stands
  // around it.

  /// Returns a text up to a pseudonym, without the part of a web token at its end.
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
  /// The text with `REDACTED-authorization` for `REDACTED-authorization-1`: two recordings may
  /// count differently. A token that still decodes is its signature alone, since its dates change.
  var withoutRedactionOrdinals: String {
    guard contains("REDACTED-") else { return self }
    return replacing(/(?:eyJ[\w-]+\.[\w-]*\.)?(REDACTED-[a-z0-9-]*[a-z0-9])-[0-9]+/) { $0.output.1 }
  }

  /// The text with zero for the dates in redacted web tokens (RFC 7519 §4.1), the only numbers that
  /// are left in them; `nil` if there are none.
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

  /// Tells whether a recorded text, whose redacted parts stand for any value, is what another one
  /// says.
  package func agrees(with other: String) -> Bool {
    if self == other { return true }
    guard RedactedText.mayBeIn(utf8) else { return false }
    return withoutRedactionOrdinals == other.withoutRedactionOrdinals
      || RedactedText(self)?.shape.values(in: other) != nil
  }
}
