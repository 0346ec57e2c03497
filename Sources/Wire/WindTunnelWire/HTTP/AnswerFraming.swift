internal import WindTunnelCore
package import WindTunnelHTTP

/// The framing of an answer's content for one client, and whether the connection outlives it.
package struct AnswerFraming: Sendable, Hashable {
  /// The value of `Content-Length`.
  fileprivate enum Announcement: Sendable, Hashable {
    /// Nothing: the content has another end, or must not be announced.
    case nothing
    case length(Int)
    /// The answer's own field, else this. It speaks of the GET that a HEAD or a 304 is
    /// about (RFC 9110 §8.6).
    case recorded(otherwise: Int?)
  }

  package var framing: Framing
  fileprivate var announcement: Announcement
  package var keepsAlive: Bool

  /// Frames an answer of this status to this request; the length is `nil` where it is not known
  /// beforehand (RFC 9110 §8.6, RFC 9112 §6).
  package init(status: Int, to request: RequestHead, length: Int?, keepsAlive: Bool = true) {
    let keeps = keepsAlive && request.keepsAlive
    self.init(status: status, to: request.method, request.version, length: length, keeps)
  }

  /// Frames an answer to a request of this method and version.
  package init(
    status: Int,
    to method: String,
    _ version: HTTPVersion,
    length: Int?,
    _ keepsAlive: Bool
  ) {
    // A client that is told no to a tunnel may have sent bytes for it already (RFC 9110 §9.3.6).
    self.keepsAlive = keepsAlive && method != "CONNECT"
    if method == "HEAD" || status == 304 {
      framing = .none
      announcement = .recorded(otherwise: method == "HEAD" ? length : nil)
    } else if Response.hasNoContent(method: method, status: status) {
      framing = .none
      announcement = .nothing
    } else if let length {
      framing = .length(length)
      announcement = .length(length)
    } else if version == .http11 {
      framing = .chunked
      announcement = .nothing
    } else {
      framing = .untilClose
      announcement = .nothing
      self.keepsAlive = false
    }
    // RFC 9110 §8.6: these announce nothing, not even to a HEAD.
    if 100..<200 ~= status || status == 204 { announcement = .nothing }
  }
}

extension [UInt8] {
  /// Writes a head whose framing fields say what will be done, at the place where the recorded
  /// ones stood, and else at the end.
  package mutating func appendHead(
    _ head: ResponseHead,
    reason: String? = nil,
    framed answer: AnswerFraming,
    for version: HTTPVersion = .http11
  ) {
    appendStatusLine(head.status, reason: reason ?? head.reason)
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
        // RFC 9110 §7.6.1: these belong to the connection that they came over; an upgrade's stay.
        if head.status == 101 { appendField(field.name, field.value) }
      default: appendField(field.name, field.value)
      }
    }
    if !isFramed { appendFraming(answer, spelledAs: "") }
    appendPersistence(answer, status: head.status, version)
    append(static: "\r\n")
  }

  /// Writes the field of the framing. The recorded field's name keeps its letters, where it is the
  /// same field: some servers send small ones.
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
    // An interim answer decides nothing about the connection.
    if 100..<200 ~= status { return }
    if !answer.keepsAlive {
      append(static: "Connection: close\r\n")
    } else if version == .http10 {
      append(static: "Connection: keep-alive\r\n")
    }
  }
}

extension ResponseHead {
  /// Returns the length to announce: what the head says, which is more than comes where an answer
  /// is cut; none where the recording was chunked or has trailers, or where a HEAD leaves it open;
  /// else what there is.
  package func announcedLength(to method: String, content: () -> Int) -> Int? {
    // RFC 9112 §7.1.2: trailers follow chunks only.
    if !trailers.isEmpty, method != "HEAD" { return nil }
    if let text = headers["Content-Length"] { return Int(text) }
    if headers["Transfer-Encoding"] != nil || method == "HEAD" { return nil }
    return content()
  }
}

extension HeaderFields {
  /// Takes out what speaks of one connection only (RFC 9110 §7.6.1) and what a client and its proxy
  /// have between themselves (RFC 9110 §11.7), but for the mark of content
  /// that had no length beforehand, which may stay at its place with the names of its trailers.
  ///
  /// A server has read `Host` and `Expect`, too, and passes neither on.
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
        // The length rules most names out before a byte is compared.
        switch field.name.utf8.count {
        case 2: return !field.isNamed("TE")
        case 4: return !isServer || !field.isNamed("Host")
        case 6: return !isServer || !field.isNamed("Expect")
        // RFC 9110 §6.6.2: it announces trailers, which chunked content keeps.
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

  /// The trailers without fields of framing, routing and the connection (RFC 9110 §6.5.1).
  var passedTrailers: HeaderFields {
    var fields = self
    fields.removeConnectionFields(asServer: true)
    fields.remove("Content-Length")
    return fields
  }
}

extension Response {
  /// Returns an answer in words.
  package static func notice(_ status: Int, _ text: String) -> Response {
    Response(
      status: status,
      headers: ["Content-Type": "text/plain; charset=utf-8"],
      body: Body(text + "\n")
    )
  }
}

extension [UInt8] {
  /// Writes an answer that is the connection's last.
  mutating func appendLast(_ response: Response) {
    var head = response.head
    head.headers["Content-Length"] = String(response.body.count)
    head.headers["Connection"] = "close"
    appendHead(head)
    append(contentsOf: response.body.data)
  }
}

extension Channel {
  /// Writes an answer in words that is the connection's last.
  package func writeNotice(_ status: Int, _ text: String) {
    write { $0.appendLast(.notice(status, text)) }
  }
}
