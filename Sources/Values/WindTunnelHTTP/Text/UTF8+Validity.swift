extension UnsafeBufferPointer<UInt8> {
  /// Whether these bytes are well-formed UTF-8 (The Unicode Standard 16.0, table 3-7).
  var isUTF8: Bool {
    var place = 0
    while place < count {
      if self[place] < 0x80 {
        place += 1
        // Most texts are ASCII, so eight bytes are checked at once.
        let raw = UnsafeRawBufferPointer(self)
        while place + 8 <= count,
          raw.loadUnaligned(fromByteOffset: place, as: UInt64.self) & 0x8080_8080_8080_8080 == 0
        {
          place += 8
        }
        continue
      }
      guard let length = sequenceLength(at: place) else { return false }
      place += length
    }
    return true
  }

  /// Returns the length of the multi-byte sequence at this position; `nil` if it is ill-formed.
  @inline(__always) func sequenceLength(at place: Int) -> Int? {
    guard let (rest, second) = self[place].following, rest > 0 else { return nil }
    let length = rest + 1
    guard place + length <= count, second.contains(self[place + 1]) else { return nil }
    for next in (place + 2)..<(place + length) where self[next] & 0xC0 != 0x80 { return nil }
    return length
  }
}

extension UInt8 {
  /// The number of bytes after this one in a UTF-8 scalar, and the valid range of the next byte;
  /// `nil` if no scalar begins with this byte.
  @inline(__always) var following: (count: Int, first: ClosedRange<UInt8>)? {
    switch self {
    case 0x00...0x7F: (0, 0x80...0xBF)
    case 0xC2...0xDF: (1, 0x80...0xBF)
    case 0xE0: (2, 0xA0...0xBF)
    case 0xED: (2, 0x80...0x9F)
    case 0xE1...0xEF: (2, 0x80...0xBF)
    case 0xF0: (3, 0x90...0xBF)
    case 0xF1...0xF3: (3, 0x80...0xBF)
    case 0xF4: (3, 0x80...0x8F)
    default: nil
    }
  }
}
