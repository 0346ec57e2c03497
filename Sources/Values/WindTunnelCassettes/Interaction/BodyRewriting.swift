package import Foundation

/// The rewriting of a body part by part, from its beginning to its end, with no more in memory than
/// one part. The pieces in which it came keep their times.
package struct BodyRewriting {
  private let body: Body
  /// The body as it is now, as far as it was passed; `nil` as long as it is as it was.
  private var copy: Spool?
  /// The number of bytes that were passed.
  private var passed = 0
  private var pieces: RefittedPieces

  /// Begins at the first byte of a body and its pieces.
  package init(_ body: Body, _ timing: Timing?) {
    (self.body, pieces) = (body, RefittedPieces(timing?.chunks ?? []))
  }

  /// Keeps the bytes up to a place as they are.
  package mutating func keep(to place: Int) {
    guard place > passed else { return }
    pieces.keep(place - passed)
    if copy != nil { append(passed..<place) }
    passed = place
  }

  /// Puts others in the place of the bytes from a place on, behind those that stay as they are.
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
    // What is the same at the beginning is no part of the change, nor are lines at the end.
    let (start, same) = Self.sameEnds(of: part, other)
    let lines = part.suffix(same).firstIndex(of: 0x0A).map { part.endIndex - $0 - 1 } ?? 0
    pieces.keep(start)
    pieces.replace(
      Data(part.dropFirst(start).dropLast(lines)),
      by: Data(other.dropFirst(start).dropLast(lines))
    )
    pieces.keep(lines)
  }

  /// Returns the body as it is now and has the pieces add up to it; `nil` where nothing was
  /// replaced.
  package mutating func finish(_ timing: inout Timing?) -> Body? {
    keep(to: body.count)
    guard var copy else { return nil }
    if let chunks = pieces.finish() { timing?.chunks = chunks }
    return copy.body()
  }

  /// Returns the number of bytes that two texts have in common at their beginnings, and of the rest
  /// at their ends.
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

/// The pieces of a body that is replaced part by part, from its beginning to its end.
///
/// A piece that ended with a line ends with it again; inside a line it ends at the same distance
/// from its beginning. Where lines of a part came or went, the pieces keep their shares of it.
struct RefittedPieces {
  private let old: [Timing.Chunk]
  private var new: [Timing.Chunk] = []
  /// The number of the next piece.
  private var next = 0
  /// The number of bytes before the next piece, as it was and as it is now.
  private var (before, after) = (0, 0)
  /// The number of bytes that were passed, as they were and as they are now.
  private var (passed, kept) = (0, 0)

  /// Begins with the pieces of a body as it was.
  init(_ chunks: [Timing.Chunk]) { old = chunks }

  /// Goes on behind bytes that stay as they are.
  mutating func keep(_ count: Int) { pass(count, as: count) { $0 } }

  /// Goes on behind a part that is another one now.
  mutating func replace(_ part: Data, by other: Data) {
    // Without pieces there is nothing to fit.
    guard !old.isEmpty else { return }
    let (oldLines, newLines) = (Self.lines(part), Self.lines(other))
    // The pieces follow each other, and so do the lines that they end in.
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

  /// Returns the pieces as they are now; `nil` where they were never those of the body.
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

  /// Returns the places at which the lines begin.
  private static func lines(_ data: Data) -> [Int] {
    Work.read(data.count)
    return [0] + data.enumerated().compactMap { $0.element == 0x0A ? $0.offset + 1 : nil }
  }
}
