package import Foundation

/// Bytes that came and were not read yet, or were written and not yet taken by the system.
///
/// Reading moves a mark; memory moves only when half of it is spent, so that feeding byte by
/// byte and reading line by line both stay linear.
package struct ByteQueue {
  private var bytes: [UInt8] = []
  private var start = 0
  /// Before this place there is no line feed.
  private var searched = 0

  /// An empty queue keeps this much memory; ten thousand of them must fit.
  private static let keptBytesMax = 16 * 1024

  package init() {}

  package var count: Int { bytes.count - start }
  package var isEmpty: Bool { start == bytes.count }

  package mutating func append(_ new: UnsafeRawBufferPointer) {
    makeRoom()
    bytes.append(contentsOf: new)
  }

  package mutating func append(_ data: Data) { data.withUnsafeBytes { append($0) } }

  /// Lets a serialiser write at the end.
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

  /// Sends what the system takes.
  mutating func send(to socket: Socket) -> Socket.Transfer {
    let result = peek(count) { socket.write(UnsafeRawBufferPointer($0)) }
    if case .bytes(let count) = result {
      skip(count)
      if isEmpty { removeAll() }
    }
    return result
  }

  /// Returns the next line's length with its line feed, if the line is whole.
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

  /// Lends the first bytes without spending them.
  func peek<Result, Failure: Error>(
    _ length: Int,
    _ body: (UnsafeBufferPointer<UInt8>) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    try bytes.withUnsafeBufferPointer { all throws(Failure) -> Result in
      try body(UnsafeBufferPointer(rebasing: all[start..<start + length]))
    }
  }

  /// Spends the first bytes.
  package mutating func skip(_ length: Int) {
    start += length
    searched = max(searched, start)
  }

  /// Takes at most this many bytes out.
  package mutating func take(atMost length: Int) -> Data {
    let length = min(length, count)
    let data = peek(length) { Data(buffer: $0) }
    skip(length)
    return data
  }

  package subscript(offset: Int) -> UInt8 { bytes[start + offset] }
}
