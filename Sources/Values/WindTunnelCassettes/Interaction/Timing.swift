package import Foundation

/// The times at which the parts of a response arrived, relative to sending the request.
public struct Timing: Sendable, Hashable {
  /// The time until the first byte of the head.
  public var firstByte: Duration
  /// The time until the last byte of the body.
  public var lastByte: Duration
  /// The chunks in which a streamed body arrived; empty if they were not recorded.
  public var chunks: [Chunk] = []

  /// One chunk of a body.
  public struct Chunk: Sendable, Hashable {
    /// The length of the chunk in bytes.
    public var bytes: Int
    /// The time at which the chunk arrived.
    public var offset: Duration

    /// Creates a chunk with a length and a time.
    public init(bytes: Int, offset: Duration) { (self.bytes, self.offset) = (bytes, offset) }
  }

  /// Creates a timing from its times.
  public init(firstByte: Duration, lastByte: Duration, chunks: [Chunk] = []) {
    (self.firstByte, self.lastByte, self.chunks) = (firstByte, lastByte, chunks)
  }

  /// Updates the chunks for a body whose content was replaced.
  package mutating func refit(from old: Data, to new: Data) {
    var pieces = RefittedPieces(chunks)
    pieces.replace(old, by: new)
    chunks = pieces.finish() ?? chunks
  }

  /// Returns the timing of a body without its first `count` bytes.
  ///
  /// The first remaining chunk arrives at once, and the others keep their distances from it.
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
  /// Returns the sum with a number of bytes. An overflow gives `Int.max`, and a negative number is
  /// ignored.
  ///
  /// A timing created in code may contain any number.
  package func adding(bytes: Int) -> Int {
    let (sum, overflows) = addingReportingOverflow(Swift.max(0, bytes))
    return overflows ? .max : sum
  }
}

/// The chunks of a body while it is received: at most ``piecesMax``, independent of their number on
/// the wire.
///
/// Chunks that arrive within a millisecond are joined. If there are still too many, this time span
/// grows. So a long stream keeps its pace from beginning to end.
package struct ArrivingPieces {
  /// The maximum number of chunks.
  package static let piecesMax = 100_000

  package private(set) var chunks: [Timing.Chunk] = []
  /// The time span within which chunks are joined.
  private var span = Duration.milliseconds(1)

  package init() {}

  /// Adds a received chunk.
  package mutating func append(_ bytes: Int, at offset: Duration) {
    if let last = chunks.last, offset - last.offset < span {
      return chunks[chunks.count - 1].bytes += bytes
    }
    chunks.append(Timing.Chunk(bytes: bytes, offset: offset))
    guard chunks.count > Self.piecesMax else { return }
    // With this span between chunks, at most half of the maximum remains.
    span = max(span * 2, (offset - chunks[0].offset) / (Self.piecesMax / 2))
    let all = chunks
    chunks.removeAll(keepingCapacity: true)
    for chunk in all { append(chunk.bytes, at: chunk.offset) }
  }
}
