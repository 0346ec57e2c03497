/// A replacement of one range of a text.
package struct Edit {
  package var range: Range<Int>
  package var bytes: Bytes

  package init(_ range: Range<Int>, _ bytes: some Sequence<UInt8>) {
    self.range = range
    self.bytes = Bytes(bytes)
  }

  /// Returns a text with the edits applied. If two edits overlap, the earlier start wins; with
  /// equal starts, the first in the list.
  package static func applied(_ edits: [Edit], to text: Bytes) -> Bytes {
    var result: Bytes = []
    result.reserveCapacity(text.count)
    var place = 0
    for edit in edits.sorted(by: { $0.range.lowerBound < $1.range.lowerBound })
    where edit.range.lowerBound >= place {
      result += text[place..<edit.range.lowerBound]
      result += edit.bytes
      place = edit.range.upperBound
    }
    return result + text[place...]
  }
}

/// The ranges of a text that are already claimed; the first claim wins. It uses one bit for each
/// byte of the text.
package struct ClaimedRanges {
  private var words: [UInt64]

  /// Creates an empty set of claims for a text of `count` bytes.
  package init(of count: Int) { words = [UInt64](repeating: 0, count: (count + 63) / 64) }

  /// Whether no byte of a range is claimed.
  package func isFree(_ range: Range<Int>) -> Bool {
    Self.masks(of: range).allSatisfy { words[$0.word] & $0.mask == 0 }
  }

  /// Claims a range if it is free, and returns whether it was free.
  package mutating func take(_ range: Range<Int>) -> Bool {
    guard isFree(range) else { return false }
    for (word, mask) in Self.masks(of: range) { words[word] |= mask }
    return true
  }

  /// Returns the words that contain a range, each with the mask of the range's bits.
  private static func masks(of range: Range<Int>) -> some Sequence<(word: Int, mask: UInt64)> {
    let words = range.isEmpty ? 0..<0 : range.lowerBound / 64..<(range.upperBound - 1) / 64 + 1
    Work.read(words.count)
    return words.lazy.map { word in
      let bits = range.clamped(to: word * 64..<word * 64 + 64)
      let mask = bits.count == 64 ? UInt64.max : (1 << UInt64(bits.count) - 1)
      return (word, mask << UInt64(bits.lowerBound - word * 64))
    }
  }
}
