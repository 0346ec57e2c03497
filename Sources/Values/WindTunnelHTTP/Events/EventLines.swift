package import Foundation

/// The lines of server-sent events (WHATWG HTML §9.2.5), each of which is a field, a comment or the
/// end of a block.
package struct EventLines: Sequence, IteratorProtocol {
  /// One line and what it says, as places in the bytes.
  package struct Line {
    /// The bytes of the name; empty in a comment.
    package var name: Range<Int>
    /// The bytes of the value, without the colon and one space behind it.
    package var value: Range<Int>
    /// The place behind the line's end.
    package var end: Int

    /// Tells whether it ends a block.
    package var isEmpty: Bool { name.isEmpty && value.lowerBound == name.lowerBound }

    /// Returns the name of the field; nothing for one that is none of the standard's.
    package func name(in bytes: UnsafeRawBufferPointer) -> String {
      // No name of the standard's is longer.
      name.count <= 5 ? String(decoding: bytes[name], as: UTF8.self) : ""
    }

    /// Returns the value as a text.
    package func text(in bytes: UnsafeRawBufferPointer) -> String {
      String(decoding: bytes[value], as: UTF8.self)
    }
  }

  /// The place of the first line.
  package let start: Int

  private let bytes: UnsafeRawBufferPointer
  private var place: Int
  /// The places of the next LF and the next CR; those behind the last byte: there is none.
  private var (feed, carriage) = (-1, -1)

  /// Begins at the first byte; the bytes outlive this.
  package init(_ bytes: UnsafeRawBufferPointer) {
    // A mark of byte order may come first, once.
    start = bytes.starts(with: [0xEF, 0xBB, 0xBF]) ? 3 : 0
    (self.bytes, place) = (bytes, start)
  }

  /// Returns the next line that has its end.
  package mutating func next() -> Line? {
    if feed < place { feed = Self.find(0x0A, in: bytes, from: place) }
    if carriage < place { carriage = Self.find(0x0D, in: bytes, from: place) }
    let end = Swift.min(feed, carriage)
    guard end < bytes.count else { return nil }
    let start = place
    // CR, LF and both of them end a line.
    place = feed == carriage + 1 && feed < bytes.count ? end + 2 : end + 1
    let colon = Self.find(UInt8(ascii: ":"), in: bytes, from: start, to: end)
    guard colon < end else { return Line(name: start..<end, value: end..<end, end: place) }
    let isSpaced = colon + 1 < end && bytes[colon + 1] == UInt8(ascii: " ")
    return Line(name: start..<colon, value: colon + (isSpaced ? 2 : 1)..<end, end: place)
  }

  /// Returns the first place of a byte; the end where there is none.
  private static func find(
    _ byte: UInt8,
    in bytes: UnsafeRawBufferPointer,
    from start: Int,
    to end: Int? = nil
  ) -> Int {
    let end = end ?? bytes.count
    guard start < end, let base = bytes.baseAddress,
      let found = memchr(base + start, Int32(byte), end - start)
    else { return end }
    return UnsafeRawPointer(found) - base
  }
}

/// The fields of a block of server-sent events (WHATWG HTML §9.2.6), as they are written.
package struct EventFields: Sendable, Hashable {
  /// The last identifier; `nil` where there is none, or one with a NUL.
  package var id: String?
  /// The last name of the event's type.
  package var event: String?
  /// The last time to wait before the next connection that is nothing but digits.
  package var retry: String?
  /// The values of `data`, with a line feed between each two; `nil` where there is none.
  package var data: Data?

  /// Reads a block, or the beginning of one, of which the last line may be cut.
  package init(_ block: Data) {
    let whole = block + [0x0A]
    whole.withUnsafeBytes { bytes in
      for line in EventLines(bytes) {
        switch line.name(in: bytes) {
        case "data":
          data = data.map { $0 + [0x0A] } ?? Data()
          data?.append(contentsOf: bytes[line.value])
        case "event": event = line.text(in: bytes)
        case "id" where !bytes[line.value].contains(0): id = line.text(in: bytes)
        case "retry" where !line.value.isEmpty && bytes[line.value].allSatisfy(\.isASCIIDigit):
          retry = line.text(in: bytes)
        default: break
        }
      }
    }
  }
}
