package import Foundation

/// The lines of server-sent events (WHATWG HTML §9.2.5). Each is a field, a comment or the end of a
/// block.
package struct EventLines: Sequence, IteratorProtocol {
  /// One line, with the ranges of its name and value in the bytes.
  package struct EventLine {
    /// The bytes of the name; empty in a comment.
    package var name: Range<Int>
    /// The bytes of the value, without the colon and one space after it.
    package var value: Range<Int>
    /// The position after the line's end.
    package var end: Int

    /// Whether the line ends a block.
    package var isEmpty: Bool { name.isEmpty && value.lowerBound == name.lowerBound }

    /// Returns the name of the field; empty if the name is not in the standard.
    package func name(in bytes: UnsafeRawBufferPointer) -> String {
      // The standard's names have at most five characters.
      name.count <= 5 ? String(decoding: bytes[name], as: UTF8.self) : ""
    }

    /// Returns the value as text.
    package func text(in bytes: UnsafeRawBufferPointer) -> String {
      String(decoding: bytes[value], as: UTF8.self)
    }
  }

  /// The position of the first line.
  package let start: Int

  private let bytes: UnsafeRawBufferPointer
  private var place: Int
  /// The positions of the next LF and the next CR; the number of bytes if there is none.
  private var (feed, carriage) = (-1, -1)

  /// Creates a sequence that begins at the first byte. The bytes must outlive it.
  package init(_ bytes: UnsafeRawBufferPointer) {
    // One byte order mark may precede the first line.
    start = bytes.starts(with: [0xEF, 0xBB, 0xBF]) ? 3 : 0
    (self.bytes, place) = (bytes, start)
  }

  /// Returns the next complete line.
  package mutating func next() -> EventLine? {
    if feed < place { feed = Self.find(0x0A, in: bytes, from: place) }
    if carriage < place { carriage = Self.find(0x0D, in: bytes, from: place) }
    let end = Swift.min(feed, carriage)
    guard end < bytes.count else { return nil }
    let start = place
    // CR, LF and CRLF each end a line.
    place = feed == carriage + 1 && feed < bytes.count ? end + 2 : end + 1
    let colon = Self.find(UInt8(ascii: ":"), in: bytes, from: start, to: end)
    guard colon < end else { return EventLine(name: start..<end, value: end..<end, end: place) }
    let isSpaced = colon + 1 < end && bytes[colon + 1] == UInt8(ascii: " ")
    return EventLine(name: start..<colon, value: colon + (isSpaced ? 2 : 1)..<end, end: place)
  }

  /// Returns the first position of a byte; `end` if there is none.
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
  /// The last identifier; `nil` if it is missing or contains a NUL.
  package var id: String?
  /// The last `event` field, the event's type.
  package var event: String?
  /// The last `retry` field that consists of digits: the delay before the next connection.
  package var retry: String?
  /// The values of the `data` fields, joined with line feeds; `nil` if there is none.
  package var data: Data?

  /// Parses a block or the beginning of one, whose last line may be incomplete.
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
