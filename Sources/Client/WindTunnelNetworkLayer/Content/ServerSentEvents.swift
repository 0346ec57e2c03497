public import Foundation

/// A server-sent event (WHATWG HTML §9.2).
public struct ServerSentEvent: Sendable, Hashable {
  /// The type of the event; `message` if the server does not name one.
  public var kind: String
  /// The lines of the event, separated by line feeds.
  public var data: String
  /// The last identifier from the server, for resuming.
  public var lastID: String

  /// Creates an event from its parts.
  public init(kind: String = "message", data: String, lastID: String = "") {
    (self.kind, self.data, self.lastID) = (kind, data, lastID)
  }
}

/// A parser of server-sent events that accepts bytes in pieces of any size (WHATWG HTML §9.2.6).
public struct ServerSentEventParser: Sendable {
  /// The maximum length of a line, and of an event's data, in bytes.
  public static let bytesMax = 1 << 20

  /// The time to wait before reconnecting; `nil` if the server did not set one.
  public private(set) var retry: Duration?
  /// The last identifier of an event, including events without data; empty if there was none.
  public private(set) var lastID: String
  /// Whether a line has arrived; a comment counts.
  private(set) var hasLine = false
  /// Whether an event without its own identifier has arrived.
  private(set) var hasUnnamedEvent = false
  /// The identifier of the event that is being parsed.
  private var id: String
  private var isNamed = false
  private var line: [UInt8] = []
  private var wasReturn = false
  private var isFirstLine = true
  private var kind = ""
  private var data: [String] = []
  private var bytes = 0

  /// Creates a parser at the start of a stream, which may continue after an identifier.
  public init(lastID: String = "") { (self.lastID, id) = (lastID, lastID) }

  /// Parses the next bytes and returns the events that they complete.
  ///
  /// - Throws: ``DecodeFault`` if a line or an event is too long.
  public mutating func take(_ piece: Data) throws(DecodeFault) -> [ServerSentEvent] {
    var events: [ServerSentEvent] = []
    for byte in piece {
      switch byte {
      // A line ends with CR LF, LF or CR.
      case 0x0A where wasReturn: wasReturn = false
      case 0x0A, 0x0D:
        wasReturn = byte == 0x0D
        if let event = try endLine() { events.append(event) }
      default:
        wasReturn = false
        line.append(byte)
        if line.count > Self.bytesMax { throw Self.tooLong }
      }
    }
    return events
  }

  private static var tooLong: DecodeFault {
    .mismatch("", text: "An event is longer than \(bytesMax) bytes.")
  }

  private mutating func endLine() throws(DecodeFault) -> ServerSentEvent? {
    hasLine = true
    var bytes = line[...]
    line = []
    if isFirstLine, bytes.starts(with: [0xEF, 0xBB, 0xBF]) { bytes = bytes.dropFirst(3) }
    isFirstLine = false
    guard !bytes.isEmpty else { return dispatch() }
    let parts = bytes.split(separator: 0x3A, maxSplits: 1, omittingEmptySubsequences: false)
    var value = parts.count == 2 ? parts[1] : []
    if value.first == 0x20 { value = value.dropFirst() }
    let text = String(decoding: value, as: UTF8.self)
    switch String(decoding: parts[0], as: UTF8.self) {
    case "event": kind = text
    case "data":
      self.bytes += text.utf8.count + 1
      if self.bytes > Self.bytesMax { throw Self.tooLong }
      data.append(text)
    case "id" where !text.contains("\0"): (id, isNamed) = (text, true)
    case "retry" where !text.isEmpty && text.utf8.allSatisfy { (0x30...0x39).contains($0) }:
      retry = Int64(text).map { .milliseconds($0) }
    default: break
    }
    return nil
  }

  private mutating func dispatch() -> ServerSentEvent? {
    defer {
      kind = ""
      data = []
      bytes = 0
      isNamed = false
    }
    lastID = id
    guard !data.isEmpty else { return nil }
    if !isNamed { hasUnnamedEvent = true }
    return ServerSentEvent(
      kind: kind.isEmpty ? "message" : kind,
      data: data.joined(separator: "\n"),
      lastID: lastID
    )
  }
}

extension StreamedResponse {
  /// The content as server-sent events.
  public var events: ServerSentEvents { ServerSentEvents(pieces: pieces) }
}

/// The events of a response, as they arrive.
public struct ServerSentEvents: AsyncSequence, Sendable {
  /// One event of the stream.
  public typealias Element = ServerSentEvent

  fileprivate let pieces: AsyncThrowingStream<Data, any Error>

  /// Creates an iterator at the stream's current position.
  public func makeAsyncIterator() -> Iterator { Iterator(pieces: pieces.makeAsyncIterator()) }

  /// An iterator that reads pieces until an event is complete.
  public struct Iterator: AsyncIteratorProtocol {
    private var pieces: AsyncThrowingStream<Data, any Error>.Iterator
    private(set) var parser: ServerSentEventParser
    private var waiting: [ServerSentEvent] = []
    /// The number of events of the last piece that have been returned.
    private var returned = 0
    init(pieces: AsyncThrowingStream<Data, any Error>.Iterator, after lastID: String = "") {
      self.pieces = pieces
      parser = ServerSentEventParser(lastID: lastID)
    }

    /// Returns the next event; `nil` at the end of the stream.
    @concurrent public mutating func next() async throws -> ServerSentEvent? {
      while returned == waiting.count {
        guard let piece = try await pieces.next() else { return nil }
        (waiting, returned) = (try parser.take(piece), 0)
      }
      returned += 1
      return waiting[returned - 1]
    }
  }
}
