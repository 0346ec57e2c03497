/// A part of a representation that a `Range` field asks for, counted in bytes (RFC 9110 §14.1.2).
package enum ByteRange: Sendable, Hashable {
  /// From one byte to another, both of them included, or to the end.
  case from(Int, through: Int?)
  /// The last so many bytes.
  case last(Int)

  /// Reads `bytes=a-b`, `bytes=a-` or `bytes=-n`.
  ///
  /// `nil` for everything that a server may take for no range at all: several ranges, another unit,
  /// and what the grammar does not have (RFC 9110 §14.2).
  package init?(_ field: String) {
    let parts = field.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
    guard parts.count == 2, String(parts[0]).equalsIgnoringASCIICase("bytes") else { return nil }
    let ends = parts[1].trimmingOptionalWhitespace()
      .split(separator: "-", omittingEmptySubsequences: false)
    guard ends.count == 2 else { return nil }
    switch (ends[0].isEmpty, ends[1].isEmpty) {
    case (true, true): return nil
    case (true, false):
      guard let count = Self.number(ends[1]) else { return nil }
      self = .last(count)
    case (false, true):
      guard let first = Self.number(ends[0]) else { return nil }
      self = .from(first, through: nil)
    case (false, false):
      guard let first = Self.number(ends[0]), let last = Self.number(ends[1]), first <= last
      else { return nil }
      self = .from(first, through: last)
    }
  }

  /// Digits; what is too large to hold is beyond every end.
  private static func number(_ text: Substring) -> Int? {
    guard text.utf8.allSatisfy(\.isASCIIDigit) else { return nil }
    return Int(text) ?? .max
  }

  /// The bytes of a representation of this length; `nil` where it has none of them, which is 416.
  package func bytes(of length: Int) -> Range<Int>? {
    switch self {
    case .from(let first, let last):
      guard first < length else { return nil }
      return first..<min(last ?? .max, length - 1) + 1
    case .last(let count):
      guard count > 0, length > 0 else { return nil }
      return max(0, length - count)..<length
    }
  }
}
