internal import Foundation
internal import WindTunnel

/// Reads requests, one after the other, out of bytes that it is fed.
///
/// It has never heard of a socket. Feed what came, then ask for events until there is none. However
/// the bytes are cut, the events are the same but for how content is cut. Pipelined requests wait
/// in the parser until somebody asks for them.
struct RequestParser {
  typealias Event = MessageEvent<RequestHead>

  private enum State {
    case line
    case fields(RequestHead.Line, FieldSection)
    case content(ContentReader)
    case failed
  }

  private var input = ByteQueue()
  private var state = State.line
  private var ended = false
  private var emptyLines = 0
  private let limits: Limits

  init(limits: Limits = .standard) { self.limits = limits }

  /// Bytes that were fed and not read: the next request's, as long as this one is being answered.
  var bufferedBytes: Int { input.count }

  /// Whether no request has begun: the place where a client may leave without loss.
  var isBetweenRequests: Bool {
    if case .line = state { input.isEmpty } else { false }
  }

  /// Whether nothing came since the last request, not even an empty line: these are counted.
  var isFresh: Bool { isBetweenRequests && emptyLines == 0 }

  mutating func feed(_ bytes: UnsafeRawBufferPointer) {
    // Nobody will read it.
    if case .failed = state { return }
    input.append(bytes)
  }

  /// Says that nothing more will come.
  mutating func feedEnd() { ended = true }

  /// Takes what was not read, for a connection that from here on speaks something else
  /// (`CONNECT`, `Upgrade`).
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
    case .line, .failed:
      return nil
    case .fields(let line, var section):
      // The state lets go of the section first, so that its array is changed in place.
      state = .failed
      guard try section.read(&input) else {
        if ended { throw Self.brokenHead }
        state = .fields(line, section)
        return nil
      }
      let head = try RequestHead(line, section, limits)
      state = .content(ContentReader(head.framing, limits, .request))
      return .head(head)
    case .content(var reader):
      state = .failed
      let piece = try reader.next(&input, ended: ended)
      state = .content(reader)
      switch piece {
      case nil: return nil
      case .content(let data): return .content(data)
      case .trailers(let fields): return .trailers(fields)
      case .end:
        state = .line
        return .end
      }
    }
  }

  /// Reads the request line if it is whole.
  private mutating func readLine() throws(ProtocolError) -> Bool {
    while let length = input.lineLength() {
      guard length <= limits.requestLineBytesMax else { throw tooLong }
      // RFC 9112 §2.2: an empty line before a request is ignored; a few, not an endless row.
      if length == 2, input[0] == .carriageReturn, emptyLines < 4 {
        emptyLines += 1
        input.skip(2)
        continue
      }
      let line = try input.peek(length) { bytes throws(ProtocolError) in
        try RequestHead.Line(FieldSection.withoutLineEnd(bytes, .request))
      }
      input.skip(length)
      emptyLines = 0
      state = .fields(line, FieldSection(limits, .request))
      return true
    }
    guard input.count <= limits.requestLineBytesMax else { throw tooLong }
    // A TLS client waits for an answer before it sends anything that looks like a line's end.
    if input.count >= 3, input[0] == 0x16, input[1] == 0x03 {
      throw ProtocolError.tlsOnPlainPort
    }
    if ended, !input.isEmpty { throw Self.brokenHead }
    return false
  }

  private static let brokenHead = ProtocolError(
    .truncated(.inHead),
    "The connection ended within a request's head."
  )

  private var tooLong: ProtocolError {
    ProtocolError(
      .targetTooLong,
      "The request line is longer than \(limits.requestLineBytesMax) bytes."
    )
  }
}

extension RequestHead {
  fileprivate init(
    _ line: Line,
    _ section: FieldSection,
    _ limits: Limits
  ) throws(ProtocolError) {
    let facts = section.facts
    // RFC 9112 §3.2: exactly one Host in 1.1; never two.
    guard facts.hostCount < 2 else { throw .bad("There are two Host fields (RFC 9112 §3.2).") }
    guard facts.hostCount == 1 || line.version == .http10 else {
      throw .bad("An HTTP/1.1 request needs a Host field (RFC 9112 §3.2).")
    }
    // RFC 9110 §8.6 leaves it open to take equal ones for one; a client has no reason to send two.
    guard facts.lengthCount < 2 else {
      throw .bad("There are two lengths in Content-Length (RFC 9110 §8.6).")
    }
    method = line.method
    target = line.target
    version = line.version
    headers = HeaderFields(section.fields)
    framing = try Self.framing(facts, line.version)
    keepsAlive = facts.keepsAlive(line.version)
    // RFC 9110 §10.1.1: the expectation of a 1.0 client is ignored, as is one without content.
    expectsContinue = facts.expectsContinue && line.version == .http11 && framing != .none
    if case .length(let length) = framing, length > limits.bodyBytesMax { throw .tooLarge(limits) }
  }

  /// RFC 9112 §6.3 from a server's side.
  private static func framing(
    _ facts: FramingFacts,
    _ version: HTTPVersion
  ) throws(ProtocolError) -> Framing {
    guard let codings = facts.transferCodings else {
      return facts.contentLength.map { $0 == 0 ? .none : .length($0) } ?? .none
    }
    try codings.refuseAmbiguity(version, hasLength: facts.contentLength != nil)
    return .chunked
  }
}

extension [String] {
  /// RFC 9112 §6.1: chunked alone is understood, last, once, and never in company of a length.
  func refuseAmbiguity(_ version: HTTPVersion, hasLength: Bool) throws(ProtocolError) {
    guard !hasLength else {
      throw .bad("There are both Content-Length and Transfer-Encoding (RFC 9112 §6.1).")
    }
    guard version == .http11 else {
      throw .bad("Transfer-Encoding does not exist in HTTP/1.0 (RFC 9112 §6.1).")
    }
    guard let last, filter({ $0 == "chunked" }).count < 2 else {
      throw .bad("Transfer-Encoding is empty or says chunked twice (RFC 9112 §6.1).")
    }
    if let other = first(where: { $0 != "chunked" }) {
      // Where chunked stands before another coding, the end of the content is nowhere.
      guard last == "chunked" || !contains("chunked") else {
        throw .bad("Transfer-Encoding does not end with chunked (RFC 9112 §6.3).")
      }
      throw ProtocolError(.notImplemented, "The transfer coding \(other) is not implemented.")
    }
  }
}
