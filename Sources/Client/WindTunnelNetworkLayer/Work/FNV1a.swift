package import Foundation

/// The 64-bit hash FNV-1a (draft-eastlake-fnv): it detects accidents, not forgeries.
package enum FNV1a {
  /// Returns the hash of a range of bytes, preceded by others; `nil` means all bytes.
  package static func hash(
    _ data: Data,
    _ range: Range<Int>? = nil,
    after others: Data = Data()
  ) -> UInt64 {
    var hash: UInt64 = 0xCBF2_9CE4_8422_2325
    func add(_ bytes: UnsafeRawBufferPointer, _ range: Range<Int>) {
      var place = range.lowerBound
      while place < range.upperBound {
        hash = (hash ^ UInt64(bytes[place])) &* 0x100_0000_01B3
        place += 1
      }
    }
    others.withUnsafeBytes { add($0, 0..<$0.count) }
    data.withUnsafeBytes { add($0, range ?? 0..<$0.count) }
    return hash
  }
}

extension UInt64 {
  /// The number in 16 hexadecimal digits.
  package var hex: String { String(format: "%016llx", self) }
}

extension Data {
  /// Appends a number in big-endian order.
  package mutating func append(bigEndian number: some FixedWidthInteger) {
    Swift.withUnsafeBytes(of: number.bigEndian) { append(contentsOf: $0) }
  }

  /// Returns the big-endian number in a number of bytes at an index from 0.
  package func bigEndian(at place: Int, bytes: Int) -> UInt64 {
    withUnsafeBytes { $0[place..<place + bytes].reduce(0) { $0 << 8 | UInt64($1) } }
  }
}
