import Foundation
import Mutations

@testable import WindTunnel

/// Ways in which a text that was good comes to harm; the same for the same seed.
extension Generator {
  /// A text that is some steps away from a good one, with pieces of another.
  mutating func damaged(_ good: [UInt8], _ other: [UInt8]) -> [UInt8] {
    var bytes = good
    // Some stay as they are to the readers: only their values are odd.
    if Int.random(in: 0..<4, using: &self) > 0, let tree = try? JSONParser.parse(good),
      let donor = try? JSONParser.parse(other)
    {
      var tree = tree
      for _ in 0...Int.random(in: 0...2, using: &self) { tree = damaged(tree, donor, depth: 0) }
      bytes = tree.bytes(pick(JSON.Layout.all))
      if Bool.random(using: &self) { return bytes }
    }
    for _ in 0...Int.random(in: 0...2, using: &self) { damage(&bytes, other) }
    return bytes
  }

  // MARK: Bytes

  private static let snippets: [[UInt8]] =
    [
      "null", "\"", "\\ud800", "\\udc00\\ud800", ",", ":", "0", "-", "1e999", "é", "\\", "\u{0}",
      "[",
      "]", "{", "}", "{\"a\":1,\"a\":1}", "\u{FEFF}", "\u{2028}", "//", "/* */", "'", "NaN",
      "Infinity", "-Infinity", "undefined", "\r", "\t", "\u{7F}", "+1", "01", "1.", ".5",
    ].map { Array($0.utf8) } + [[0xFF], [0xC0, 0x80], [0xED, 0xA0, 0x80], [0xF8, 0x88], [0x80]]

  private mutating func range(in bytes: [UInt8], upTo countMax: Int) -> Range<Int> {
    let start = Int.random(in: 0...bytes.count, using: &self)
    let count = Int.random(in: 0...min(countMax, bytes.count - start), using: &self)
    return start..<start + count
  }

  private mutating func damage(_ bytes: inout [UInt8], _ other: [UInt8]) {
    let place = range(in: bytes, upTo: 8)
    switch Int.random(in: 0..<10, using: &self) {
    case 0 where !bytes.isEmpty:
      bytes[bytes.indices.randomElement(using: &self) ?? 0] ^=
        1 << UInt8.random(in: 0...7, using: &self)
    case 1: bytes.removeLast(bytes.count - place.lowerBound)
    case 2: bytes.removeSubrange(range(in: bytes, upTo: 200))
    case 3: bytes.insert(contentsOf: bytes[range(in: bytes, upTo: 200)], at: place.lowerBound)
    case 4: bytes.replaceSubrange(place, with: other[range(in: other, upTo: 200)])
    case 5: bytes = Array(bytes[..<place.lowerBound] + other[range(in: other, upTo: .max)])
    case 6:
      let nest = [UInt8](repeating: pick(Array("[{\"".utf8)), count: pick([3, 255, 257, 100_000]))
      bytes.insert(contentsOf: nest, at: place.lowerBound)
    case 7:
      let digits = [UInt8](repeating: UInt8(ascii: "9"), count: pick([1, 19, 20, 400]))
      bytes.insert(contentsOf: digits, at: place.lowerBound)
    case 8 where Int.random(in: 0..<8, using: &self) == 0: bytes = encoded(bytes)
    default: bytes.replaceSubrange(place, with: pick(Self.snippets))
    }
  }

  /// The same text in another encoding than JSON's.
  private mutating func encoded(_ bytes: [UInt8]) -> [UInt8] {
    switch Int.random(in: 0..<4, using: &self) {
    case 0: [0xEF, 0xBB, 0xBF] + bytes
    case 1: [0xFF, 0xFE] + bytes.flatMap { [$0, 0] }
    case 2: bytes.flatMap { [0, $0] }
    default: bytes.map { $0 & 0x7F | ($0.isMultiple(of: 16) ? 0x80 : 0) }
    }
  }

  // MARK: Values

  private static let values: [JSON] = [
    nil, true, false, 0, -1, 1, 7, .number("1e999"), .number("-1e999"), .number("1e-400"),
    .number("-0"), .number("9223372036854775807"), .number("9223372036854775808"),
    .number("-9223372036854775809"), .number("1E400000"), .number("1e15"), .number("1e18"),
    .number("0.1e1"), .number("123456789012345678901234567890.5"), "", "a", "\u{0}", "a\r\nb",
    "é\u{301}", "*", "/", "//", "{", "/{a}/{a}", "GET /**", "$..a", "://", "http://[::1", "%",
    "%zz",
    "REDACTED-a-1", .text(String(repeating: "x", count: 20_000)), [], [nil], .object([]),
    .object([.init("_a", nil), .init("_a", 1)]), .object([.init("", nil)]),
  ]

  private mutating func value() -> JSON {
    guard Int.random(in: 0..<40, using: &self) == 0 else { return pick(Self.values) }
    return (0..<pick([100, 250, 300])).reduce(nil) { inner, _ in
      Bool.random(using: &self) ? [inner] : .object([.init("a", inner)])
    }
  }

  /// A tree with something in it replaced, renamed, doubled, moved, lost or taken from another tree.
  private mutating func damaged(_ json: JSON, _ donor: JSON, depth: Int) -> JSON {
    switch json {
    case .array(var elements) where !elements.isEmpty && Int.random(in: 0..<8, using: &self) > 0:
      let index = Int.random(in: elements.indices, using: &self)
      switch Int.random(in: 0..<10, using: &self) {
      case 0: elements.remove(at: index)
      case 1: elements.append(elements[index])
      case 2: elements.shuffle(using: &self)
      default: elements[index] = damaged(elements[index], donor, depth: depth + 1)
      }
      return .array(elements)
    case .object(var members) where !members.isEmpty && Int.random(in: 0..<10, using: &self) > 0:
      let index = Int.random(in: members.indices, using: &self)
      switch Int.random(in: 0..<14, using: &self) {
      case 0: members.remove(at: index)
      case 1: members.append(members[index])
      case 2: members[index].name = pick(["_a", "", "a", "url", "headers", "é"])
      case 3: members.append(JSON.Member(pick(["_a", "a", "_windtunnel", "__proto__"]), value()))
      default: members[index].value = damaged(members[index].value, donor, depth: depth + 1)
      }
      return .object(members)
    default:
      return Int.random(in: 0..<4, using: &self) == 0 ? piece(of: donor) : value()
    }
  }

  private mutating func piece(of json: JSON) -> JSON {
    switch json {
    case .array(let elements) where !elements.isEmpty && Int.random(in: 0..<6, using: &self) > 0:
      piece(of: pick(elements))
    case .object(let members) where !members.isEmpty && Int.random(in: 0..<6, using: &self) > 0:
      piece(of: pick(members).value)
    default: json
    }
  }
}
