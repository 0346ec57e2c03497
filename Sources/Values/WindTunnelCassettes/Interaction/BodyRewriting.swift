package import Foundation

/// A rewriter that replaces parts of a body from beginning to end, with only one part in memory.
///
/// The chunks of the timing keep their times.
package struct BodyRewriting {
  private let body: Body
  /// The new body so far; `nil` while nothing has changed.
  private var copy: Spool?
  /// The number of old bytes processed so far.
  private var passed = 0
  private var pieces: RefittedPieces

  /// Creates a rewriter at the first byte of a body, with the chunks of its timing.
  package init(_ body: Body, _ timing: Timing?) {
    (self.body, pieces) = (body, RefittedPieces(timing?.chunks ?? []))
  }

  /// Keeps the bytes up to a position unchanged.
  package mutating func keep(to place: Int) {
    guard place > passed else { return }
    pieces.keep(place - passed)
    if copy != nil { append(passed..<place) }
    passed = place
  }

  /// Replaces a range of bytes, and keeps the bytes before it unchanged.
  package mutating func replace(_ range: Range<Int>, by other: Data) {
    keep(to: range.lowerBound)
    let part = body.bytes(range)
    passed = range.upperBound
    guard part != other else {
      pieces.keep(range.count)
      copy?.append(part)
      return
    }
    if copy == nil {
      copy = Spool()
      append(0..<range.lowerBound)
    }
    copy?.append(other)
    // Equal bytes at the beginning and equal lines at the end are not part of the change.
    let (start, same) = Self.sameEnds(of: part, other)
    let lines = part.suffix(same).firstIndex(of: 0x0A).map { part.endIndex - $0 - 1 } ?? 0
    pieces.keep(start)
    pieces.replace(
      Data(part.dropFirst(start).dropLast(lines)),
      by: Data(other.dropFirst(start).dropLast(lines))
    )
    pieces.keep(lines)
  }

  /// Returns the new body and updates the chunks of the timing; `nil` if nothing was replaced.
  package mutating func finish(_ timing: inout Timing?) -> Body? {
    keep(to: body.count)
    guard var copy else { return nil }
    if let chunks = pieces.finish() { timing?.chunks = chunks }
    return copy.body()
  }

  /// Returns the number of equal bytes at the beginning of two texts, and of equal bytes at the end
  /// of the rest.
  private static func sameEnds(of one: Data, _ other: Data) -> (first: Int, last: Int) {
    one.withUnsafeBytes { one in
      other.withUnsafeBytes { other in
        let most = min(one.count, other.count)
        var (first, last) = (0, 0)
        while first < most, one[first] == other[first] { first += 1 }
        while last < most - first, one[one.count - 1 - last] == other[other.count - 1 - last] {
          last += 1
        }
        Work.read(first + last)
        return (first, last)
      }
    }
  }

  private mutating func append(_ range: Range<Int>) {
    for start in stride(from: range.lowerBound, to: range.upperBound, by: Body.pieceBytes) {
      copy?.append(body.bytes(start..<min(start + Body.pieceBytes, range.upperBound)))
    }
  }
}

/// The chunks of a body that is rewritten part by part, from beginning to end.
///
/// A chunk that ended with a line still does. Within a line, it ends at the same distance from the
/// line's beginning. If lines of a part are added or removed, the chunks keep their proportions.
struct RefittedPieces {
  private let old: [Timing.Chunk]
  private var new: [Timing.Chunk] = []
  /// The index of the next chunk.
  private var next = 0
  /// The number of bytes before the next chunk, in the old and the new body.
  private var (before, after) = (0, 0)
  /// The number of processed bytes, in the old and the new body.
  private var (passed, kept) = (0, 0)

  /// Begins with the chunks of the old body.
  init(_ chunks: [Timing.Chunk]) { old = chunks }

  /// Continues after unchanged bytes.
  mutating func keep(_ count: Int) { pass(count, as: count) { $0 } }

  /// Continues after a replaced part.
  mutating func replace(_ part: Data, by other: Data) {
    // Without chunks, there is nothing to update.
    guard !old.isEmpty else { return }
    let (oldLines, newLines) = (Self.lines(part), Self.lines(other))
    // Chunks are in ascending order, and so are the lines in which they end.
    var line = 0
    pass(part.count, as: other.count) { place in
      guard place < part.count else { return other.count }
      guard oldLines.count == newLines.count else { return place * other.count / part.count }
      while line + 1 < oldLines.count, oldLines[line + 1] <= place {
        Work.read(1)
        line += 1
      }
      let end = line + 1 < newLines.count ? newLines[line + 1] : other.count
      return min(newLines[line] + place - oldLines[line], end)
    }
  }

  /// Returns the new chunks; `nil` if the old ones did not match the body.
  consuming func finish() -> [Timing.Chunk]? {
    guard !old.isEmpty, before == passed, old.reduce(0, { $0.adding(bytes: $1.bytes) }) == passed
    else { return nil }
    return new
  }

  private mutating func pass(_ count: Int, as other: Int, _ place: (Int) -> Int) {
    while next < old.count {
      Work.read(1)
      let end = before.adding(bytes: old[next].bytes)
      guard end <= passed + count else { break }
      let moved = kept + place(end - passed)
      let bytes = max(0, moved - after)
      if bytes > 0 { new.append(Timing.Chunk(bytes: bytes, offset: old[next].offset)) }
      (before, after, next) = (end, max(after, moved), next + 1)
    }
    (passed, kept) = (passed + count, kept + other)
  }

  /// Returns the positions at which the lines begin.
  private static func lines(_ data: Data) -> [Int] {
    Work.read(data.count)
    return [0] + data.enumerated().compactMap { $0.element == 0x0A ? $0.offset + 1 : nil }
  }
}
