/// One stretch of a text and what shall stand there.
struct Edit {
  var range: Range<Int>
  var bytes: [UInt8]

  init(_ range: Range<Int>, _ bytes: [UInt8]) {
    self.range = range
    self.bytes = bytes
  }

  /// A text with its edits; of two that overlap, the one that comes first in the list.
  static func applied(_ edits: [Edit], to text: [UInt8]) -> [UInt8] {
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

/// A list of stretches that do not overlap: what was there first stays.
struct Stretches {
  private(set) var taken: [Range<Int>] = []

  /// Takes a stretch if nobody has any of it.
  mutating func take(_ range: Range<Int>) -> Bool {
    let place = taken.firstIndex { $0.lowerBound >= range.lowerBound } ?? taken.count
    if place < taken.count, taken[place].lowerBound < range.upperBound { return false }
    if place > 0, taken[place - 1].upperBound > range.lowerBound { return false }
    taken.insert(range, at: place)
    return true
  }
}
