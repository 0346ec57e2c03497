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
  }

  /// One event that a client is told of.
  package struct Event: Sendable, Hashable {
    /// The number of bytes of the body up to its end, whatever was between it and the last one
    /// included.
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
      switch format {
      case .serverSent: Self.serverSent(bytes)
      case .lines: (Self.lines(bytes), [:])
      case .sequence: (Self.sequence(bytes), [:])
      }
    }
  }

  /// Returns the number of bytes up to the end of the block with an identifier, with which a client
  /// comes back (§9.2.4, `Last-Event-ID`); `nil`: none has it.
  ///
  /// Events behind it that have none of their own share it, and come again rather than not at all.
  package func end(of id: String) -> Int? { ends[id] }

  // MARK: Server-sent events

  private static func serverSent(
    _ bytes: UnsafeRawBufferPointer
  ) -> (events: [Event], ends: [String: Int]) {
    var (events, ends) = ([Event](), [String: Int]())
    var (id, hasData, hasID) = ("", false, false)
    // A mark of byte order may come first, once.
    var place = bytes.starts(with: [0xEF, 0xBB, 0xBF]) ? 3 : 0
    while let end = bytes[place...].firstIndex(where: { $0 == 0x0A || $0 == 0x0D }) {
      let line = UnsafeRawBufferPointer(rebasing: bytes[place..<end])
      // CR, LF and both of them end a line.
      let isBoth = bytes[end] == 0x0D && end + 1 < bytes.count && bytes[end + 1] == 0x0A
      place = end + (isBoth ? 2 : 1)
      if line.isEmpty {
        // A client has the identifier even where it is told of nothing for want of data.
        if hasID, !id.isEmpty { ends[id] = place }
        if hasData { events.append(Event(end: place, id: id)) }
        (hasData, hasID) = (false, false)
        continue
      }
      let colon = line.firstIndex(of: UInt8(ascii: ":"))
      let name = line[..<(colon ?? line.count)]
      if name.elementsEqual("data".utf8) {
        hasData = true
      } else if name.elementsEqual("id".utf8) {
        var value = line[(colon.map { $0 + 1 } ?? line.count)...]
        if value.first == UInt8(ascii: " ") { value = value.dropFirst() }
        // One with a NUL is ignored.
        if !value.contains(0) { (id, hasID) = (String(decoding: value, as: UTF8.self), true) }
      }
    }
    return (events, ends)
  }

  // MARK: JSON

  private static func lines(_ bytes: UnsafeRawBufferPointer) -> [Event] {
    var events: [Event] = []
    var start = 0
    for place in bytes.indices where bytes[place] == 0x0A {
      if bytes[start..<place].contains(where: { $0 > 0x20 }) {
        events.append(Event(end: place + 1, id: ""))
      }
      start = place + 1
    }
    return events
  }

  /// RFC 7464 §2.4: a value that is whole ends with white space.
  private static func sequence(_ bytes: UnsafeRawBufferPointer) -> [Event] {
    let starts = bytes.indices.filter { bytes[$0] == 0x1E }
    return starts.enumerated().compactMap { index, start in
      let end = index + 1 < starts.count ? starts[index + 1] : bytes.count
      let value = bytes[(start + 1)..<end]
      guard value.contains(where: { $0 > 0x20 }), value.last.map({ $0 <= 0x20 }) == true else {
        return nil
      }
      return Event(end: end, id: "")
    }
  }
}
