package import WindTunnelHTTP

/// A request without its content.
package struct RequestHead: Sendable, Hashable {
  package var method: String
  /// The target as it was written: a path, `*`, an authority (`CONNECT`) or an absolute URL (to a
  /// proxy).
  package var target: String
  package var version: HTTPVersion
  package var headers: HeaderFields
  package var framing: Framing
  /// Whether the client expects the connection to persist (RFC 9112 §9.3).
  package var keepsAlive: Bool
  /// Whether the client waits for an interim 100 before it sends content (RFC 9110 §10.1.1).
  package var expectsContinue: Bool

  /// The requested URL. It has a host only if the target contains one, which then takes precedence
  /// over `Host` (RFC 9112 §3.2.2).
  package var url: RequestURL { RequestURL(target, askedBy: method) }

  /// Whether the request is a WebSocket handshake (RFC 6455 §4.1).
  package var asksForWebSocket: Bool {
    method == "GET" && headers.contains(token: "websocket", in: "Upgrade")
      && headers.contains(token: "upgrade", in: "Connection")
  }

  /// Whether the request is an extended CONNECT whose stream can carry a WebSocket (RFC 8441 §5).
  package var opensTunnel: Bool {
    version == .http2 && framing == .chunked && asksForWebSocket
  }

  /// The request line before the fields are read.
  package struct RequestLine: Sendable, Hashable {
    package var method: String
    package var target: String
    package var version: HTTPVersion

    /// Parses a request line (RFC 9112 §3): method, one space, target, one space, version.
    package init(_ line: Bytes) throws(ProtocolError) {
      var space = 0
      while space < line.count, line[space].isToken { space += 1 }
      guard space > 0, space < line.count, line[space] == .space else { throw Self.notHTTP(line) }
      let method = line.part(0..<space)
      var end = space + 1
      while end < line.count, line[end].isTarget { end += 1 }
      let target = line.part(space + 1..<end)
      guard end < line.count, line[end] == .space, !target.isEmpty else {
        throw .bad("The request line is not “method target HTTP/1.1” (RFC 9112 §3).")
      }
      version = try HTTPVersion(line.part(end + 1..<line.count))
      self.method = method.text
      self.target = target.text
      try Self.check(target, self.method)
    }

    /// Throws if the target does not have the form for the method (RFC 9112 §3.2).
    private static func check(_ target: Bytes, _ method: String) throws(ProtocolError) {
      if method == "CONNECT" {
        guard target.isAuthorityForm else {
          throw .bad("CONNECT needs host:port, not \(target.quoted) (RFC 9112 §3.2.3).")
        }
        return
      }
      guard !target.contains(0x23) else {
        throw .bad("The target contains a fragment, which clients must not send (RFC 9112 §3.2).")
      }
      if target[0] == 0x2F { return }
      if target.count == 1, target[0] == 0x2A, method == "OPTIONS" { return }
      for scheme: StaticString in ["http://", "https://"] {
        let length = scheme.utf8CodeUnitCount
        guard target.count > length, target.part(0..<length).equalsLowercase(scheme) else {
          continue
        }
        let rest = target.part(length..<target.count)
        let end = rest.firstIndex { $0 == 0x2F || $0 == 0x3F } ?? rest.count
        // User information before the host can hide the host (RFC 9110 §4.2.4).
        guard end > 0, rest.part(0..<end).isHostField else {
          throw .bad("The target \(target.quoted) has no valid host or port (RFC 9110 §4.2.1).")
        }
        return
      }
      throw .bad("The target \(target.quoted) is neither a path nor a URL (RFC 9112 §3.2).")
    }

    private static func notHTTP(_ line: Bytes) -> ProtocolError {
      line.first == 0x16
        ? .tlsOnPlainPort
        : .bad("The request line does not begin with a method and a space (RFC 9112 §3).")
    }
  }
}

extension RequestHead: MessageHead {
  /// The number of empty lines since the last request.
  package struct History { var emptyLines = 0 }

  package static var side: FieldSection.Side { .request }
  package static var usualLimits: Limits { .standard }
  package static var noHistory: History { History() }
  package static var isUnasked: Bool { true }
  package static var brokenHead: ProtocolError {
    ProtocolError(.truncated(.inHead), "The connection ended in the head of a request.")
  }

  package var isInterim: Bool { false }

  package static func readStartLine(
    _ input: inout ByteQueue,
    ended: Bool,
    _ history: inout History,
    _ limits: Limits
  ) throws(ProtocolError) -> RequestLine? {
    while let length = input.lineLength() {
      guard length <= limits.requestLineBytesMax else { throw tooLong(limits) }
      // A few empty lines before a request are ignored (RFC 9112 §2.2).
      if length == 2, input[0] == .carriageReturn, history.emptyLines < 4 {
        history.emptyLines += 1
        input.skip(2)
        continue
      }
      let line = try input.peek(length) { bytes throws(ProtocolError) in
        try RequestLine(FieldSection.withoutLineEnd(bytes, .request))
      }
      input.skip(length)
      history.emptyLines = 0
      return line
    }
    guard input.count <= limits.requestLineBytesMax else { throw tooLong(limits) }
    // A TLS client waits for a response before it sends anything that looks like a line end.
    if input.count >= 3, input[0] == 0x16, input[1] == 0x03 { throw ProtocolError.tlsOnPlainPort }
    if ended, !input.isEmpty { throw brokenHead }
    return nil
  }

  private static func tooLong(_ limits: Limits) -> ProtocolError {
    ProtocolError(
      .targetTooLong,
      "The request line is longer than \(limits.requestLineBytesMax) bytes."
    )
  }

  package init(
    _ line: RequestLine,
    _ section: FieldSection,
    _ history: inout History,
    _ limits: Limits
  ) throws(ProtocolError) {
    let facts = section.facts
    // HTTP/1.1 requires exactly one Host; two are always invalid (RFC 9112 §3.2).
    guard facts.hostCount < 2 else { throw .bad("There are two Host fields (RFC 9112 §3.2).") }
    guard facts.hostCount == 1 || line.version == .http10 else {
      throw .bad("An HTTP/1.1 request needs a Host field (RFC 9112 §3.2).")
    }
    // A server may accept equal lengths as one (RFC 9110 §8.6), but a client has no reason to send
    // two.
    guard facts.lengthCount < 2 else {
      throw .bad("There are two lengths in Content-Length (RFC 9110 §8.6).")
    }
    method = line.method
    target = line.target
    version = line.version
    headers = HeaderFields(section.fields)
    framing = try Self.framing(facts, line.version)
    keepsAlive = facts.keepsAlive(line.version)
    // The expectation is ignored in HTTP/1.0 and without content (RFC 9110 §10.1.1).
    expectsContinue = facts.expectsContinue && line.version == .http11 && framing != .none
    if case .length(let length) = framing, length > limits.bodyBytesMax { throw .tooLarge(limits) }
  }

  /// Returns the framing of a request (RFC 9112 §6.3).
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

extension RequestHead {
  /// Returns the trailers for the client: none for URLSession on Linux, because Swift 6.3 crashes
  /// at a trailer. It is recognised by its default `User-Agent`.
  package func accepted(_ trailers: HeaderFields) -> HeaderFields {
    let isFragile = !trailers.isEmpty && headers["User-Agent"]?.contains(Self.linuxAgent) == true
    return isFragile ? [:] : trailers
  }

  private static let linuxAgent = " (unknown version) curl/"

  /// The methods of requests that may be sent again if the result of the first is unknown (RFC 9110
  /// §9.2.2).
  package static let idempotentMethods: Set<String> = [
    "GET", "HEAD", "OPTIONS", "TRACE", "PUT", "DELETE",
  ]
}
