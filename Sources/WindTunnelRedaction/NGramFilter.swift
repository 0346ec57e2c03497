internal import Foundation

/// Tells of most texts, without looking at them again, that a word is not in them.
///
/// Each run of four bytes sets one of many bits; a word that needs a bit which is not set is not
/// there. So learning a secret costs a few bits a line, however long the lines are.
package struct NGramFilter {
  private static let gram = Pseudonyms.aloneBytesMin
  private var bits: [UInt64]
  /// Tells whether there is content that could not be looked into.
  private var isBlind = false

  /// Looks at everything of an interaction that may repeat a secret, in every spelling of it.
  package init(_ interaction: Interaction) {
    var texts = [
      Array("\(interaction.request.url)".utf8), Array((interaction.failure?.text ?? "").utf8),
    ]
    let notes = interaction.notes + interaction.innerNotes.values.flatMap(\.self)
    texts.append(JSON.object(notes).bytes())
    texts += interaction.messages.map { Array($0.body.data) }
    var isBlind = false
    func add(_ headers: HeaderFields, _ body: Body) {
      texts += headers.map { Array($0.value.utf8) }
      if body.count > Body.openedBytesMax {
        isBlind = true
        return
      }
      let coding = headers.values("Content-Encoding").joined(separator: ", ")
      let opened = Inflate.open(body.data, coding: coding)
      if opened == nil { isBlind = true }
      texts.append(Array(opened ?? body.data))
    }
    add(interaction.request.headers, interaction.request.body)
    if let response = interaction.response { add(response.headers, response.body) }
    for text in texts {
      // Base64 is another spelling, of texts in texts.
      texts += Base64Text.runs(in: text).compactMap { EncodedText.decoded(text[$0]) }
    }
    let spelled = texts.flatMap { text in
      EscapedText.Spelling.allCases.compactMap { EscapedText(text, $0)?.bytes }
    }
    let count = spelled.reduce(0) { $0 + $1.count }
    bits = [UInt64](repeating: 0, count: max(1, count / 4))
    self.isBlind = isBlind
    for text in spelled { Self.grams(of: text) { set($0) } }
  }

  /// Tells whether a word may be there; where this is false it is not.
  package func mayContain(_ word: String) -> Bool {
    if isBlind { return true }
    var isThere = true
    Self.grams(of: Array(word.utf8)) { gram in
      isThere = isThere && bits[place(gram).word] & place(gram).bit != 0
    }
    return isThere
  }

  private mutating func set(_ gram: UInt64) {
    let place = place(gram)
    bits[place.word] |= place.bit
  }

  private func place(_ gram: UInt64) -> (word: Int, bit: UInt64) {
    // Fibonacci hashing: the high bits of a product with the golden ratio are well mixed.
    let hash = gram &* 0x9E37_79B9_7F4A_7C15
    return (Int((hash >> 16) % UInt64(bits.count)), 1 << (hash >> 58))
  }

  private static func grams(of text: [UInt8], _ body: (UInt64) -> Void) {
    guard text.count >= gram else { return }
    var window: UInt64 = 0
    for (index, byte) in text.enumerated() {
      window = (window << 8 | UInt64(byte)) & 0xFFFF_FFFF
      if index >= gram - 1 { body(window) }
    }
  }
}
