package import Foundation

/// The events of a streamed body, and where each ends.
package struct EventStream: Sendable, Hashable {
  /// The forms in which events are streamed.
  package enum Format: Sendable, Hashable {
    /// Server-sent events (WHATWG HTML §9.2.6).
    case serverSent
    /// A value of JSON on each line (`application/x-ndjson`, `application/jsonl`).
    case lines
    /// Values of JSON behind a record separator each (RFC 7464).
    case sequence

    /// The format of a media type; `nil` for one that has no events.
    package init?(contentType: String) {
      switch ContentType(contentType).essence {
      case "text/event-stream": self = .serverSent
      case "application/x-ndjson", "application/ndjson", "application/jsonl",
        "application/x-jsonlines":
        self = .lines
      case "application/json-seq": self = .sequence
      default: return nil
      }
    }

    /// The format in which a message's body can be read as it is; `nil` where it has no events, or
    /// is in a content coding.
    package init?(of headers: HeaderFields) {
      guard headers["Content-Encoding"] == nil, let type = headers["Content-Type"] else {
        return nil
      }
      self.init(contentType: type)
    }
  }

  /// One event that a client is told of.
  package struct Event: Sendable, Hashable {
    /// The number of bytes of the body up to its beginning, behind comments and blocks without data
    /// in front of it.
    package var start: Int
    /// The number of bytes of the body up to its end.
    package var end: Int
    /// The identifier that a client has when it has seen the event (§9.2.6, the last event ID);
    /// empty: none.
    package var id: String
  }

  /// The events that have come whole, in order.
  package let events: [Event]
  /// The number of bytes up to the end of each block that has an identifier, be it an event or not,
  /// by the identifier; of one that comes again the last.
  private let ends: [String: Int]

  /// Finds the events of a body.
  package init(_ body: Data, _ format: Format) {
    (events, ends) = body.withUnsafeBytes { bytes in
      var blocks = EventBlocks(bytes, format)
      var (events, ends) = ([Event](), [String: Int]())
      var id = ""
      while let block = blocks.next() {
        id = block.id ?? id
        // A client has the identifier even where it is told of nothing for want of data.
        if block.id != nil, !id.isEmpty { ends[id] = block.range.upperBound }
        if block.isEvent {
          let (start, end) = (block.range.lowerBound, block.range.upperBound)
          events.append(Event(start: start, end: end, id: id))
        }
      }
      return (events, ends)
    }
  }

  /// Returns the number of bytes up to the end of the block with an identifier, with which a client
  /// comes back (§9.2.4, `Last-Event-ID`); `nil`: none has it.
  ///
  /// Events behind it that have none of their own share it, and come again rather than not at all.
  package func end(of id: String) -> Int? { ends[id] }
}

/// The blocks of a streamed body, one after the other: events, and what is none. The bytes behind
/// the last one are the beginning of one that did not come whole.
///
/// Each byte is looked at once, and nothing of what was passed is kept.
package struct EventBlocks: Sequence, IteratorProtocol {
  /// A block of server-sent events up to its empty line, a line, or a value of a sequence.
  package struct Block {
    /// The bytes of the body, counted from 0, the end of its line and a separator included.
    package var range: Range<Int>
    /// Tells whether a client is told of it: it has data.
    package var isEvent: Bool
    /// The identifier that it sets; `nil` where it sets none.
    package var id: String?
  }

  private let bytes: UnsafeRawBufferPointer
  private let format: EventStream.Format
  private var place = 0

  /// Begins at the first byte of a body, which outlives this.
  package init(_ bytes: UnsafeRawBufferPointer, _ format: EventStream.Format) {
    (self.bytes, self.format) = (bytes, format)
  }

  /// Returns the next block that has come whole.
  package mutating func next() -> Block? {
    switch format {
    case .serverSent: serverSent()
    case .lines: line()
    case .sequence: value()
    }
  }

  private mutating func serverSent() -> Block? {
    var block = Block(range: place..<place, isEvent: false, id: nil)
    var lines = EventLines(bytes, from: place)
    while let line = lines.next() {
      if line.isEmpty {
        block.range = place..<line.end
        place = line.end
        return block
      }
      switch line.name(in: bytes) {
      case "data": block.isEvent = true
      // One with a NUL is ignored.
      case "id": if !bytes[line.value].contains(0) { block.id = line.text(in: bytes) }
      default: break
      }
    }
    return nil
  }

  private mutating func line() -> Block? {
    let rest = bytes[place...]
    guard let end = rest.firstIndex(of: 0x0A) else { return nil }
    defer { place = end + 1 }
    return Block(range: place..<end + 1, isEvent: rest[..<end].contains { $0 > 0x20 }, id: nil)
  }

  /// RFC 7464 §2.4: a value that is whole ends with white space.
  private mutating func value() -> Block? {
    while let mark = bytes[place...].firstIndex(of: 0x1E) {
      let end = bytes[(mark + 1)...].firstIndex(of: 0x1E) ?? bytes.count
      place = end
      let value = bytes[(mark + 1)..<end]
      guard value.contains(where: { $0 > 0x20 }) else { continue }
      if let last = value.last, last <= 0x20 {
        return Block(range: mark..<end, isEvent: true, id: nil)
      }
    }
    return nil
  }
}

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

  /// Begins at a place in the bytes where a line does; they outlive this.
  package init(_ bytes: UnsafeRawBufferPointer, from start: Int = 0) {
    // A mark of byte order may come first, once.
    let isMarked = start == 0 && bytes.starts(with: [0xEF, 0xBB, 0xBF])
    self.start = isMarked ? 3 : start
    (self.bytes, place) = (bytes, self.start)
  }

  /// Returns the next line that has its end.
  package mutating func next() -> Line? {
    if feed < place { feed = Self.find(0x0A, in: bytes, from: place) }
    if carriage < place { carriage = Self.find(0x0D, in: bytes, from: place) }
    let end = Swift.min(feed, carriage)
    guard end < bytes.count else { return nil }
    let start = place
    // CR, LF and both of them end a line.
    place = carriage < feed && feed == carriage + 1 ? end + 2 : end + 1
    let colon = Self.find(UInt8(ascii: ":"), in: bytes, from: start, to: end)
    guard colon < end else { return Line(name: start..<end, value: end..<end, end: place) }
    let isSpaced = colon + 1 < end && bytes[colon + 1] == UInt8(ascii: " ")
    return Line(
      name: start..<colon,
      value: colon + (isSpaced ? 2 : 1)..<end,
      end: place
    )
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

/// What the fields of a block of server-sent events say (WHATWG HTML §9.2.6), as they are written.
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
      if let end = lastEnd(in: body.bytes(start..<start + length)) {
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
