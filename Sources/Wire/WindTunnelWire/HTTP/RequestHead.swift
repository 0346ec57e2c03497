internal import WindTunnelCore
package import WindTunnelHTTP

/// A request before its content.
package struct RequestHead: Sendable, Hashable {
  package var method: String
  /// As it was written: a path, `*`, an authority (`CONNECT`) or an absolute URL (to a proxy).
  package var target: String
  package var version: HTTPVersion
  package var headers: HeaderFields
  package var framing: Framing
  /// Tells whether the client expects the connection to last (RFC 9112 §9.3).
  package var keepsAlive: Bool
  /// Tells whether the client waits for an interim 100 before it sends content (RFC 9110 §10.1.1).
  package var expectsContinue: Bool

  /// The URL that was asked for; without host unless the target itself names one (RFC 9112 §3.2.2
  /// lets that one prevail over `Host`).
  package var url: RequestURL { RequestURL(target, askedBy: method) }

  /// Tells whether the client wants to go on as a WebSocket (RFC 6455 §4.1).
  package var asksForWebSocket: Bool {
    method == "GET" && headers.contains(token: "websocket", in: "Upgrade")
      && headers.contains(token: "upgrade", in: "Connection")
  }

  /// The request line while the fields are not yet there.
  package struct Line: Sendable, Hashable {
    package var method: String
    package var target: String
    package var version: HTTPVersion

    /// RFC 9112 §3: method, one space, target, one space, version.
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

    /// RFC 9112 §3.2: the four forms of a target, and which method takes which.
    private static func check(_ target: Bytes, _ method: String) throws(ProtocolError) {
      if method == "CONNECT" {
        guard target.isAuthorityForm else {
          throw .bad("CONNECT takes host:port, not \(target.quoted) (RFC 9112 §3.2.3).")
        }
        return
      }
      guard !target.contains(0x23) else {
        throw .bad("The target holds a fragment, which stays with the client (RFC 9112 §3.2).")
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
        // RFC 9110 §4.2.4: a user before the host is a way to hide the host.
        guard end > 0, rest.part(0..<end).isHostField else {
          throw .bad("The target \(target.quoted) names no host (RFC 9110 §4.2.1).")
        }
        return
      }
      throw .bad("The target \(target.quoted) is no path and no URL (RFC 9112 §3.2).")
    }

    private static func notHTTP(_ line: Bytes) -> ProtocolError {
      line.first == 0x16
        ? .tlsOnPlainPort
        : .bad("The request line does not begin with a method and a space (RFC 9112 §3).")
    }
  }
}

extension RequestHead: MessageHead {
  /// The empty lines since the last request.
  package struct History { var emptyLines = 0 }

  package static var side: FieldSection.Side { .request }
  package static var usualLimits: Limits { .standard }
  package static var noHistory: History { History() }
  package static var isUnasked: Bool { true }
  package static var brokenHead: ProtocolError {
    ProtocolError(.truncated(.inHead), "The connection ended within a request's head.")
  }

  package var isInterim: Bool { false }

  package static func readStartLine(
    _ input: inout ByteQueue,
    ended: Bool,
    _ history: inout History,
    _ limits: Limits
  ) throws(ProtocolError) -> Line? {
    while let length = input.lineLength() {
      guard length <= limits.requestLineBytesMax else { throw tooLong(limits) }
      // RFC 9112 §2.2: an empty line before a request is ignored; a few, not an endless row.
      if length == 2, input[0] == .carriageReturn, history.emptyLines < 4 {
        history.emptyLines += 1
        input.skip(2)
        continue
      }
      let line = try input.peek(length) { bytes throws(ProtocolError) in
        try Line(FieldSection.withoutLineEnd(bytes, .request))
      }
      input.skip(length)
      history.emptyLines = 0
      return line
    }
    guard input.count <= limits.requestLineBytesMax else { throw tooLong(limits) }
    // A TLS client waits for an answer before it sends anything that looks like a line's end.
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
    _ line: Line,
    _ section: FieldSection,
    _ history: inout History,
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

extension RequestHead {
  /// Returns the trailers for the client: none for a URLSession on Linux, because Swift 6.3 ends
  /// the process at a trailer. Its default `User-Agent` is known.
  package func accepted(_ trailers: HeaderFields) -> HeaderFields {
    let isFragile = !trailers.isEmpty && headers["User-Agent"]?.contains(Self.linuxAgent) == true
    return isFragile ? [:] : trailers
  }

  private static let linuxAgent = " (unknown version) curl/"

  /// The methods of requests that may be sent again if their first result is unknown (RFC 9110
  /// §9.2.2).
  package static let idempotentMethods: Set<String> = [
    "GET", "HEAD", "OPTIONS", "TRACE", "PUT", "DELETE",
  ]
}
