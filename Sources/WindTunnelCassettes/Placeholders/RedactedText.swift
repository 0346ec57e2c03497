/// A recorded text from which values were taken, such as `Bearer REDACTED-authorization-1`.
package struct RedactedText {
  /// What stands in place of something.
  enum Slot: Hashable, Sendable {
    /// A value, and what it is called.
    case value(String)
    /// What is in base64, and holds values.
    case base64(Shape)
  }

  /// What stands around the values and what they are called; all texts of one shape are found in
  /// one place, whatever their ordinals.
  package struct Shape: Hashable, Sendable {
    /// One more than there are slots.
    package var literals: [String]
    var slots: [Slot]

    /// What the values are called, in order.
    var names: [String] {
      slots.flatMap { slot in
        switch slot {
        case .value(let name): [name]
        case .base64(let shape): shape.names
        }
      }
    }

    /// What a text has in place of the values; `nil` if it is not of this shape.
    ///
    /// Each value ends where the next literal first occurs, the last one before the last literal.
    package func values(in text: String) -> [String]? {
      guard let first = literals.first, let last = literals.last, text.hasPrefix(first) else {
        return nil
      }
      var rest = text.dropFirst(first.count)
      guard rest.hasSuffix(last), rest.count >= last.count else { return nil }
      rest = rest.dropLast(last.count)
      var values: [String] = []
      for (index, literal) in literals.dropFirst().dropLast().enumerated() {
        guard let range = rest.firstRange(of: literal),
          let found = Self.values(of: slots[index], in: rest[..<range.lowerBound])
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
  /// What stands in place of the values as it is written, for values outside base64.
  package private(set) var stands: [String] = []
  /// Whether some of the values are in base64.
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

  private mutating func add(_ literal: String, _ slot: Slot) {
    shape.literals.append(literal)
    shape.slots.append(slot)
  }

  /// Reads what is not in base64; `literal` is what stands behind the last value.
  private mutating func read(_ text: Substring, _ literal: inout String) {
    var rest = text
    while let range = rest.firstRange(of: Self.mark) {
      literal += rest[..<range.lowerBound]
      rest = rest[range.upperBound...]
      guard let (name, ordinal, count) = Self.tail(rest) else {
        literal += Self.mark
        continue
      }
      let end = rest.dropFirst(count)
      let mail = Self.mailCount(end)
      let before = Self.withoutToken(literal)
      stands.append(
        String(literal.dropFirst(before.count)) + Self.mark
          + rest.prefix(count) + end.prefix(mail)
      )
      rest = end.dropFirst(mail)
      add(before, .value(name))
      ordinals.append(ordinal)
      literal = ""
    }
    literal += rest
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

  /// The ordinal that a value names itself: a drill asks with what stands on the cassette.
  static func ordinal(in value: String, name: String) -> Int? {
    guard let text = RedactedText(value), text.shape.names == [name],
      text.shape.literals == ["", ""], !text.isPacked
    else { return nil }
    return text.ordinals[0]
  }

  /// Whether anything was taken from a text.
  static func isIn(_ text: String) -> Bool { mayBeIn(text.utf8) && RedactedText(text) != nil }

  /// Whether it is worth looking: the mark stands somewhere, as it is or in base64.
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
}
