extension JSON {
  /// Returns the same value in the one spelling that all its spellings share.
  ///
  /// Members are sorted by name and numbers compared as decimals, so `1`, `1.0` and `1e0` are one
  /// and no digit is lost to a `Double`. A repeated name is kept, in order: readers differ in which
  /// they take (RFC 8259 §4). Strings are the same if their scalars are; nothing is normalised.
  package func canonical(ignoring paths: [JSONPath] = []) -> JSON {
    canonical(paths.map { JSONPathReach($0.steps) }) ?? .null
  }

  /// `nil` where the value does not count.
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

  /// Returns the progress that can still lead to a path's end.
  private static func next(_ ignored: [JSONPathReach], _ step: JSONPath.Step) -> [JSONPathReach] {
    ignored.map { $0.gone(step) }.filter { $0.isWhole || $0.goesOn }
  }

  /// The same value with strings and names in the standard spelling; order and numbers stay.
  package var inStandardSpelling: JSON {
    switch self {
    case .string(let text): .string(Self.canonical(text))
    case .array(let elements): .array(elements.map(\.inStandardSpelling))
    case .object(let members):
      .object(members.map { Member(Self.canonical($0.name), $0.value.inStandardSpelling) })
    case .null, .bool, .number: self
    }
  }

  /// Lone surrogates all read as U+FFFD; of a string that holds one the spelling counts.
  private static func canonical(_ text: Text) -> Text {
    guard let spelling = text.spelling?.lowercased(),
      text.value.unicodeScalars.contains("\u{FFFD}"), spelling.contains("\\ud")
    else { return Text(text.value) }
    return Text(spelling)
  }

  /// Returns a decimal without zeros at either end: `-12.50e1` is `-125`, `0.5` is `5e-1`, `-0` is
  /// `0`.
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
    // An exponent that no computer counts to is compared as it is spelled.
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
