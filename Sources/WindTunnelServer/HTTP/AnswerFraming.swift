internal import WindTunnel

/// The framing of an answer's content for one client, and whether the connection outlives it.
struct AnswerFraming: Sendable, Hashable {
  /// The value of `Content-Length`.
  enum Announcement: Sendable, Hashable {
    /// Nothing: the content has another end, or must not be announced.
    case nothing
    case length(Int)
    /// The answer's own field, else this. It speaks of the GET that a HEAD or a 304 is
    /// about (RFC 9110 §8.6).
    case recorded(otherwise: Int?)
  }

  var framing: Framing
  var announcement: Announcement
  var keepsAlive: Bool

  /// Frames an answer of this status to this request; the length is `nil` where it is not known
  /// beforehand (RFC 9110 §8.6, RFC 9112 §6).
  init(status: Int, to request: RequestHead, length: Int?, keepsAlive: Bool = true) {
    // A client that is told no to a tunnel may have sent bytes for it already (RFC 9110 §9.3.6).
    self.keepsAlive = keepsAlive && request.keepsAlive && request.method != "CONNECT"
    if request.method == "HEAD" || status == 304 {
      framing = .none
      announcement = .recorded(otherwise: request.method == "HEAD" ? length : nil)
    } else if Response.hasNoContent(method: request.method, status: status) {
      framing = .none
      announcement = .nothing
    } else if let length {
      framing = .length(length)
      announcement = .length(length)
    } else if request.version == .http11 {
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
  mutating func appendHead(
    _ head: ResponseHead,
    reason: String? = nil,
    framed answer: AnswerFraming,
    for version: HTTPVersion = .http11
  ) {
    appendStatusLine(head.status, reason: reason)
    var isFramed = false
    for field in head.headers {
      switch field.name.utf8.count {
      case 14 where field.isNamed("Content-Length"), 17 where field.isNamed("Transfer-Encoding"):
        if case .recorded = answer.announcement, field.name.utf8.count == 14 {
          appendField(field.name, field.value)
        } else if !isFramed {
          appendFraming(answer)
        }
        isFramed = true
      case 10 where field.isNamed("Connection") || field.isNamed("Keep-Alive"):
        // RFC 9110 §7.6.1: these belong to the connection that they came over; an upgrade's stay.
        if head.status == 101 { appendField(field.name, field.value) }
      default:
        appendField(field.name, field.value)
      }
    }
    if !isFramed { appendFraming(answer) }
    appendPersistence(answer, status: head.status, version)
    append(static: "\r\n")
  }

  private mutating func appendFraming(_ answer: AnswerFraming) {
    switch answer.announcement {
    case .length(let length), .recorded(otherwise: let length?):
      append(static: "Content-Length: ")
      appendDecimal(length)
      append(static: "\r\n")
    case .nothing where answer.framing == .chunked:
      append(static: "Transfer-Encoding: chunked\r\n")
    case .nothing, .recorded(otherwise: nil):
      break
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
  /// The length to announce: what the head says, which is more than comes where an answer is cut;
  /// none where the recording was chunked, or where a HEAD leaves it open; else what there is.
  func announcedLength(to request: RequestHead, content: () -> Int) -> Int? {
    if let text = headers["Content-Length"] { return Int(text) }
    if headers["Transfer-Encoding"] != nil || request.method == "HEAD" { return nil }
    return content()
  }
}
