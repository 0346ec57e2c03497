internal import Dispatch
internal import Foundation
internal import WindTunnel

/// The content of a request on its way out, from memory or from a file.
///
/// On the loop's thread only; a file is read on another, since a disk may take its time.
struct SentContent {
  /// The reason why a file cannot be read on.
  struct Unreadable: Error, Sendable {
    var reason: String
  }

  /// The count of bytes that are handed over at once, so that a server that does not read costs no
  /// more.
  private static let pieceBytes = 256 << 10

  private let data: Data
  private let file: OpenedFile?
  /// The count of all bytes.
  let length: Int
  private var passedCount = 0
  private var takenCount = 0

  init(_ question: HTTPClient.Question) {
    data = question.request.body.data
    file = question.file.map { OpenedFile(handle: $0.handle) }
    length = question.file?.bytes ?? data.count
  }

  /// Tells whether all of it has been handed over.
  var isPassed: Bool { passedCount == length }

  /// Begins from the start, for another connection.
  mutating func rewind() { (passedCount, takenCount) = (0, 0) }

  /// Returns the next piece of what is in memory; that of a file comes later.
  func next(_ later: @escaping @Sendable (Result<Data, Unreadable>) -> Void) -> Data? {
    let count = min(Self.pieceBytes, length - passedCount)
    guard let file else {
      let start = data.startIndex + passedCount
      return data[start..<start + count]
    }
    let offset = passedCount
    DispatchQueue.global().async {
      later(Result { () throws(Unreadable) in try file.read(count, at: offset) })
    }
    return nil
  }

  /// Notes that so many bytes were handed over.
  mutating func passed(_ count: Int) { passedCount += count }

  /// Returns the count of all that the system has taken, where that is more than before; else 0.
  mutating func taken() -> Int {
    defer { takenCount = passedCount }
    return passedCount > takenCount ? passedCount : 0
  }

  /// Closes the file, when nobody reads it any more.
  func close() {
    guard let file else { return }
    // The disk may be reading still, and the loop waits for nobody.
    DispatchQueue.global().async { file.close() }
  }

  /// A file that is read by one at a time.
  private final class OpenedFile: @unchecked Sendable {
    private let lock = NSLock()
    private let handle: FileHandle

    init(handle: FileHandle) { self.handle = handle }

    func read(_ count: Int, at offset: Int) throws(Unreadable) -> Data {
      do {
        let piece = try lock.withLock {
          try handle.seek(toOffset: UInt64(offset))
          return try handle.read(upToCount: count) ?? Data()
        }
        guard !piece.isEmpty else {
          throw Unreadable(reason: "it became shorter while it was sent")
        }
        return piece
      } catch let error as Unreadable {
        throw error
      } catch {
        throw Unreadable(reason: error.localizedDescription)
      }
    }

    func close() {
      // It was only read: nothing is lost where that fails.
      lock.withLock { try? handle.close() }
    }
  }
}
