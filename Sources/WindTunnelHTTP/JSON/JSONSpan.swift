/// A JSON text taken apart without losing anything: where its values stand, so that one can be
/// replaced and all else, white space included, stays to the byte.
package enum JSONSpan {
  /// A string with its quotes.
  case string(Range<Int>)
  case number(Range<Int>)
  /// `true`, `false` or `null`.
  case word(Range<Int>)
  /// A list, from bracket to bracket.
  case array([JSONSpan], Range<Int>)
  /// Members, from brace to brace.
  case object([(name: Range<Int>, value: JSONSpan)], Range<Int>)

  /// The range of the value's bytes in the text.
  package var range: Range<Int> {
    switch self {
    case .string(let range), .number(let range), .word(let range), .array(_, let range),
      .object(_, let range):
      range
    }
  }

  /// Takes a text apart; `nil` if it is no JSON object or array.
  package init?(_ bytes: [UInt8]) {
    let first = bytes.first { $0 > 0x20 && $0 != 0xEF && $0 != 0xBB && $0 != 0xBF }
    guard first == UInt8(ascii: "{") || first == UInt8(ascii: "[") else { return nil }
    // What does not parse is treated as text, so the reason does not matter.
    guard JSONParser.accepts(bytes) else { return nil }
    var reader = Reader(bytes: bytes)
    self = reader.value()
  }

  /// Returns the value of a string of a text that was taken apart, with its escapes decoded.
  package static func text(_ range: Range<Int>, of bytes: [UInt8]) -> String {
    let inner = bytes[(range.lowerBound + 1)..<(range.upperBound - 1)]
    guard inner.contains(UInt8(ascii: "\\")) else { return String(decoding: inner, as: UTF8.self) }
    // It has been parsed before, as a part of the whole.
    return (try? JSONParser.parse(bytes[range]))?.stringValue
      ?? String(decoding: inner, as: UTF8.self)
  }

  /// Reads a text that is known to be well-formed.
  private struct Reader {
    let bytes: [UInt8]
    var place = 0

    private mutating func skip(_ isPassed: (UInt8) -> Bool) {
      while place < bytes.count, isPassed(bytes[place]) { place += 1 }
    }

    private var current: UInt8 { place < bytes.count ? bytes[place] : 0 }

    /// White space, and what parts values; where those may stand is known by now.
    private mutating func skipSpace() {
      skip { $0 <= 0x20 || $0 == UInt8(ascii: ",") || $0 == UInt8(ascii: ":") || $0 >= 0x80 }
    }

    mutating func value() -> JSONSpan {
      skipSpace()
      let start = place
      switch current {
      case UInt8(ascii: "\""): return .string(string())
      case UInt8(ascii: "["):
        place += 1
        var elements: [JSONSpan] = []
        while more(UInt8(ascii: "]")) { elements.append(value()) }
        return .array(elements, start..<place)
      case UInt8(ascii: "{"):
        place += 1
        var members: [(name: Range<Int>, value: JSONSpan)] = []
        while more(UInt8(ascii: "}")) {
          let name = string()
          members.append((name, value()))
        }
        return .object(members, start..<place)
      case UInt8(ascii: "t"), UInt8(ascii: "f"), UInt8(ascii: "n"):
        skip { 0x61...0x7A ~= $0 }
        return .word(start..<place)
      default:
        skip { 0x30...0x39 ~= $0 || "+-.eE".utf8.contains($0) }
        return .number(start..<place)
      }
    }

    /// Tells whether another value follows in front of the bracket; passes over the bracket if none
    /// does.
    private mutating func more(_ bracket: UInt8) -> Bool {
      skipSpace()
      guard place < bytes.count else { return false }
      guard current == bracket else { return true }
      place += 1
      return false
    }

    private mutating func string() -> Range<Int> {
      let start = place
      place += 1
      while place < bytes.count, bytes[place] != UInt8(ascii: "\"") {
        place += bytes[place] == UInt8(ascii: "\\") ? 2 : 1
      }
      place += 1
      return start..<min(place, bytes.count)
    }
  }
}
