internal import Foundation

/// A filter that excludes that a text contains a word, for most texts without reading them again.
///
/// Each run of four bytes sets one of many bits. A word whose bits are not all set is not in the
/// texts. So learning a secret costs only a few bit tests for each line, regardless of the line's
/// length.
package struct NGramFilter {
  private static let gram = Pseudonyms.aloneBytesMin
  /// The maximum size of the bits for a large body: eight megabytes.
  private static let wordsMax = 1 << 20
  /// The maximum size of a binary map, such as CBOR, in base64; larger binary content is media.
  private static let mapBytesMax = 1 << 20
  private var bits: [UInt64]
  /// Whether some content could not be searched.
  private var isBlind: Bool

  /// Creates a filter of all content of an interaction that may repeat a secret, in every escaping.
  package init(_ interaction: Interaction, words: Int? = nil) {
    let texts = InteractionTexts(interaction)
    let count = texts.count
    self.init(words: words ?? min(max(1, (count + count / 2) / 4), Self.wordsMax))
    look(through: texts)
  }

  /// Creates an empty filter with `words` words.
  package init(words: Int) { (bits, isBlind) = ([UInt64](repeating: 0, count: words), false) }

  /// Adds the content of another interaction.
  package mutating func look(through interaction: Interaction) {
    look(through: InteractionTexts(interaction))
  }

  private mutating func look(through texts: InteractionTexts) {
    isBlind = isBlind || texts.isBlind
    texts.forEach { lookThrough($0) }
  }

  /// Adds a text and the texts within it that are encoded in base64.
  private mutating func lookThrough(_ text: Bytes) {
    look(in: text)
    for run in Base64Text.runs(in: text) {
      guard let inner = EncodedText.decoded(text[run]) else { continue }
      // Media contains no text with a further encoding.
      let isMedia = inner.count > Self.mapBytesMax && String(utf8: inner) == nil
      if isMedia { set(inner) } else { look(in: inner) }
    }
  }

  /// Adds a text in every escaping, one at a time, because each copy is as large as the
  /// text.
  private mutating func look(in text: Bytes) {
    for spelling in EscapedText.Spelling.allCases {
      EscapedText(text, spelling).map { set($0.bytes) }
    }
  }

  /// Whether the content may contain a word; `false` is certain.
  package func mayContain(_ word: String) -> Bool {
    isBlind || Self.grams(of: Bytes(word.utf8)) { bits[place($0).word] & place($0).bit != 0 }
  }

  /// Adds the content of another filter of the same size.
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

  /// Calls a function with each gram until it returns `false`; returns the last result.
  private static func grams(of text: Bytes, _ body: (UInt64) -> Bool) -> Bool {
    var (window, count): (UInt64, Int) = (0, 0)
    return text.allSatisfy { byte in
      window = (window << 8 | UInt64(byte)) & 0xFFFF_FFFF
      count += 1
      return count < gram || body(window)
    }
  }
}
