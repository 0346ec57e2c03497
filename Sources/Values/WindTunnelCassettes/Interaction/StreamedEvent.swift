internal import Foundation

/// One event of a recorded stream: a server-sent event (WHATWG HTML §9.2), a line of JSON, or a
/// value of a JSON text sequence (RFC 7464).
///
/// Lines and values only have ``data``.
public struct StreamedEvent: Sendable, Hashable {
  /// The identifier that the event sets, which the client sends when it reconnects.
  ///
  /// An empty text removes the identifier; `nil` keeps the previous one.
  public var id: String?
  /// The type of the event; `nil` means `message`.
  public var type: String?
  /// The content: the values of the `data` fields joined by line feeds, or the JSON.
  public var data: String
  /// The delay before the client reconnects, in milliseconds; `nil` if it is missing or not a
  /// number. A number that is too large becomes `Int.max`.
  public var retryMilliseconds: Int?
  /// The time at which the event was complete, relative to sending the request; `nil` if no times
  /// were recorded.
  public internal(set) var offset: Duration?

  /// Parses the bytes of an event.
  fileprivate init(_ block: Data, _ format: EventStream.Format, at offset: Duration?) {
    self.offset = offset
    guard format == .serverSent else {
      data = String(decoding: block, as: UTF8.self).trimmingJSONWhiteSpace
      return
    }
    let fields = EventFields(block)
    (id, type) = (fields.id, fields.event)
    data = String(decoding: fields.data ?? Data(), as: UTF8.self)
    retryMilliseconds = fields.retry.map { Int($0) ?? .max }
  }

  /// Returns the bytes of a block with the changed fields replaced.
  fileprivate func written(
    over block: Data,
    as before: StreamedEvent,
    _ format: EventStream.Format
  ) -> Data {
    guard format == .serverSent else { return written(over: block, before.data) }
    let feed = block.contains(0x0A) ? (block.contains(0x0D) ? "\r\n" : "\n") : "\r"
    var changed: [(name: String, lines: [String])] = []
    if id != before.id { changed.append(("id", Self.lines("id", id.map(Self.line)))) }
    if type != before.type { changed.append(("event", Self.lines("event", type.map(Self.line)))) }
    if retryMilliseconds != before.retryMilliseconds {
      changed.append(("retry", Self.lines("retry", retryMilliseconds.map { "\($0)" })))
    }
    if data != before.data { changed.append(("data", Self.lines("data", data))) }
    var text = Data()
    return block.withUnsafeBytes { bytes in
      var place = 0
      for line in EventLines(bytes) {
        defer { place = line.end }
        let name = line.isEmpty ? nil : line.name(in: bytes)
        // Fields that are missing in the block are added before its end.
        let due = changed.filter { name == nil || $0.name == name }.flatMap(\.lines)
        text += due.map { Data("\($0)\(feed)".utf8) }.joined()
        let isOld = changed.contains { $0.name == name }
        for index in changed.indices where name == nil || changed[index].name == name {
          changed[index].lines = []
        }
        if !isOld { text += bytes[place..<line.end] }
      }
      return text
    }
  }

  /// Returns a line or a value with its JSON replaced.
  private func written(over block: Data, _ old: String) -> Data {
    let bytes = Array(block)
    let start = bytes.firstIndex { $0 > 0x20 } ?? bytes.count
    let end = bytes.lastIndex { $0 > 0x20 }.map { $0 + 1 } ?? start
    // Line ends are white space in JSON but would end the line.
    return Data(bytes[..<start] + Array(Self.line(data, " ").utf8) + bytes[end...])
  }

  /// Returns the lines of a field, one for each line of the value; empty for `nil`.
  private static func lines(_ name: String, _ value: String?) -> [String] {
    guard let value else { return [] }
    return value.split(omittingEmptySubsequences: false) { $0.isNewline && $0.isASCII }
      .map { "\(name): \($0)" }
  }

  /// Returns a text without line ends.
  private static func line(_ text: String) -> String { line(text, "") }

  private static func line(_ text: String, _ separator: String) -> String {
    text.split(omittingEmptySubsequences: false) { $0.isNewline && $0.isASCII }
      .joined(separator: separator)
  }
}

extension Interaction {
  /// The complete events of a streamed response, in order; empty if it has no events or has a
  /// content coding.
  ///
  /// ```swift
  /// let tokens = interaction.events.map(\.data)
  /// ```
  public var events: [StreamedEvent] {
    guard let response, let format = EventStream.Format(of: response.headers) else { return [] }
    let body = response.body.data
    var arrivals = Arrivals(timing)
    return EventStream(body, format).events.map { event in
      let block = Data(body.dropFirst(event.start).prefix(event.end - event.start))
      return StreamedEvent(block, format, at: arrivals.time(of: event.end))
    }
  }

  /// Changes events of a streamed response in order.
  ///
  /// ```swift
  /// interaction.editEvents { event in
  ///   if event.id == "3" { event.data = #"{"price":0}"# }
  /// }
  /// ```
  ///
  /// In a changed event, unchanged fields, comments and unknown fields keep their spelling. The
  /// chunks of the response keep their times, and `Content-Length` is updated.
  ///
  /// - Parameter edit: A function that may change each event. Only server-sent events have an `id`,
  ///   a type and a delay; in other formats, changes of these are ignored.
  public mutating func editEvents(_ edit: (inout StreamedEvent) throws -> Void) rethrows {
    guard let response, let format = EventStream.Format(of: response.headers) else { return }
    let body = response.body
    var rewriting = BodyRewriting(body, timing)
    var arrivals = Arrivals(timing)
    for event in EventStream(body.data, format).events {
      let range = event.start..<event.end
      let block = body.bytes(range)
      let before = StreamedEvent(block, format, at: arrivals.time(of: event.end))
      var after = before
      try edit(&after)
      if after != before {
        rewriting.replace(range, by: after.written(over: block, as: before, format))
      }
    }
    guard let edited = rewriting.finish(&timing) else { return }
    editResponse { response in
      response.body = edited
      response.head.headers.follow(bodyGrowth: edited.count - body.count)
      response.head.trailers.follow(bodyGrowth: 0)
    }
  }
}

/// The arrival times of a body's bytes, queried in ascending order.
private struct Arrivals {
  private let timing: Timing?
  private var next = 0
  private var passed = 0

  init(_ timing: Timing?) { self.timing = timing }

  /// Returns the time at which the first `count` bytes had arrived.
  mutating func time(of count: Int) -> Duration? {
    guard let timing else { return nil }
    while next < timing.chunks.count {
      let end = passed.adding(bytes: timing.chunks[next].bytes)
      if end >= count { return timing.chunks[next].offset }
      (passed, next) = (end, next + 1)
    }
    return timing.lastByte
  }
}

extension String {
  /// The text without JSON's white space and record separators around it (RFC 8259 §2, RFC 7464
  /// §2.2).
  fileprivate var trimmingJSONWhiteSpace: String {
    let isSpace = { (byte: UInt8) in byte <= 0x20 }
    let end = utf8.reversed().drop(while: isSpace).count
    return String(decoding: utf8.prefix(end).drop(while: isSpace), as: UTF8.self)
  }
}
