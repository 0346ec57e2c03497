internal import Foundation

/// Bytes that came and were not read yet.
///
/// Reading moves a mark; memory moves only when half of it is spent, so that feeding byte by
/// byte and reading line by line both stay linear.
struct ByteQueue {
  private var bytes: [UInt8] = []
  private var start = 0
  /// Before this place there is no line feed.
  private var searched = 0

  /// An empty queue keeps this much memory; ten thousand of them must fit.
  private static let keptBytesMax = 16 * 1024

  var count: Int { bytes.count - start }
  var isEmpty: Bool { count == 0 }

  mutating func append(_ new: UnsafeRawBufferPointer) {
    if start == bytes.count {
      bytes.removeAll(keepingCapacity: bytes.capacity <= Self.keptBytesMax)
      (start, searched) = (0, 0)
    } else if start > bytes.count / 2 {
      bytes.removeSubrange(..<start)
      (searched, start) = (searched - start, 0)
    }
    bytes.append(contentsOf: new)
  }

  mutating func append(_ data: Data) { data.withUnsafeBytes { append($0) } }

  /// The next line's length with its line feed, if the line is whole.
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
    _ body: (Bytes) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    try bytes.withUnsafeBufferPointer { all throws(Failure) -> Result in
      try body(all.part(start..<start + length))
    }
  }

  /// Spends the first bytes.
  mutating func skip(_ length: Int) {
    start += length
    searched = max(searched, start)
  }

  /// Takes at most this many bytes out.
  mutating func take(atMost length: Int) -> Data {
    let length = min(length, count)
    let data = peek(length) { Data(buffer: $0) }
    skip(length)
    return data
  }

  subscript(offset: Int) -> UInt8 { bytes[start + offset] }
}
