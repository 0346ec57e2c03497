package import WindTunnelHTTP

/// The framing of a response's content for one client, and whether the connection persists.
package struct AnswerFraming: Sendable, Hashable {
  /// The value of `Content-Length`.
  fileprivate enum Announcement: Sendable, Hashable {
    /// No field: the content ends in another way, or must not be announced.
    case nothing
    case length(Int)
    /// The response's own field, or else this length. It describes the GET that a HEAD or a 304
    /// corresponds to (RFC 9110 §8.6).
    case recorded(otherwise: Int?)
  }

  package var framing: Framing
  fileprivate var announcement: Announcement
  package var keepsAlive: Bool

  /// Creates the framing of a response with this status to a request (RFC 9110 §8.6, RFC 9112 §6).
  /// The length is `nil` if it is unknown in advance.
  package init(status: Int, to request: RequestHead, length: Int?, keepsAlive: Bool = true) {
    let keeps = keepsAlive && request.keepsAlive
    self.init(status: status, to: request.method, request.version, length: length, keeps)
  }

  /// Creates the framing of a response to a request with this method and version.
  package init(
    status: Int,
    to method: String,
    _ version: HTTPVersion,
    length: Int?,
    _ keepsAlive: Bool
  ) {
    // A client whose tunnel is rejected may already have sent bytes for it (RFC 9110 §9.3.6). Over
    // HTTP/2 they belong to its stream alone.
    self.keepsAlive = keepsAlive && (method != "CONNECT" || version == .http2)
    if method == "HEAD" || status == 304 {
      framing = .none
      announcement = .recorded(otherwise: method == "HEAD" ? length : nil)
    } else if Response.hasNoContent(method: method, status: status) {
      framing = .none
      announcement = .nothing
    } else if let length {
      framing = .length(length)
      announcement = .length(length)
    } else if version != .http10 {
      framing = .chunked
      announcement = .nothing
    } else {
      framing = .untilClose
      announcement = .nothing
      self.keepsAlive = false
    }
    // These announce nothing, not even to a HEAD (RFC 9110 §8.6).
    if 100..<200 ~= status || status == 204 { announcement = .nothing }
  }

  /// Returns the value of `content-length`, given the recorded one; `nil` if none is announced.
  func announcedLength(recorded: String?) -> String? {
    switch announcement {
    case .nothing: nil
    case .length(let length): String(length)
    case .recorded(let length): recorded ?? length.map { String($0) }
    }
  }
}

extension [UInt8] {
  /// Appends a head with the actual framing fields, at the position of the recorded ones or else at
  /// the end.
  package mutating func appendHead(
    _ head: ResponseHead,
    reason: String? = nil,
    framed answer: AnswerFraming,
    for version: HTTPVersion = .http11
  ) {
    appendStatusLine(head.status, reason: reason ?? head.customReasonPhrase)
    var isFramed = false
    for field in head.headers {
      switch field.name.utf8.count {
      case 14 where field.isNamed("Content-Length"), 17 where field.isNamed("Transfer-Encoding"):
        if case .recorded = answer.announcement, field.name.utf8.count == 14 {
          appendField(field.name, field.value)
        } else if !isFramed {
          appendFraming(answer, spelledAs: field.name)
        }
        isFramed = true
      case 10 where field.isNamed("Connection") || field.isNamed("Keep-Alive"):
        // These fields belong to the recorded connection (RFC 9110 §7.6.1). The fields of an
        // upgrade are kept.
        if head.status == 101 { appendField(field.name, field.value) }
      default: appendField(field.name, field.value)
      }
    }
    if !isFramed { appendFraming(answer, spelledAs: "") }
    appendPersistence(answer, status: head.status, version)
    append(static: "\r\n")
  }

  /// Appends the framing field. If the recorded field has the same name, its case is kept, because
  /// some servers use lower case.
  private mutating func appendFraming(_ answer: AnswerFraming, spelledAs name: String) {
    switch answer.announcement {
    case .length(let length), .recorded(otherwise: let length?):
      append(static: name == "content-length" ? "content-length: " : "Content-Length: ")
      appendDecimal(length)
      append(static: "\r\n")
    case .nothing where answer.framing == .chunked:
      append(
        static: name == "transfer-encoding"
          ? "transfer-encoding: chunked\r\n" : "Transfer-Encoding: chunked\r\n"
      )
    case .nothing, .recorded(otherwise: nil): break
    }
  }

  private mutating func appendPersistence(
    _ answer: AnswerFraming,
    status: Int,
    _ version: HTTPVersion
  ) {
    // An interim response does not affect the connection.
    if 100..<200 ~= status { return }
    if !answer.keepsAlive {
      append(static: "Connection: close\r\n")
    } else if version == .http10 {
      append(static: "Connection: keep-alive\r\n")
    }
  }

  /// Appends the last response of a connection.
  mutating func appendLast(_ response: Response) {
    var head = response.head
    head.headers["Content-Length"] = String(response.body.count)
    head.headers["Connection"] = "close"
    appendHead(head)
    append(contentsOf: response.body.data)
  }
}

extension ResponseHead {
  /// Returns the length to announce; `nil` if the response must be chunked or a HEAD leaves it
  /// open.
  ///
  /// It is the head's own length, which is larger than the content of a truncated response, or else
  /// the length of the content.
  package func announcedLength(to method: String, content: () -> Int) -> Int? {
    // Trailers only follow chunks (RFC 9112 §7.1.2).
    if !trailers.isEmpty, method != "HEAD" { return nil }
    if headers["Content-Length"] != nil { return headers.contentLength }
    if headers["Transfer-Encoding"] != nil || method == "HEAD" { return nil }
    return content()
  }
}

extension HeaderFields {
  /// Removes the fields of one connection (RFC 9110 §7.6.1) and those between a client and its
  /// proxy (RFC 9110 §11.7).
  ///
  /// The marker of content without a known length may be kept, with the names of its trailers. A
  /// server also removes `Host` and `Expect`, because it has processed them.
  package mutating func removeConnectionFields(
    keepingCoding keepsCoding: Bool = false,
    asServer isServer: Bool = false
  ) {
    let named = values("Connection").flatMap { $0.split(separator: ",") }
      .map { $0.trimmingOptionalWhitespace() }
      // `Connection: close` names no field.
      .filter { !$0.equalsIgnoringASCIICase("close") }
    self = HeaderFields(
      filter { field in
        if named.contains(where: { field.name.equalsIgnoringASCIICase($0) }) { return false }
        // The length excludes most names before a byte is compared.
        switch field.name.utf8.count {
        case 2: return !field.isNamed("TE")
        case 4: return !isServer || !field.isNamed("Host")
        case 6: return !isServer || !field.isNamed("Expect")
        // `Trailer` announces trailers, which chunked content keeps (RFC 9110 §6.6.2).
        case 7: return (keepsCoding || !field.isNamed("Trailer")) && !field.isNamed("Upgrade")
        case 10: return !field.isNamed("Connection") && !field.isNamed("Keep-Alive")
        case 16: return !field.isNamed("Proxy-Connection")
        case 18: return !field.isNamed("Proxy-Authenticate")
        case 19: return !field.isNamed("Proxy-Authorization")
        case 25: return !field.isNamed("Proxy-Authentication-Info")
        case 17: return keepsCoding || !field.isNamed("Transfer-Encoding")
        default: return true
        }
      }
    )
    if keepsCoding { self["Transfer-Encoding"] = "chunked" }
  }

  /// The trailers without fields for framing, routing and the connection (RFC 9110 §6.5.1).
  var passedTrailers: HeaderFields {
    var fields = self
    fields.removeConnectionFields(asServer: true)
    fields.remove("Content-Length")
    return fields
  }
}

extension Response {
  /// Returns a response with a text.
  package static func notice(_ status: Int, _ text: String) -> Response {
    Response(
      status: status,
      headers: ["Content-Type": "text/plain; charset=utf-8"],
      body: Body(text + "\n")
    )
  }
}

extension Channel {
  /// Writes a text as the last response of the connection.
  package func writeNotice(_ status: Int, _ text: String) {
    write { $0.appendLast(.notice(status, text)) }
  }
}
