internal import Foundation

/// The parts of a streamed body that can be read by themselves, each of whole blocks and about
/// ``EventBatches/partBytes`` long, or as long as one block is.
package struct EventBatches: Sequence, IteratorProtocol {
  /// The number of bytes from which on a part is no longer added to.
  package static let partBytes = 256 << 10

  private let body: Body
  private let format: EventStream.Format
  private let bytesMin: Int
  /// The number of bytes of the largest block that can be read by itself.
  package let bytesMax: Int
  private var place = 0

  /// Begins at the first byte of a body. A block that is larger than the most bytes comes in parts
  /// that are one byte larger than that, and whoever reads them can tell it by that.
  package init(
    _ body: Body,
    _ format: EventStream.Format,
    bytes least: Int = partBytes,
    atMost most: Int = Body.openedBytesMax
  ) {
    (self.body, self.format, bytesMin, bytesMax) = (body, format, least, most)
  }

  /// The parts of a body that is large enough to be read in parts; `nil` for any other.
  package init?(large body: Body, of headers: HeaderFields) {
    guard body.count > Spool.memoryBytesMax, let format = EventStream.Format(of: headers),
      // Only in UTF-8 is the byte of a line's end nothing else.
      ContentType(headers["Content-Type"] ?? "").charset.map({ $0 == "utf-8" }) ?? true
    else { return nil }
    self.init(body, format)
  }

  /// Returns the next part as places in the body, counted from 0.
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

  /// The greatest length of a key in the text of RFC 7468, a line of which may be an event.
  private static let keyBytesMax = 64 << 10

  /// Tells whether a part ends within a key, which is found as a whole alone.
  private static func isWithinKey(_ part: Data) -> Bool {
    let tail = part.suffix(keyBytesMax)
    guard let begin = tail.range(of: Data("-----BEGIN ".utf8), options: .backwards) else {
      return false
    }
    return tail[begin.upperBound...].range(of: Data("-----END ".utf8)) == nil
  }

  /// Returns the place behind the last block that is whole in some bytes, whatever follows them.
  private func lastEnd(in data: Data) -> Int? {
    data.withUnsafeBytes { bytes -> Int? in
      switch format {
      case .lines: bytes.lastIndex(of: 0x0A).map { $0 + 1 }
      case .sequence: bytes.lastIndex(of: 0x1E).flatMap { $0 > 0 ? $0 : nil }
      case .serverSent:
        (1..<Swift.max(1, bytes.count - 1)).last { Self.endsBlock($0, in: bytes) }.map { $0 + 1 }
      }
    }
  }

  /// Tells whether a byte, which is neither the first nor the last, ends an empty line.
  private static func endsBlock(_ place: Int, in bytes: UnsafeRawBufferPointer) -> Bool {
    let (feed, carriage) = (UInt8(ascii: "\n"), UInt8(ascii: "\r"))
    switch bytes[place] {
    // CR, LF and both of them end a line.
    case feed where bytes[place - 1] == carriage:
      return place > 1 && (bytes[place - 2] == feed || bytes[place - 2] == carriage)
    case feed: return bytes[place - 1] == feed
    case carriage where bytes[place + 1] != feed:
      return bytes[place - 1] == feed || bytes[place - 1] == carriage
    default: return false
    }
  }
}
