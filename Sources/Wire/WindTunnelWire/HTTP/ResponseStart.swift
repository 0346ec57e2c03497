package import WindTunnelHTTP

/// A response without its content.
package struct ResponseStart: Sendable, Hashable {
  package var version: HTTPVersion
  /// The reason phrase after the status code, which may be empty and has no meaning (RFC 9112 §4).
  package var reason: String
  package var head: ResponseHead
  package var framing: Framing
  /// Whether the server will accept another request on this connection (RFC 9112 §9.3).
  package var keepsAlive: Bool

  /// Whether another head follows (RFC 9110 §15.2).
  ///
  /// After a 101, the connection uses another protocol, so it is not interim.
  package var isInterim: Bool { 100..<200 ~= head.status && head.status != 101 }
}

/// A status line (RFC 9112 §4): version, space, three digits, space, and a reason that may be
/// empty.
///
/// Some servers then omit the last space, which is accepted.
package struct StatusLine: Sendable {
  package var version: HTTPVersion
  package var status: Int
  package var reason: String

  package init(_ line: Bytes) throws(ProtocolError) {
    guard line.count >= 12, line[8] == .space,
      let status = line.part(9..<12).decimal, status >= 100,
      line.count == 12 || line[12] == .space, line.allSatisfy(\.isFieldContent)
    else { throw .bad("“\(line.quoted)” is not a status line (RFC 9112 §4).") }
    version = try HTTPVersion(line.part(0..<8))
    self.status = status
    reason = line.count > 13 ? line.part(13..<line.count).text : ""
  }
}

extension ResponseStart: MessageHead {
  /// The method of the request.
  package typealias History = String

  package static var side: FieldSection.Side { .response }
  package static var usualLimits: Limits { .upstream }
  package static var noHistory: History { "GET" }
  package static var isUnasked: Bool { false }
  package static var brokenHead: ProtocolError {
    ProtocolError(.truncated(.inHead), "The connection ended in the head of a response.")
  }

  package static func readStartLine(
    _ input: inout ByteQueue,
    ended: Bool,
    _ history: inout History,
    _ limits: Limits
  ) throws(ProtocolError) -> StatusLine? {
    let length = input.lineLength()
    guard length ?? input.count <= limits.requestLineBytesMax else {
      throw .bad("The status line is longer than \(limits.requestLineBytesMax) bytes.")
    }
    if let length {
      let line = try input.peek(length) { bytes throws(ProtocolError) in
        try StatusLine(FieldSection.withoutLineEnd(bytes, .response))
      }
      input.skip(length)
      return line
    }
    guard ended else { return nil }
    // Bytes that do not begin with the protocol's name are not the beginning of a head (RFC 9112
    // §2.3).
    let beginning = try input.peek(min(5, input.count)) { bytes throws(ProtocolError) in
      "HTTP/".utf8.starts(with: bytes)
    }
    guard beginning else { throw .bad("The bytes before the connection ended are not HTTP.") }
    // A part of a status line contains no more information than no byte at all.
    throw ProtocolError(.truncated(.beforeHead), "The connection ended before any response.")
  }

  package init(
    _ line: StatusLine,
    _ section: FieldSection,
    _ history: inout History,
    _ limits: Limits
  ) throws(ProtocolError) {
    version = line.version
    reason = line.reason
    head = ResponseHead(status: line.status, headers: HeaderFields(section.fields))
    framing = try Self.framing(line, section.facts, history)
    keepsAlive = section.facts.keepsAlive(line.version) && framing != .untilClose
  }

  /// Returns the framing of a response (RFC 9112 §6.3).
  private static func framing(
    _ line: StatusLine,
    _ facts: FramingFacts,
    _ method: String
  ) throws(ProtocolError) -> Framing {
    if Response.hasNoContent(method: method, status: line.status) { return .none }
    if var codings = facts.transferCodings {
      // Several fields are joined (RFC 9110 §5.3), and clients treat a repeated coding as one.
      if codings.allSatisfy({ $0 == "chunked" }) { codings = Array(codings.prefix(1)) }
      try codings.refuseAmbiguity(line.version, hasLength: facts.contentLength != nil)
      return .chunked
    }
    guard let length = facts.contentLength else { return .untilClose }
    return length == 0 ? .none : .length(length)
  }
}
