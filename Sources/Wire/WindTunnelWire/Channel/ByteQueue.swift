package import Foundation

/// Received bytes that have not been read, or written bytes that the system has not accepted.
///
/// Reading only moves a position. Memory is moved when half of it is consumed, so that feeding byte
/// by byte and reading line by line are both linear.
package struct ByteQueue {
  private var bytes: [UInt8] = []
  private var start = 0
  /// There is no line feed before this position.
  private var searched = 0

  /// The maximum memory that an empty queue keeps; ten thousand queues must fit into memory.
  private static let keptBytesMax = 16 * 1024

  package init() {}

  package var count: Int { bytes.count - start }
  package var isEmpty: Bool { start == bytes.count }

  package mutating func append(_ new: UnsafeRawBufferPointer) {
    makeRoom()
    bytes.append(contentsOf: new)
  }

  package mutating func append(_ data: Data) { data.withUnsafeBytes { append($0) } }

  /// Lets a serialiser append bytes.
  mutating func write(_ body: (inout [UInt8]) -> Void) {
    makeRoom()
    body(&bytes)
  }

  private mutating func makeRoom() {
    guard start > 0 else { return }
    if isEmpty { return removeAll() }
    guard start > bytes.count / 2 else { return }
    bytes.removeSubrange(..<start)
    (searched, start) = (max(searched - start, 0), 0)
  }

  /// Removes all bytes, and keeps memory up to a limit.
  mutating func removeAll(keeping most: Int = keptBytesMax) {
    bytes.removeAll(keepingCapacity: bytes.capacity <= most)
    (start, searched) = (0, 0)
  }

  /// Writes bytes to a socket and removes the bytes that the system accepts.
  mutating func send(to socket: Socket) -> Socket.Transfer {
    let result = peek(count) { socket.write(UnsafeRawBufferPointer($0)) }
    if case .bytes(let count) = result {
      skip(count)
      if isEmpty { removeAll() }
    }
    return result
  }

  /// Returns the length of the next line including its line feed; `nil` if the line is incomplete.
  mutating func lineLength() -> Int? {
    searched = max(searched, start)
    let found = bytes.withUnsafeBufferPointer { all -> Int? in
      guard searched < all.count, let base = all.baseAddress else { return nil }
      guard let hit = memchr(base + searched, 0x0A, all.count - searched) else { return nil }
      return UnsafeRawPointer(hit) - UnsafeRawPointer(base)
    }
    guard let found else {
      searched = bytes.count
      return nil
    }
    searched = found
    return found - start + 1
  }

  /// Passes the first bytes to a function without removing them.
  func peek<Result, Failure: Error>(
    _ length: Int,
    _ body: (UnsafeBufferPointer<UInt8>) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    try bytes.withUnsafeBufferPointer { all throws(Failure) -> Result in
      try body(UnsafeBufferPointer(rebasing: all[start..<start + length]))
    }
  }

  /// Removes the first bytes.
  package mutating func skip(_ length: Int) {
    start += length
    searched = max(searched, start)
  }

  /// Removes and returns at most `length` bytes.
  package mutating func take(atMost length: Int) -> Data {
    let length = min(length, count)
    let data = peek(length) { Data(buffer: $0) }
    skip(length)
    return data
  }

  package subscript(offset: Int) -> UInt8 { bytes[start + offset] }
}
