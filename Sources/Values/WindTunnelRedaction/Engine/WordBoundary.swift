/// A secret that is short or a word, and so occurs in texts by coincidence: a password `test`, a
/// PIN `2024`, a token `pass-phrase`.
///
/// It only counts between word boundaries: spaces, quotation marks, brackets, `=`, `&` and other
/// characters that are not part of a word. Characters that join words are not boundaries, so that a
/// date, a version, a host and a media type stay unchanged.
///
/// - Letters alone (`test`, `password`) may also be a name. They are kept at the position of a
///   name: before `:` and `=`, after `<`, as a JSON key and as a path segment. In HTML and scripts,
///   they are kept unless they are a whole value.
/// - Digits alone are kept in numbers, dates, times and ports.
/// - Any other secret is neither a name nor a number, and is replaced between any word boundaries.
struct WordBoundary {
  private enum Kind { case letters, digits, other }

  private let kind: Kind

  init(_ bytes: Bytes) {
    let isNumber = bytes.allSatisfy(\.isASCIIDigit)
    let isWord = bytes.allSatisfy { $0.isASCIILetter || $0 >= 0x80 }
    kind = isWord ? .letters : isNumber ? .digits : .other
  }

  /// Whether the secret may be the name of something.
  var isName: Bool { kind == .letters }

  /// The characters that join two words into one.
  private var joints: StaticString {
    switch kind {
    case .letters: "-./'@"
    case .digits: "-./'@,:+%"
    case .other: "-."
    }
  }

  /// Whether the secret is between word boundaries in a text.
  func stands(at range: Range<Int>, of bytes: Bytes, in place: KnownValueSearch.Context) -> Bool {
    switch place {
    case .syntax: return false
    case .prose: break
    case .script, .name: if isName { return false }
    }
    if isJoined(bytes, range.lowerBound - 1, -1) || isJoined(bytes, range.upperBound, 1) {
      return false
    }
    return !isName || !Self.names(bytes, range)
  }

  private func isJoined(_ bytes: Bytes, _ index: Int, _ step: Int) -> Bool {
    func isPart(_ index: Int) -> Bool {
      bytes.indices.contains(index)
        && (bytes[index].isWord || bytes[index] >= 0x80 || bytes[index] == "_")
    }
    if isPart(index) { return true }
    guard bytes.indices.contains(index) else { return false }
    let isJoint = joints.withUTF8Buffer { $0.contains(bytes[index]) }
    return isJoint && isPart(index + step)
  }

  /// Whether a word is at the position of the name of a value or an element.
  private static func names(_ bytes: Bytes, _ range: Range<Int>) -> Bool {
    if range.lowerBound > 0, "</".utf8.contains(bytes[range.lowerBound - 1]) { return true }
    let rest = bytes[range.upperBound...].prefix(4)
      .drop { $0 == "\"" || $0 == "'" }.drop { $0 == 0x20 }
    return rest.first == ":" || rest.first == "="
  }
}
