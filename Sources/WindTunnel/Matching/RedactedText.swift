/// A recorded text from which values were taken, such as `Bearer REDACTED-authorization-1`.
struct RedactedText {
  /// What stands around the values and what they are called; all texts of one shape are found in
  /// one place, whatever their ordinals.
  struct Shape: Hashable {
    /// One more than there are names.
    var literals: [String]
    var names: [String]

    /// What a text has in place of the values; `nil` if it is not of this shape.
    ///
    /// Each value ends where the next literal first occurs, the last one before the last literal.
    func values(in text: String) -> [String]? {
      guard let first = literals.first, let last = literals.last, text.hasPrefix(first) else {
        return nil
      }
      var rest = text.dropFirst(first.count)
      guard rest.hasSuffix(last), rest.count >= last.count else { return nil }
      rest = rest.dropLast(last.count)
      var values: [String] = []
      for literal in literals.dropFirst().dropLast() {
        guard let range = rest.firstRange(of: literal) else { return nil }
        values.append(String(rest[..<range.lowerBound]))
        rest = rest[range.upperBound...]
      }
      return values + [String(rest)]
    }
  }

  private(set) var shape = Shape(literals: [], names: [])
  private(set) var ordinals: [Int] = []

  private static let mark = "REDACTED-"
  /// Longer names are none of ours; the bound keeps the reading of any text linear.
  private static let wordMax = 128

  /// Reads a text; `nil` if nothing was taken from it.
  init?(_ text: String) {
    var rest = text[...]
    var literal = ""
    while let range = rest.firstRange(of: Self.mark) {
      literal += rest[..<range.lowerBound]
      rest = rest[range.upperBound...]
      guard let (name, ordinal, count) = Self.tail(rest) else {
        literal += Self.mark
        continue
      }
      rest = rest.dropFirst(count)
      rest = rest.dropFirst(Self.mailCount(rest))
      shape.literals.append(Self.withoutToken(literal))
      shape.names.append(name)
      ordinals.append(ordinal)
      literal = ""
    }
    guard !ordinals.isEmpty else { return nil }
    shape.literals.append(literal + rest)
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
      text.shape.literals == ["", ""]
    else { return nil }
    return text.ordinals[0]
  }

  /// Whether anything was taken from a text.
  static func isIn(_ text: String) -> Bool { mayBeIn(text.utf8) && RedactedText(text) != nil }

  /// Whether it is worth looking: the mark stands somewhere.
  static func mayBeIn(_ bytes: some Collection<UInt8>) -> Bool {
    var rest = bytes[...]
    while let place = rest.firstIndex(of: UInt8(ascii: "R")) {
      rest = rest[place...]
      if rest.starts(with: mark.utf8) { return true }
      rest = rest.dropFirst()
    }
    return false
  }
}
