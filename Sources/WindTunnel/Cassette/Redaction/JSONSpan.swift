/// A JSON text taken apart without losing anything: where its values stand, so that one can be
/// replaced and all else, white space included, stays to the byte.
indirect enum JSONSpan {
  /// A string with its quotes.
  case string(Range<Int>)
  case number(Range<Int>)
  /// `true`, `false` or `null`.
  case word
  case array([JSONSpan])
  case object([(name: Range<Int>, value: JSONSpan)])

  /// Takes a text apart; `nil` if it is no JSON object or array.
  init?(_ bytes: [UInt8]) {
    let first = bytes.first { $0 > 0x20 && $0 != 0xEF && $0 != 0xBB && $0 != 0xBF }
    guard first == UInt8(ascii: "{") || first == UInt8(ascii: "[") else { return nil }
    // What does not parse is treated as text, so the reason does not matter.
    guard (try? JSONParser.parse(bytes)) != nil else { return nil }
    var reader = Reader(bytes: bytes)
    self = reader.value()
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
        return .array(elements)
      case UInt8(ascii: "{"):
        place += 1
        var members: [(name: Range<Int>, value: JSONSpan)] = []
        while more(UInt8(ascii: "}")) {
          let name = string()
          members.append((name, value()))
        }
        return .object(members)
      case UInt8(ascii: "t"), UInt8(ascii: "f"), UInt8(ascii: "n"):
        skip { 0x61...0x7A ~= $0 }
        return .word
      default:
        skip { 0x30...0x39 ~= $0 || "+-.eE".utf8.contains($0) }
        return .number(start..<place)
      }
    }

    /// Whether another value follows; passes over the bracket if none does.
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
