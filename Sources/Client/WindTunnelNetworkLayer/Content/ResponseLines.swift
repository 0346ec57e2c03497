internal import Foundation

extension StreamedResponse {
  /// The content as lines of UTF-8.
  public var lines: ResponseLines { ResponseLines(pieces: pieces) }
}

/// The lines of a response as they arrive, without line ends: LF, or CR LF.
public struct ResponseLines: AsyncSequence, Sendable {
  /// The maximum length of a line in bytes. A longer line fails with ``DecodeFault``.
  public static let bytesMax = 1 << 20

  /// One line of the content.
  public typealias Element = String

  fileprivate let pieces: AsyncThrowingStream<Data, any Error>

  /// Creates an iterator at the stream's current position.
  public func makeAsyncIterator() -> Iterator { Iterator(pieces: pieces.makeAsyncIterator()) }

  /// An iterator that reads pieces until a line is complete.
  public struct Iterator: AsyncIteratorProtocol {
    fileprivate var pieces: AsyncThrowingStream<Data, any Error>.Iterator
    fileprivate var bytes: [UInt8] = []
    /// The index of the first byte that was not returned.
    fileprivate var start = 0
    /// The index up to which there is no line end.
    fileprivate var searched = 0
    fileprivate var isOver = false

    /// Returns the next line; `nil` at the end of the content.
    ///
    /// Bytes after the last line end are a line, unless there are none.
    @concurrent public mutating func next() async throws -> String? {
      while true {
        if let end = bytes[searched...].firstIndex(of: 0x0A) {
          defer { (start, searched) = (end + 1, end + 1) }
          return try line(until: end)
        }
        searched = bytes.count
        if isOver || bytes.count - start > ResponseLines.bytesMax { break }
        // Returned bytes are removed before the next piece arrives, so that each byte is moved
        // once.
        bytes.removeFirst(start)
        (searched, start) = (bytes.count, 0)
        if let piece = try await pieces.next() { bytes += piece } else { isOver = true }
      }
      defer { (bytes, start, searched) = ([], 0, 0) }
      return start < bytes.count ? try line(until: bytes.count) : nil
    }

    private func line(until end: Int) throws(DecodeFault) -> String {
      var line = bytes[start..<end]
      if line.last == 0x0D, end < bytes.count { line.removeLast() }
      if line.count > ResponseLines.bytesMax {
        throw .content("A line is longer than \(ResponseLines.bytesMax) bytes.")
      }
      return String(decoding: line, as: UTF8.self)
    }
  }
}
