/// One stretch of a text and what shall stand there.
package struct Edit {
  package var range: Range<Int>
  package var bytes: [UInt8]

  package init(_ range: Range<Int>, _ bytes: [UInt8]) {
    self.range = range
    self.bytes = bytes
  }

  /// A text with its edits; of two that overlap, the one that comes first in the list.
  package static func applied(_ edits: [Edit], to text: [UInt8]) -> [UInt8] {
    var result: [UInt8] = []
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

/// The stretches of a text that somebody has: what was there first stays.
package struct ClaimedRanges {
  private var isTaken: [Bool]

  /// Begins with a text of so many bytes that nobody has anything of.
  package init(of count: Int) { isTaken = [Bool](repeating: false, count: count) }

  /// Tells whether nobody has any of a stretch.
  package func isFree(_ range: Range<Int>) -> Bool { !isTaken[range].contains(true) }

  /// Takes a stretch if nobody has any of it.
  package mutating func take(_ range: Range<Int>) -> Bool {
    if isTaken[range].contains(true) { return false }
    for place in range { isTaken[place] = true }
    return true
  }
}
