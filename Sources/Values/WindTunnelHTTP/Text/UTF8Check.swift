/// An incremental check for well-formed UTF-8, which fails at the first invalid byte.
struct UTF8Check: Sendable {
  /// The number of missing bytes of the current scalar.
  private var missing = 0
  /// The valid range of its next byte.
  private var next: ClosedRange<UInt8> = 0x80...0xBF

  /// Whether the text so far ends at a scalar boundary.
  var isWhole: Bool { missing == 0 }

  /// Checks the next piece; returns `false` if it is not valid UTF-8.
  mutating func look(at bytes: UnsafeRawBufferPointer) -> Bool {
    var place = 0
    while place < bytes.count {
      if missing == 0 {
        // Most texts are ASCII, so eight bytes are checked at once.
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
