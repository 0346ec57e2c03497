internal import Foundation
internal import WindTunnel

/// An answer before its content.
struct ResponseStart: Sendable, Hashable {
  var version: HTTPVersion
  /// The text after the status code; it may be empty and means nothing (RFC 9112 §4).
  var reason: String
  var head: ResponseHead
  var framing: Framing
  /// Whether the server will take another request on this connection (RFC 9112 §9.3).
  var keepsAlive: Bool

  /// Whether another head follows (RFC 9110 §15.2).
  ///
  /// After a 101 the connection speaks another protocol; that is an end.
  var isInterim: Bool { 100..<200 ~= head.status && head.status != 101 }
}

/// Reads answers out of bytes that it is fed; the other direction of ``RequestParser``.
///
/// Where an answer ends depends on what was asked: call ``expectAnswer(to:)`` with the method of
/// each request that was sent.
struct ResponseParser {
  typealias Event = MessageEvent<ResponseStart>

  private enum State {
    case idle
    case line
    case fields(StatusLine, FieldSection)
    case content(ContentReader)
    case failed
  }

  private var input = ByteQueue()
  private var state = State.idle
  private var ended = false
  private var sawByte = false
  private var method = "GET"
  private let limits: Limits

  init(limits: Limits = .upstream) { self.limits = limits }

  /// Bytes that were fed and not read.
  ///
  /// Between answers there should be none: who sends any then answers what nobody asked.
  var bufferedBytes: Int { input.count }

  /// Begins the next answer.
  mutating func expectAnswer(to method: String) {
    if case .failed = state { return }
    self.method = method
    state = .line
    sawByte = false
  }

  mutating func feed(_ bytes: UnsafeRawBufferPointer) {
    // Nobody will read it.
    if case .failed = state { return }
    input.append(bytes)
  }

  /// Says that nothing more will come; for some answers that is their regular end.
  mutating func feedEnd() { ended = true }

  /// Takes what was not read, for a connection that from here on speaks something else.
  mutating func takeRemainder() -> Data { input.take(atMost: input.count) }

  /// The next event, or nothing until more bytes come.
  mutating func next() -> Event? {
    do throws(ProtocolError) {
      return try step()
    } catch {
      state = .failed
      input = ByteQueue()
      return .failed(error)
    }
  }

  private mutating func step() throws(ProtocolError) -> Event? {
    if case .line = state {
      guard try readLine() else { return nil }
    }
    switch state {
    case .idle, .line, .failed:
      return nil
    case .fields(let line, var section):
      state = .failed
      guard try section.read(&input) else {
        if ended { throw Self.brokenHead }
        state = .fields(line, section)
        return nil
      }
      let start = try ResponseStart(line, section, askedBy: method)
      // An end between two heads is as empty as one before the first.
      sawByte = !start.isInterim
      state =
        start.isInterim ? .line : .content(ContentReader(start.framing, limits, .response))
      return .head(start)
    case .content(var reader):
      state = .failed
      let piece = try reader.next(&input, ended: ended)
      state = .content(reader)
      switch piece {
      case nil: return nil
      case .content(let data): return .content(data)
      case .trailers(let fields): return .trailers(fields)
      case .end:
        state = .idle
        return .end
      }
    }
  }

  private mutating func readLine() throws(ProtocolError) -> Bool {
    sawByte = sawByte || !input.isEmpty
    if let length = input.lineLength() {
      guard length <= limits.requestLineBytesMax else { throw tooLong }
      let line = try input.peek(length) { bytes throws(ProtocolError) in
        try StatusLine(FieldSection.withoutLineEnd(bytes, .response))
      }
      input.skip(length)
      state = .fields(line, FieldSection(limits, .response))
      return true
    }
    guard input.count <= limits.requestLineBytesMax else { throw tooLong }
    guard ended else { return false }
    // RFC 9112 §2.3: whatever does not begin with the protocol's name is not the beginning of a head.
    let beginning = try input.peek(min(5, input.count)) { bytes throws(ProtocolError) in
      "HTTP/".utf8.starts(with: bytes)
    }
    guard beginning else { throw .bad("What came before the connection ended is no HTTP.") }
    if sawByte { throw Self.brokenHead }
    throw ProtocolError(.truncated(.beforeHead), "The connection ended before any answer.")
  }

  private static let brokenHead = ProtocolError(
    .truncated(.inHead),
    "The connection ended within an answer's head."
  )

  private var tooLong: ProtocolError {
    .bad("The status line is longer than \(limits.requestLineBytesMax) bytes.")
  }
}

/// RFC 9112 §4: version, space, three digits, space, and a reason that may be empty; that some
/// servers then leave out the last space does no harm.
private struct StatusLine: Sendable {
  var version: HTTPVersion
  var status: Int
  var reason: String

  init(_ line: Bytes) throws(ProtocolError) {
    guard line.count >= 12, line[8] == .space,
      let status = line.part(9..<12).decimal, status >= 100,
      line.count == 12 || line[12] == .space, line.allSatisfy(\.isFieldContent)
    else {
      throw .bad("“\(line.quoted)” is no status line (RFC 9112 §4).")
    }
    version = try HTTPVersion(line.part(0..<8))
    self.status = status
    reason = line.count > 13 ? line.part(13..<line.count).text : ""
  }
}

extension ResponseStart {
  fileprivate init(
    _ line: StatusLine,
    _ section: FieldSection,
    askedBy method: String
  ) throws(ProtocolError) {
    version = line.version
    reason = line.reason
    head = ResponseHead(status: line.status, headers: HeaderFields(section.fields))
    framing = try Self.framing(line, section.facts, method)
    keepsAlive = section.facts.keepsAlive(line.version) && framing != .untilClose
  }

  /// RFC 9112 §6.3 from a client's side, in its order.
  private static func framing(
    _ line: StatusLine,
    _ facts: FramingFacts,
    _ method: String
  ) throws(ProtocolError) -> Framing {
    if Response.hasNoContent(method: method, status: line.status) { return .none }
    if let codings = facts.transferCodings {
      try codings.refuseAmbiguity(line.version, hasLength: facts.contentLength != nil)
      return .chunked
    }
    guard let length = facts.contentLength else { return .untilClose }
    return length == 0 ? .none : .length(length)
  }
}
