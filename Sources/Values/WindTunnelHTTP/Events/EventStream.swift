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
  /// The lines of server-sent events behind the last block.
  private var lines: EventLines

  /// Begins at the first byte of a body, which outlives this.
  package init(_ bytes: UnsafeRawBufferPointer, _ format: EventStream.Format) {
    (self.bytes, self.format) = (bytes, format)
    lines = EventLines(bytes)
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
