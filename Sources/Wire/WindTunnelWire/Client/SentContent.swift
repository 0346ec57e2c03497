internal import Dispatch
package import Foundation
internal import WindTunnelCore
internal import WindTunnelHTTP

/// The content of a request that is being sent: from memory, from a file, or while it arrives.
///
/// On the loop's thread only; a file is read on another, since a disk may take its time.
package struct SentContent {
  /// Runs a job on the loop's thread.
  package typealias Post = @Sendable (@escaping @Sendable () -> Void) -> Void

  private enum Source {
    case data(Data)
    case file(FileHandle, DispatchQueue, Post)
    case upload(StreamedContent)
  }

  /// The number of bytes that are handed over at once, so that a server that does not read costs no
  /// more.
  private static let pieceBytes = 256 << 10

  private let source: Source
  /// The number of all bytes; `nil` if only the end tells.
  package let length: Int?
  /// The number of bytes that were handed over.
  private(set) var passedBytes = 0
  private var isEndPassed = false

  package init(_ data: Data) { (source, length) = (.data(data), data.count) }

  package init(_ upload: StreamedContent) { (source, length) = (.upload(upload), upload.length) }

  /// Creates content from a file that is open at any place.
  package init(_ handle: FileHandle, bytes: Int, _ post: @escaping Post) {
    (source, length) = (.file(handle, DispatchQueue(label: "windtunnel.content"), post), bytes)
  }

  /// Whether all of it was handed over.
  var isPassed: Bool { if case .upload = source { isEndPassed } else { passedBytes == length } }

  /// Whether its sender is waited for, and not the server.
  package func isMissing(on channel: Channel) -> Bool {
    guard case .upload(let upload) = source, channel.queuedBytes == 0 else { return false }
    return !upload.isWhole && upload.waiting.isEmpty
  }

  /// Starts again, for another connection.
  mutating func rewind() { passedBytes = 0 }

  /// Writes what is in memory, as fast as the server takes it.
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

  /// Whether content is left that is read from a file.
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
    guard !piece.isEmpty else { throw .unreadable("it became shorter while it was sent") }
    return piece
  }

  /// Closes the file after the last read.
  package func close() {
    guard case .file(let file, let disk, _) = source else { return }
    // It was only read: nothing is lost if that fails.
    disk.async { try? file.close() }
  }
}

/// The content of a request that is never here as a whole: it goes on to the upstream while it
/// comes, or is thrown away where nobody wants it.
package final class StreamedContent {
  /// Requests of up to so much content are read whole first, so that they can be sent once more.
  package static let wholeBytesMax = 256 * 1024

  /// The count of its bytes; `nil` where only the end tells.
  fileprivate let length: Int?
  /// Tells whether it goes on.
  package let isPassedOn: Bool
  /// The bytes that came and were not passed on yet.
  fileprivate var waiting = ByteQueue()
  /// Tells whether all of it has come.
  package var isWhole = false

  package init(_ framing: Framing, isPassedOn: Bool) {
    length = if case .length(let length) = framing { length } else { nil }
    self.isPassedOn = isPassedOn
  }

  /// Tells whether the client has to wait.
  package func isFull(_ limits: Limits) -> Bool { waiting.count > limits.queuedBytesMax }

  package func append(_ data: Data) { if isPassedOn { waiting.append(data) } }
}
