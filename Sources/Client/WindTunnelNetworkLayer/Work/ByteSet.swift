/// A set of bytes as bits, such as the ASCII characters that a part of a request may have.
package struct ByteSet: Sendable, Hashable {
  private var words: SIMD4<UInt64> = .zero

  static let all = ByteSet(0...255)

  init(_ bytes: ClosedRange<UInt8>? = nil) {
    if let bytes { insert(bytes) }
  }

  /// Creates a set with the bytes of a text.
  package init(_ characters: String) { for byte in characters.utf8 { insert(byte...byte) } }

  mutating func insert(_ bytes: ClosedRange<UInt8>) {
    for byte in bytes { words[Int(byte >> 6)] |= 1 << UInt64(byte & 63) }
  }

  /// Returns this set with the bytes of a text.
  func adding(_ characters: String) -> ByteSet {
    var set = ByteSet(characters)
    set.words |= words
    return set
  }

  func contains(_ byte: UInt8) -> Bool { words[Int(byte >> 6)] >> UInt64(byte & 63) & 1 == 1 }

  /// Returns whether a text has no other bytes.
  package func containsAll(of text: String) -> Bool { text.utf8.allSatisfy(contains) }

  var isEmpty: Bool { words == .zero }

  var inverted: ByteSet {
    var set = self
    set.words = ~words
    return set
  }
}
