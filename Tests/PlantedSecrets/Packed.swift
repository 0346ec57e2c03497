public import Foundation

/// Texts in gzip and deflate by fixed codes without repetition (RFC 1951 §3.2.6): no byte of the text
/// stands in them as it is.
public enum Packed {
  /// In one block, without a wrapping.
  public static func deflate(_ text: String) -> Data {
    var bits = Bits()
    bits.append(1, count: 1)
    bits.append(1, count: 2)
    for byte in text.utf8 {
      // Codes begin with their highest bit.
      if byte < 144 {
        bits.appendCode(0x30 + UInt32(byte), count: 8)
      } else {
        bits.appendCode(0x190 + UInt32(byte) - 144, count: 9)
      }
    }
    bits.appendCode(0, count: 7)
    return bits.data
  }

  /// With a head and a check (RFC 1952).
  public static func gzip(_ text: String) -> Data {
    let header: [UInt8] = [0x1F, 0x8B, 8, 0, 0, 0, 0, 0, 0, 3]
    let count = UInt32(text.utf8.count)
    return Data(header) + deflate(text) + Data(littleEndian(crc(text)) + littleEndian(count))
  }

  private struct Bits {
    var data = Data()
    private var place = 0

    mutating func append(_ value: UInt32, count: Int) {
      for shift in 0..<count {
        if place % 8 == 0 { data.append(0) }
        if value >> shift & 1 == 1 { data[data.count - 1] |= 1 << (place % 8) }
        place += 1
      }
    }

    mutating func appendCode(_ code: UInt32, count: Int) {
      for shift in (0..<count).reversed() { append(code >> shift, count: 1) }
    }
  }

  private static func littleEndian(_ value: UInt32) -> [UInt8] {
    (0..<4).map { UInt8(truncatingIfNeeded: value >> ($0 * 8)) }
  }

  /// RFC 1952 §8.
  private static func crc(_ text: String) -> UInt32 {
    ~text.utf8.reduce(0xFFFF_FFFF as UInt32) { crc, byte in
      (0..<8).reduce(crc ^ UInt32(byte)) { crc, _ in
        crc & 1 == 1 ? 0xEDB8_8320 ^ crc >> 1 : crc >> 1
      }
    }
  }
}
