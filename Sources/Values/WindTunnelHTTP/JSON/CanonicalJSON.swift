extension JSON {
  /// Returns the canonical spelling of the same value.
  ///
  /// Members are sorted by name and numbers are compared as decimals, so `1`, `1.0` and `1e0` are
  /// equal and a `Double` loses no digit. A repeated name is kept, in order, because parsers differ
  /// in which one they use (RFC 8259 §4). Strings are equal if their scalars are equal; nothing is
  /// normalised.
  package func canonical(ignoring paths: [JSONPath] = []) -> JSON {
    canonical(paths.map { JSONPathReach($0.steps) }) ?? .null
  }

  /// Returns the canonical value; `nil` if the value is ignored.
  private func canonical(_ ignored: [JSONPathReach]) -> JSON? {
    if ignored.contains(where: \.isWhole) { return nil }
    switch self {
    case .null, .bool: return self
    case .number(let digits): return .number(Self.canonical(number: digits))
    case .string(let text): return .string(Self.canonical(text))
    case .array(let elements):
      return .array(
        elements.enumerated().compactMap { index, element in
          element.canonical(Self.next(ignored, .index(index)))
        }
      )
    case .object(let members):
      let kept = members.compactMap { member in
        member.value.canonical(Self.next(ignored, .name(member.name.value)))
          .map { Member(Self.canonical(member.name), $0) }
      }
      return .object(
        kept.stablySorted { $0.name.value.utf8.lexicographicallyPrecedes($1.name.value.utf8) }
      )
    }
  }

  /// Returns the progress of each path after a step, without paths that can no longer match.
  private static func next(_ ignored: [JSONPathReach], _ step: JSONPath.Step) -> [JSONPathReach] {
    ignored.map { $0.gone(step) }.filter { $0.isWhole || $0.goesOn }
  }

  /// The same value with strings and names in the standard spelling; order and numbers stay
  /// unchanged.
  package var inStandardSpelling: JSON {
    switch self {
    case .string(let text): .string(Self.canonical(text))
    case .array(let elements): .array(elements.map(\.inStandardSpelling))
    case .object(let members):
      .object(members.map { Member(Self.canonical($0.name), $0.value.inStandardSpelling) })
    case .null, .bool, .number: self
    }
  }

  /// Lone surrogates all decode to U+FFFD, so strings with one are compared by their spelling.
  private static func canonical(_ text: Text) -> Text {
    guard let spelling = text.spelling?.lowercased(),
      text.value.unicodeScalars.contains("\u{FFFD}"), spelling.contains("\\ud")
    else { return Text(text.value) }
    return Text(spelling)
  }

  /// Returns a decimal without leading and trailing zeros: `-12.50e1` is `-125`, `0.5` is `5e-1`,
  /// `-0` is `0`.
  static func canonical(number: String) -> String {
    let text = number.lowercased()
    let isNegative = text.hasPrefix("-")
    let parts = text.drop { $0 == "-" }.split(separator: "e", maxSplits: 1)
    let mantissa = (parts.first ?? "0").split(
      separator: ".",
      maxSplits: 1,
      omittingEmptySubsequences: false
    )
    let fraction = mantissa.count > 1 ? mantissa[1] : ""
    var digits = ((mantissa.first ?? "") + fraction).drop { $0 == "0" }
    if digits.isEmpty { return "0" }
    // An exponent beyond 2^53 is compared as it is spelled.
    guard let written = parts.count > 1 ? Int(parts[1]) : 0, written.magnitude < 1 << 53 else {
      return text
    }
    var exponent = written - fraction.count
    while digits.last == "0" {
      digits.removeLast()
      exponent += 1
    }
    return "\(isNegative ? "-" : "")\(digits)\(exponent == 0 ? "" : "e\(exponent)")"
  }
}
