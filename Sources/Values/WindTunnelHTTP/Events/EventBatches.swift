internal import Foundation

/// The parts of a streamed body that can be parsed independently.
///
/// Each part consists of whole blocks. It is about ``EventBatches/partBytes`` long, or as long as
/// one block.
package struct EventBatches: Sequence, IteratorProtocol {
  /// The target size of a part in bytes.
  package static let partBytes = 256 << 10

  private let body: Body
  private let format: EventStream.Format
  private let bytesMin: Int
  /// The maximum size of a block in bytes that can be parsed as a whole.
  package let bytesMax: Int
  private var place = 0

  /// Creates a sequence that begins at the first byte of a body.
  ///
  /// A block that is larger than the maximum is split into parts of `most + 1` bytes. The reader
  /// recognises them by that size.
  package init(
    _ body: Body,
    _ format: EventStream.Format,
    bytes least: Int = partBytes,
    atMost most: Int = Body.openedBytesMax
  ) {
    (self.body, self.format, bytesMin, bytesMax) = (body, format, least, most)
  }

  /// Creates the parts of a body; `nil` if the body is small or has no events.
  package init?(large body: Body, of headers: HeaderFields) {
    guard body.count > Spool.memoryBytesMax, let format = EventStream.Format(of: headers),
      // Only in UTF-8 is the byte of a line feed always a line feed.
      ContentType(headers["Content-Type"] ?? "").charset.map({ $0 == "utf-8" }) ?? true
    else { return nil }
    self.init(body, format)
  }

  /// Returns the range of the next part in the body, counted from 0.
  package mutating func next() -> Range<Int>? {
    let (start, count) = (place, body.count)
    guard start < count else { return nil }
    var length = Swift.min(bytesMin, bytesMax + 1)
    place = count
    while start + length < count {
      let bytes = body.bytes(start..<start + length)
      if let end = lastEnd(in: bytes), length > bytesMax || !Self.isWithinKey(bytes.prefix(end)) {
        place = start + end
        break
      }
      if length > bytesMax {
        place = start + length
        break
      }
      length = Swift.min(length * 2, bytesMax + 1)
    }
    return start..<place
  }

  /// The maximum length of a key in the text format of RFC 7468, each line of which may be an
  /// event.
  private static let keyBytesMax = 64 << 10

  /// Whether a part ends within such a key. A key is found only if it is whole.
  private static func isWithinKey(_ part: Data) -> Bool {
    let tail = part.suffix(keyBytesMax)
    guard let begin = tail.range(of: Data("-----BEGIN ".utf8), options: .backwards) else {
      return false
    }
    return tail[begin.upperBound...].range(of: Data("-----END ".utf8)) == nil
  }

  /// Returns the position after the last complete block of some bytes, independent of the following
  /// bytes.
  private func lastEnd(in data: Data) -> Int? {
    data.withUnsafeBytes { bytes in
      EventBlocks(bytes, format).map(\.range.upperBound).last { $0 < bytes.count }
    }
  }
}
