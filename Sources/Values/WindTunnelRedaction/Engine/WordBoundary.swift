/// A secret that is a word or short, and so occurs in texts by chance: a password `test`, a PIN
/// `2024`, a token `pass-phrase`.
///
/// It counts where it stands alone, between spaces, quotation marks, brackets, `=`, `&` and
/// whatever else is no part of a word. What joins words, joins it, too, so that a date, a version,
/// a host and a media type stay whole.
///
/// - Letters alone (`test`, `password`) may be a name as well. They stay where names stand: before
///   `:` and `=`, behind `<`, as a JSON key, as a segment of a path, and in HTML and scripts except
///   where they are the whole of a value.
/// - Digits alone stay in numbers, dates, times and ports.
/// - Anything else is no name and no number, and goes wherever it stands alone.
struct WordBoundary {
  private enum Kind { case letters, digits, other }

  private let kind: Kind

  init(_ bytes: Bytes) {
    let isNumber = bytes.allSatisfy(\.isASCIIDigit)
    let isWord = bytes.allSatisfy { $0.isASCIILetter || $0 >= 0x80 }
    kind = isWord ? .letters : isNumber ? .digits : .other
  }

  /// Tells whether it may be the name of something.
  var isName: Bool { kind == .letters }

  /// The signs that make one word of two.
  private var joints: StaticString {
    switch kind {
    case .letters: "-./'@"
    case .digits: "-./'@,:+%"
    case .other: "-."
    }
  }

  /// Tells whether it stands alone in a text.
  func stands(at range: Range<Int>, of bytes: Bytes, in place: KnownValueSearch.Place) -> Bool {
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

  /// Tells whether a word stands where the name of a value or an element does.
  private static func names(_ bytes: Bytes, _ range: Range<Int>) -> Bool {
    if range.lowerBound > 0, "</".utf8.contains(bytes[range.lowerBound - 1]) { return true }
    let rest = bytes[range.upperBound...].prefix(4)
      .drop { $0 == "\"" || $0 == "'" }.drop { $0 == 0x20 }
    return rest.first == ":" || rest.first == "="
  }
}
