import Foundation

/// Texts in gzip and deflate as stored blocks (RFC 1951 §3.2.4): nothing is compressed, but the
/// wrapping is real.
enum Packed {
  static func deflate(_ text: String) -> Data {
    let bytes = Array(text.utf8)
    let (low, high) = (UInt8(bytes.count & 0xFF), UInt8(bytes.count >> 8))
    return Data([1, low, high, ~low, ~high] + bytes)
  }

  static func gzip(_ text: String) -> Data {
    let header: [UInt8] = [0x1F, 0x8B, 8, 0, 0, 0, 0, 0, 0, 3]
    let count = UInt32(text.utf8.count)
    return Data(header) + deflate(text) + Data(littleEndian(crc(text)) + littleEndian(count))
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
