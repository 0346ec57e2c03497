/// A pattern for lines of a command's output; each `*` matches any text.
public struct LinePattern: Sendable, Hashable {
  /// The text of the pattern, such as `3 passed in *`.
  public let text: String

  /// Creates a pattern from its text.
  public init(_ text: String) { self.text = text }

  /// The minimum number of letters in a pattern.
  private static let lettersMin = 3

  /// Creates the pattern of two lines: their common words at the beginning and at the end. `nil` if
  /// these have too few letters.
  package init?(covering one: String, _ other: String) {
    let start = zip(one, other).prefix { $0 == $1 }.map(\.0)
    let shorter = min(one.count, other.count) - start.count
    let end = zip(one.reversed(), other.reversed()).prefix { $0 == $1 }.prefix(shorter).map(\.0)
    // A word that differs is omitted as a whole, because its common letters are a coincidence.
    let head = String(start.reversed().drop { !Self.borders($0) }.reversed())
    let tail = String(end.reversed().drop { !Self.borders($0) })
    guard (head + tail).count(where: \.isLetter) >= Self.lettersMin else { return nil }
    text = "\(head)*\(tail)"
  }

  private static func borders(_ character: Character) -> Bool {
    character.isWhitespace || "\"'()[]{}<>=,;".contains(character)
  }

  /// Whether the pattern matches a whole line.
  package func fits(_ line: String) -> Bool {
    let parts = text.split(separator: "*", omittingEmptySubsequences: false)
    guard let first = parts.first, let last = parts.last, parts.count > 1 else {
      return text == line
    }
    guard line.hasPrefix(first) else { return false }
    var rest = line.dropFirst(first.count)
    for part in parts.dropFirst().dropLast() where !part.isEmpty {
      guard let range = rest.firstRange(of: part) else { return false }
      rest = rest[range.upperBound...]
    }
    return rest.count >= last.count && rest.hasSuffix(last)
  }
}
