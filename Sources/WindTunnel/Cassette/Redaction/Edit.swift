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
    // Nearly always behind all others; else by halves.
    var (place, end) =
      (taken.last.map { $0.lowerBound < range.lowerBound } ?? true)
      ? (taken.count, taken.count) : (0, taken.count)
    while place < end {
      let middle = (place + end) / 2
      if taken[middle].lowerBound < range.lowerBound { place = middle + 1 } else { end = middle }
    }
    if place < taken.count, taken[place].lowerBound < range.upperBound { return false }
    if place > 0, taken[place - 1].upperBound > range.lowerBound { return false }
    taken.insert(range, at: place)
    return true
  }
}
