internal import Foundation

extension StreamedAnswer {
  /// The content as lines of UTF-8.
  public var lines: AnswerLines { AnswerLines(pieces: pieces) }
}

/// The lines of an answer as they arrive, without their ends: line feeds, or carriage returns and
/// line feeds.
public struct AnswerLines: AsyncSequence, Sendable {
  /// The greatest length of a line in bytes; a longer one fails with ``DecodeFault``.
  public static let bytesMax = 1 << 20

  /// One line of the content.
  public typealias Element = String

  fileprivate let pieces: AsyncThrowingStream<Data, any Error>

  /// Makes an iterator at the stream's current position.
  public func makeAsyncIterator() -> Iterator { Iterator(pieces: pieces.makeAsyncIterator()) }

  /// An iterator that reads pieces until a line is complete.
  public struct Iterator: AsyncIteratorProtocol {
    private var pieces: AsyncThrowingStream<Data, any Error>.Iterator
    private var bytes = Data()
    /// The number of bytes that hold no end of a line.
    private var searched = 0
    private var isOver = false

    fileprivate init(pieces: AsyncThrowingStream<Data, any Error>.Iterator) {
      self.pieces = pieces
    }

    /// Returns the next line; `nil` at the end of the content. What follows the last end of a line
    /// is a line, unless it is empty.
    @concurrent public mutating func next() async throws -> String? {
      while true {
        if let end = bytes.dropFirst(searched).firstIndex(of: 0x0A) {
          var line = bytes[bytes.startIndex..<end]
          if line.last == 0x0D { line.removeLast() }
          // A copy: a slice would keep all that has been read.
          bytes = Data(bytes[(end + 1)...])
          searched = 0
          return String(decoding: line, as: UTF8.self)
        }
        searched = bytes.count
        if searched > AnswerLines.bytesMax {
          throw DecodeFault.content("A line is longer than \(AnswerLines.bytesMax) bytes.")
        }
        guard !isOver, let piece = try await pieces.next() else {
          isOver = true
          defer { (bytes, searched) = (Data(), 0) }
          return bytes.isEmpty ? nil : String(decoding: bytes, as: UTF8.self)
        }
        bytes += piece
      }
    }
  }
}
