/// A check of a text that comes in pieces: well-formed UTF-8, told at the first byte that is not.
struct UTF8Check: Sendable {
  /// The number of bytes that the scalar under way still has.
  private var missing = 0
  /// The range of its next byte.
  private var next: ClosedRange<UInt8> = 0x80...0xBF

  /// Tells whether no scalar is under way.
  var isWhole: Bool { missing == 0 }

  /// Looks at the next piece; false where it is no UTF-8.
  mutating func look(at bytes: UnsafeRawBufferPointer) -> Bool {
    var place = 0
    while place < bytes.count {
      if missing == 0 {
        // Most texts are ASCII, eight bytes of which are told at once.
        while place + 8 <= bytes.count,
          bytes.loadUnaligned(fromByteOffset: place, as: UInt64.self) & 0x8080_8080_8080_8080 == 0
        {
          place += 8
        }
        guard place < bytes.count else { return true }
      }
      guard take(bytes[place]) else { return false }
      place += 1
    }
    return true
  }

  private mutating func take(_ byte: UInt8) -> Bool {
    if missing > 0 {
      guard next.contains(byte) else { return false }
      (missing, next) = (missing - 1, 0x80...0xBF)
      return true
    }
    guard let (count, first) = byte.following else { return false }
    (missing, next) = (count, first)
    return true
  }
}
