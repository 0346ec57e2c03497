internal import Dispatch
package import Foundation
internal import WindTunnelHTTP

/// The content of a request being sent: from memory, from a file, or while it is received.
///
/// On the loop's thread only. A file is read on another thread, because reading may block.
package struct SentContent {
  /// Runs a job on the loop's thread.
  package typealias Post = @Sendable (@escaping @Sendable () -> Void) -> Void

  private enum Source {
    case data(Data)
    case file(FileHandle, DispatchQueue, Post)
    case upload(StreamedContent)
  }

  /// The number of bytes that are written at once. It limits the memory for a server that does not
  /// read.
  private static let pieceBytes = 256 << 10

  private let source: Source
  /// The total number of bytes; `nil` if it is unknown until the end.
  package let length: Int?
  /// The number of bytes written so far.
  private(set) var passedBytes = 0
  private var isEndPassed = false

  package init(_ data: Data) { (source, length) = (.data(data), data.count) }

  package init(_ upload: StreamedContent) { (source, length) = (.upload(upload), upload.length) }

  /// Creates content from a file that was opened at any position.
  package init(_ handle: FileHandle, bytes: Int, _ post: @escaping Post) {
    (source, length) = (.file(handle, DispatchQueue(label: "windtunnel.content"), post), bytes)
  }

  /// Whether all content was written.
  var isPassed: Bool { if case .upload = source { isEndPassed } else { passedBytes == length } }

  /// Whether the exchange waits for the sender of the content rather than for the server.
  package func isMissing(on channel: Channel) -> Bool {
    guard case .upload(let upload) = source, channel.queuedBytes == 0 else { return false }
    return !upload.isWhole && upload.waiting.isEmpty
  }

  /// Starts again from the beginning, for another connection.
  mutating func rewind() { passedBytes = 0 }

  /// Writes content in memory as fast as the server accepts it.
  package mutating func pass(on channel: Channel) {
    while !channel.isCongested, let piece = next() { pass(piece, on: channel) }
    guard case .upload(let upload) = source, upload.isWhole, upload.waiting.isEmpty, !isEndPassed
    else { return }
    isEndPassed = true
    if length == nil { channel.write { $0.appendLastChunk() } }
  }

  /// Writes a piece of the content.
  package mutating func pass(_ piece: Data, on channel: Channel) {
    passedBytes += piece.count
    if length == nil { channel.write { $0.appendChunk(piece) } } else { channel.write(piece) }
    channel.notifyWhenDrained()
  }

  private func next() -> Data? {
    switch source {
    case .data(let data) where !isPassed: data.dropFirst(passedBytes).prefix(Self.pieceBytes)
    case .upload(let upload) where !upload.waiting.isEmpty:
      upload.waiting.take(atMost: Self.pieceBytes)
    case .data, .upload, .file: nil
    }
  }

  /// Whether the remaining content must be read from a file.
  var isInFile: Bool { if case .file = source { !isPassed } else { false } }

  /// Reads the next piece of a file; `done` is called on the loop's thread.
  func readPiece(_ done: @escaping @Sendable (Result<Data, ExchangeFailure>) -> Void) {
    guard case .file(let file, let disk, let post) = source, let length else { return }
    let (offset, count) = (passedBytes, min(Self.pieceBytes, length - passedBytes))
    disk.async {
      let piece = Result { () throws(ExchangeFailure) in try Self.read(file, count, at: offset) }
      post { done(piece) }
    }
  }

  private static func read(
    _ file: FileHandle,
    _ count: Int,
    at offset: Int
  ) throws(ExchangeFailure) -> Data {
    let piece: Data
    do {
      try file.seek(toOffset: UInt64(offset))
      piece = try file.read(upToCount: count) ?? Data()
    } catch {
      throw .unreadable(error.localizedDescription)
    }
    guard !piece.isEmpty else { throw .unreadable("it was truncated while it was sent") }
    return piece
  }

  /// Closes the file after the last read.
  package func close() {
    guard case .file(let file, let disk, _) = source else { return }
    // The file was only read, so nothing is lost if closing fails.
    disk.async { try? file.close() }
  }
}

/// The content of a request that is never in memory as a whole: it is forwarded to the upstream
/// while it is received, or discarded.
package final class StreamedContent {
  /// The maximum size in bytes of content that is read completely first, so that the request can be
  /// sent again.
  package static let wholeBytesMax = 256 * 1024

  /// The number of bytes; `nil` if it is unknown until the end.
  fileprivate let length: Int?
  /// Whether the content is forwarded.
  package let isPassedOn: Bool
  /// The bytes that were received but not forwarded yet.
  fileprivate var waiting = ByteQueue()
  /// Whether all content was received.
  package var isWhole = false

  package init(_ framing: Framing, isPassedOn: Bool) {
    length = if case .length(let length) = framing { length } else { nil }
    self.isPassedOn = isPassedOn
  }

  /// Whether the client must wait.
  package func isFull(_ limits: Limits) -> Bool { waiting.count > limits.queuedBytesMax }

  package func append(_ data: Data) { if isPassedOn { waiting.append(data) } }
}
