package import Foundation

/// The times at which the parts of an answer arrived, counted from the sending of the request.
public struct Timing: Sendable, Hashable {
  /// The time until the first byte of the head.
  public var firstByte: Duration
  /// The time until the last byte of the body.
  public var lastByte: Duration
  /// The pieces in which a streamed body arrived; empty where they were not recorded.
  public var chunks: [Chunk] = []

  /// One piece of a body.
  public struct Chunk: Sendable, Hashable {
    /// The length of the piece, in bytes.
    public var bytes: Int
    /// The time at which the piece arrived.
    public var offset: Duration

    /// Makes a piece of a length and a time.
    public init(bytes: Int, offset: Duration) { (self.bytes, self.offset) = (bytes, offset) }
  }

  /// Makes a timing of its times.
  public init(firstByte: Duration, lastByte: Duration, chunks: [Chunk] = []) {
    (self.firstByte, self.lastByte, self.chunks) = (firstByte, lastByte, chunks)
  }

  /// Has the pieces add up to a body again in which something was replaced.
  package mutating func refit(from old: Data, to new: Data) {
    var pieces = RefittedPieces(chunks)
    pieces.replace(old, by: new)
    chunks = pieces.finish() ?? chunks
  }

  /// Returns the times of what is left of a body when so many bytes of it do not come: the first
  /// piece comes at once, and the others at their distances from it.
  package func droppingFirst(bytes count: Int) -> Timing {
    var rest = Timing(firstByte: firstByte, lastByte: lastByte)
    var (before, past) = (0, Duration.zero)
    for chunk in chunks {
      let end = before.adding(bytes: chunk.bytes)
      if end > count {
        if rest.chunks.isEmpty { past = max(.zero, chunk.offset - firstByte) }
        rest.chunks.append(
          Chunk(bytes: end - max(before, count), offset: max(firstByte, chunk.offset - past))
        )
      }
      before = end
    }
    rest.lastByte = rest.chunks.isEmpty ? firstByte : max(firstByte, lastByte - past)
    return rest
  }
}

extension Int {
  /// Returns the sum with a count of bytes; what is too large to be counted is the largest number,
  /// and what is below zero counts for nothing. A timing made in code may say anything.
  package func adding(bytes: Int) -> Int {
    let (sum, overflows) = addingReportingOverflow(Swift.max(0, bytes))
    return overflows ? .max : sum
  }
}

/// The pieces of a body while it arrives: at most ``piecesMax``, whatever their number on the wire.
///
/// Pieces that arrive within a millisecond are one. If there are still too many, the time within
/// which they are joined grows, so that a long stream keeps its pace from its beginning to its end.
package struct ArrivingPieces {
  /// The maximum number of pieces.
  package static let piecesMax = 100_000

  package private(set) var chunks: [Timing.Chunk] = []
  /// The time within which pieces are joined.
  private var span = Duration.milliseconds(1)

  package init() {}

  /// Adds a piece that has arrived.
  package mutating func append(_ bytes: Int, at offset: Duration) {
    if let last = chunks.last, offset - last.offset < span {
      return chunks[chunks.count - 1].bytes += bytes
    }
    chunks.append(Timing.Chunk(bytes: bytes, offset: offset))
    guard chunks.count > Self.piecesMax else { return }
    // With so much time between them, half of the maximum is left.
    span = max(span * 2, (offset - chunks[0].offset) / (Self.piecesMax / 2))
    let all = chunks
    chunks.removeAll(keepingCapacity: true)
    for chunk in all { append(chunk.bytes, at: chunk.offset) }
  }
}
