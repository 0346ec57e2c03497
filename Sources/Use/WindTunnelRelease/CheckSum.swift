/// The CRC-32 of zip archives (APPNOTE 4.4.7, RFC 1952 §8).
enum CheckSum {
  static func crc32(of window: ByteWindow) -> UInt32 {
    window.withBytes { bytes in
      var sum = UInt32.max
      table.withUnsafeBufferPointer { table in
        for byte in bytes { sum = table[Int(UInt8(truncatingIfNeeded: sum) ^ byte)] ^ sum >> 8 }
      }
      return ~sum
    }
  }

  /// The remainder of each byte by the polynomial.
  private static let table: [UInt32] = (0..<256).map { byte in
    (0..<8).reduce(UInt32(byte)) { sum, _ in sum & 1 == 1 ? sum >> 1 ^ 0xEDB8_8320 : sum >> 1 }
  }
}
