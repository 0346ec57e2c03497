internal import Foundation

/// A filter that shows for most texts, without another pass over them, that a word is not in them.
///
/// Each run of four bytes sets one of many bits; a word that needs a bit which is not set is not
/// there. So learning a secret costs a few bits a line, however long the lines are.
package struct NGramFilter {
  private static let gram = Pseudonyms.aloneBytesMin
  /// The limit of the room for a large body: eight megabytes.
  private static let wordsMax = 1 << 20
  /// The limit of a map of bytes, such as CBOR, in base64: what is larger and no text is media.
  private static let mapBytesMax = 1 << 20
  private var bits: [UInt64]
  /// Tells whether there is content that could not be looked into.
  private var isBlind: Bool

  /// Looks at everything of an interaction that may repeat a secret, in every spelling of it.
  package init(_ interaction: Interaction, words: Int? = nil) {
    let texts = InteractionTexts(interaction)
    let count = texts.count
    self.init(words: words ?? min(max(1, (count + count / 2) / 4), Self.wordsMax))
    look(through: texts)
  }

  /// Creates a filter of so many words that has seen nothing.
  package init(words: Int) { (bits, isBlind) = ([UInt64](repeating: 0, count: words), false) }

  /// Looks at another interaction, too.
  package mutating func look(through interaction: Interaction) {
    look(through: InteractionTexts(interaction))
  }

  private mutating func look(through texts: InteractionTexts) {
    isBlind = isBlind || texts.isBlind
    texts.forEach { lookThrough($0) }
  }

  /// Looks at a text and at those in it that are spelled in base64.
  private mutating func lookThrough(_ text: Bytes) {
    look(in: text)
    for run in Base64Text.runs(in: text) {
      guard let inner = EncodedText.decoded(text[run]) else { continue }
      // A picture and the like has no text in it that is spelled in a way of its own.
      let isMedia = inner.count > Self.mapBytesMax && String(utf8: inner) == nil
      if isMedia { set(inner) } else { look(in: inner) }
    }
  }

  /// Looks at a text in every spelling, one after the other: each is as large as the text.
  private mutating func look(in text: Bytes) {
    for spelling in EscapedText.Spelling.allCases {
      EscapedText(text, spelling).map { set($0.bytes) }
    }
  }

  /// Tells whether a word may be there; where this is false it is not.
  package func mayContain(_ word: String) -> Bool {
    isBlind || Self.grams(of: Bytes(word.utf8)) { bits[place($0).word] & place($0).bit != 0 }
  }

  /// Adds what another filter of the same size has seen.
  package mutating func formUnion(_ other: NGramFilter) {
    isBlind = isBlind || other.isBlind
    for index in bits.indices { bits[index] |= other.bits[index] }
  }

  private mutating func set(_ text: Bytes) {
    _ = Self.grams(of: text) { gram in
      let place = place(gram)
      bits[place.word] |= place.bit
      return true
    }
  }

  private func place(_ gram: UInt64) -> (word: Int, bit: UInt64) {
    // Fibonacci hashing: the high bits of a product with the golden ratio are well mixed.
    let hash = gram &* 0x9E37_79B9_7F4A_7C15
    return (Int((hash >> 16) % UInt64(bits.count)), 1 << (hash >> 58))
  }

  /// Calls a function with each gram until it returns false; returns what it did at last.
  private static func grams(of text: Bytes, _ body: (UInt64) -> Bool) -> Bool {
    var (window, count): (UInt64, Int) = (0, 0)
    return text.allSatisfy { byte in
      window = (window << 8 | UInt64(byte)) & 0xFFFF_FFFF
      count += 1
      return count < gram || body(window)
    }
  }
}
