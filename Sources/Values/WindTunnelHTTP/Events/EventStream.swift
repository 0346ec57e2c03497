package import Foundation

/// The events of a streamed body, with their ranges.
package struct EventStream: Sendable, Hashable {
  /// The formats in which events are streamed.
  package enum Format: Sendable, Hashable {
    /// Server-sent events (WHATWG HTML §9.2.6).
    case serverSent
    /// One JSON value a line (`application/x-ndjson`, `application/jsonl`).
    case lines
    /// JSON values that each follow a record separator (RFC 7464).
    case sequence

    /// The format of a media type; `nil` if it has no events.
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

    /// The format of a message's body; `nil` if the body has no events or has a content coding.
    package init?(of headers: HeaderFields) {
      guard headers["Content-Encoding"] == nil, let type = headers["Content-Type"] else {
        return nil
      }
      self.init(contentType: type)
    }
  }

  /// One event that a client receives.
  package struct Event: Sendable, Hashable {
    /// The position in the body at which the event begins, after comments and blocks without data.
    package var start: Int
    /// The position in the body at which the event ends.
    package var end: Int
    /// The client's last event ID after this event (WHATWG HTML §9.2.6); empty if there is none.
    package var id: String
  }

  /// The complete events, in order.
  package let events: [Event]
  /// The end position of the last block with each identifier, whether or not the block is an event.
  private let ends: [String: Int]

  /// Finds the events of a body.
  package init(_ body: Data, _ format: Format) {
    (events, ends) = body.withUnsafeBytes { bytes in
      var blocks = EventBlocks(bytes, format)
      var (events, ends) = ([Event](), [String: Int]())
      var id = ""
      while let block = blocks.next() {
        id = block.id ?? id
        // A client stores the identifier even if the block has no data and dispatches no event.
        if block.id != nil, !id.isEmpty { ends[id] = block.range.upperBound }
        if block.isEvent {
          let (start, end) = (block.range.lowerBound, block.range.upperBound)
          events.append(Event(start: start, end: end, id: id))
        }
      }
      return (events, ends)
    }
  }

  /// Returns the end of the block with an identifier; `nil` if no block has it.
  ///
  /// A client that reconnects sends this identifier (WHATWG HTML §9.2.4, `Last-Event-ID`). Later
  /// events without an identifier share it, so they are sent again rather than lost.
  package func end(of id: String) -> Int? { ends[id] }
}

/// The blocks of a streamed body in order: events, comments and blocks without data. An incomplete
/// block at the end is omitted.
///
/// Each byte is read once, and previous blocks are not kept.
package struct EventBlocks: Sequence, IteratorProtocol {
  /// A block of server-sent events including its empty line, a line, or a value of a sequence.
  package struct Block {
    /// The range in the body, counted from 0, including the line's end and a separator.
    package var range: Range<Int>
    /// Whether the block has data, so that a client receives it.
    package var isEvent: Bool
    /// The identifier that the block sets; `nil` if it sets none.
    package var id: String?
  }

  private let bytes: UnsafeRawBufferPointer
  private let format: EventStream.Format
  private var place = 0
  /// The lines of server-sent events after the last block.
  private var lines: EventLines

  /// Creates a sequence that begins at the first byte of a body. The bytes must outlive it.
  package init(_ bytes: UnsafeRawBufferPointer, _ format: EventStream.Format) {
    (self.bytes, self.format) = (bytes, format)
    lines = EventLines(bytes)
  }

  /// Returns the next complete block.
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
      // An identifier with a NUL is ignored.
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

  /// Returns the next value that ends with white space; such a value is complete (RFC 7464 §2.4).
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
