/// A reader of binary content: numbers, and fields that follow their length.
struct ByteReader {
  let bytes: Bytes
  var place = 0

  var isAtEnd: Bool { place >= bytes.count }

  /// Returns the range of the next bytes; `nil` if fewer are left.
  mutating func take(_ count: (some BinaryInteger)?) -> Range<Int>? {
    guard let count, count <= bytes.count - place else { return nil }
    let start = place
    place += Int(count)
    return start..<place
  }

  mutating func byte() -> UInt8? { take(1).map { bytes[$0.lowerBound] } }

  /// Reads a number in big-endian order; a number beyond `Int` becomes `Int.max`.
  mutating func number(_ width: Int) -> Int? {
    take(width).map { Int(exactly: bytes[$0].reduce(0 as UInt64) { $0 << 8 | UInt64($1) }) ?? .max }
  }

  /// Reads a number with seven bits in each byte, the lowest first.
  mutating func varint() -> UInt64? {
    var (value, shift): (UInt64, UInt64) = (0, 0)
    while shift < 64, let byte = byte() {
      value |= UInt64(byte & 0x7F) << shift
      if byte < 0x80 { return value }
      shift += 7
    }
    return nil
  }

  static func bigEndian(_ number: Int, _ width: Int) -> Bytes {
    Bytes((0..<width).reversed().map { UInt8(truncatingIfNeeded: number >> ($0 * 8)) })
  }

  static func varint(_ number: Int) -> Bytes {
    var (bytes, rest): (Bytes, Int) = ([], number)
    while rest >= 0x80 {
      bytes.append(UInt8(rest & 0x7F) | 0x80)
      rest >>= 7
    }
    return bytes + [UInt8(rest)]
  }
}
