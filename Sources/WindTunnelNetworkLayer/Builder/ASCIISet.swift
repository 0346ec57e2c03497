/// Characters of ASCII, as bits: each request has all its texts looked through.
struct ASCIISet: Sendable, Hashable {
  private var low: UInt64 = 0
  private var high: UInt64 = 0

  /// Those of a text; what is not ASCII is in no set.
  init(_ characters: String) {
    for byte in characters.utf8 {
      if byte < 64 { low |= 1 << byte } else if byte < 128 { high |= 1 << (byte - 64) }
    }
  }

  /// This set and the characters of a text.
  func adding(_ characters: String) -> ASCIISet {
    var set = ASCIISet(characters)
    set.low |= low
    set.high |= high
    return set
  }

  func contains(_ byte: UInt8) -> Bool {
    byte < 64 ? low >> byte & 1 == 1 : byte < 128 && high >> (byte - 64) & 1 == 1
  }

  /// Whether a text has no other characters.
  func containsAll(of text: String) -> Bool { text.utf8.allSatisfy(contains) }
}
