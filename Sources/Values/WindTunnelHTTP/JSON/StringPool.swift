internal import Foundation

/// A pool of strings built from bytes, with one string for equal bytes. Most header fields of a
/// cassette repeat in every interaction.
///
/// The pool has a fixed size, a power of two: a new string replaces the previous one in its slot.
package struct StringPool {
  /// Shorter strings need no heap memory; longer ones seldom repeat.
  private static let lengths = 16...160

  private var slots: [String]

  package init(slots: Int = 2048) { self.slots = Array(repeating: "", count: slots) }

  /// Returns the string of valid UTF-8.
  package mutating func string(_ bytes: UnsafeBufferPointer<UInt8>) -> String {
    guard Self.lengths.contains(bytes.count), let base = bytes.baseAddress else {
      return String(decoding: bytes, as: UTF8.self)
    }
    let slot = Self.hash(of: bytes) & (slots.count - 1)
    let isKnown =
      slots[slot].utf8.withContiguousStorageIfAvailable { known in
        known.count == bytes.count
          && known.baseAddress.map { memcmp($0, base, bytes.count) == 0 } ?? false
      } ?? false
    if !isKnown { slots[slot] = String(decoding: bytes, as: UTF8.self) }
    return slots[slot]
  }

  /// Returns a cheap hash of the length and the bytes, eight at a time; the last
  /// eight may overlap.
  private static func hash(of bytes: UnsafeBufferPointer<UInt8>) -> Int {
    let raw = UnsafeRawBufferPointer(bytes)
    var hash = UInt64(bytes.count)
    for place in stride(from: 0, to: bytes.count - 8, by: 8) {
      hash = mixed(hash, raw.loadUnaligned(fromByteOffset: place, as: UInt64.self))
    }
    hash = mixed(hash, raw.loadUnaligned(fromByteOffset: bytes.count - 8, as: UInt64.self))
    return Int(hash >> 40)
  }

  private static func mixed(_ hash: UInt64, _ word: UInt64) -> UInt64 {
    let sum = (hash ^ word) &* 0x9E37_79B9_7F4A_7C15
    return sum ^ sum >> 29
  }
}
