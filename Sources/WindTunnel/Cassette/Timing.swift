/// When the parts of an answer came, counted from the moment the request was sent.
public struct Timing: Sendable, Hashable {
  /// Until the first byte of the head.
  public var firstByte: Duration
  /// Until the last byte of the body.
  public var lastByte: Duration
  /// The pieces a streamed body came in; empty where that was not recorded.
  public var chunks: [Chunk] = []

  /// One piece of a body.
  public struct Chunk: Sendable, Hashable {
    /// Its length.
    public var bytes: Int
    /// When it came.
    public var offset: Duration

    /// Makes a piece.
    public init(bytes: Int, offset: Duration) {
      self.bytes = bytes
      self.offset = offset
    }
  }

  /// Makes a timing.
  public init(firstByte: Duration, lastByte: Duration, chunks: [Chunk] = []) {
    self.firstByte = firstByte
    self.lastByte = lastByte
    self.chunks = chunks
  }
}

extension Int {
  /// The sum with a count of bytes; what is too large to be counted is the largest number, and what
  /// is below zero counts for nothing. A timing made in code may say anything.
  func adding(bytes: Int) -> Int {
    let (sum, overflows) = addingReportingOverflow(Swift.max(0, bytes))
    return overflows ? .max : sum
  }
}
