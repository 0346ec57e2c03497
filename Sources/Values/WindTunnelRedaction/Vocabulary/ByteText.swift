// Comparisons of bytes with ASCII letters.

extension UInt8 {
  static func == (byte: UInt8, letter: Unicode.Scalar) -> Bool { byte == UInt8(ascii: letter) }
  static func != (byte: UInt8, letter: Unicode.Scalar) -> Bool { byte != UInt8(ascii: letter) }
  static func ~= (letter: Unicode.Scalar, byte: UInt8) -> Bool { byte == UInt8(ascii: letter) }
}

extension UInt8? {
  static func == (byte: UInt8?, letter: Unicode.Scalar) -> Bool {
    byte.map { $0 == letter } ?? false
  }
  static func != (byte: UInt8?, letter: Unicode.Scalar) -> Bool { !(byte == letter) }
}

extension Collection<UInt8> {
  /// The text with these UTF-8 bytes.
  var text: String { String(decoding: self, as: UTF8.self) }
  /// The same text with ASCII letters in lower case.
  var lowercasedText: String { map(\.asciiLowercased).text }
}

extension Bytes {
  /// Whether a text begins at a position.
  func has(_ text: String, at place: Int) -> Bool {
    self[Swift.min(place, count)...].starts(with: text.utf8)
  }

  /// Returns the bytes from a position while they match, up to a maximum number.
  func run(from place: Int, most: Int = .max, while fits: (UInt8) -> Bool) -> ByteSlice {
    self[Swift.min(place, count)...].prefix(most).prefix(while: fits)
  }

  /// Returns the bytes with each of some sorted ranges replaced.
  func replacing(_ ranges: [Range<Int>], _ body: (Bytes) -> Bytes) -> Bytes {
    Edit.applied(ranges.map { Edit($0, body(Bytes(self[$0]))) }, to: self)
  }

  /// Returns the position of the first byte from a position that is not white space.
  func wordStart(from place: Int) -> Int { run(from: place) { $0 <= 0x20 }.endIndex }
}
