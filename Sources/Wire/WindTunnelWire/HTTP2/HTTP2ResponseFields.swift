package import WindTunnelHTTP

extension ResponseStart {
  /// Reads the fields of a response's head (RFC 9113 §8.3.2).
  ///
  /// - Parameters:
  ///   - list: The fields.
  ///   - method: The method of the request.
  ///   - isWhole: Whether the response ends with the fields.
  /// - Throws: The failure of a malformed response.
  init(
    _ list: [HPACKField],
    to method: String,
    isWhole: Bool
  ) throws(HTTP2RequestFields.Failure) {
    var (status, length): (Int?, Int?)
    var fields: [HeaderField] = []
    for field in list {
      try HTTP2RequestFields.check(field.value, of: field.name)
      var value = field.value
      if field.name == ":status", status == nil, fields.isEmpty {
        status = value.utf8.count == 3 ? value.withUTF8(\.decimal) : nil
        guard let status, status >= 100 else {
          throw .malformed("The :status is not a number from 100 to 999.")
        }
        continue
      }
      // A pseudo-header field is no token.
      try HTTP2RequestFields.check(field.name)
      try HTTP2RequestFields.checkConnection(field.name, value)
      if field.name == "content-length" {
        guard length == nil, let number = value.withUTF8(\.decimal) else {
          throw .malformed("The content-length is no number, or there are two.")
        }
        length = number
      }
      fields.append(field.field)
    }
    guard let status else { throw .malformed("There is no :status.") }
    // RFC 9113 §8.6: HTTP/2 has no 101 (Switching Protocols). An interim response ends no stream.
    guard status != 101, status >= 200 || !isWhole else {
      throw .malformed("The response \(status) is not allowed here.")
    }
    let hasContent = !Response.hasNoContent(method: method, status: status)
    if isWhole, hasContent, let length, length > 0 {
      throw .malformed("There is a content-length of \(length) and no content.")
    }
    let framing = length.map { $0 == 0 ? Framing.none : .length($0) } ?? .chunked
    self.init(
      version: .http2,
      reason: "",
      head: ResponseHead(status: status, headers: HeaderFields(fields)),
      framing: isWhole || !hasContent ? .none : framing,
      keepsAlive: true
    )
  }
}

extension [UInt8] {
  /// Writes the field block of a request's head (RFC 9113 §8.3.1). Its `Host` becomes `:authority`.
  mutating func appendBlock(_ head: RequestHead, scheme: String) {
    appendHPACK(name: ":method", value: head.method)
    appendHPACK(name: ":scheme", value: scheme)
    if let host = head.headers["Host"] { appendHPACK(name: ":authority", value: host) }
    appendHPACK(name: ":path", value: head.target)
    let named = head.headers.namedByConnection
    for field in head.headers where !field.isOfConnection(named) && !field.isNamed("Host") {
      if field.isNamed("TE"), !field.value.equalsIgnoringASCIICase("trailers") { continue }
      appendHPACK(name: field.name, value: field.value)
    }
  }

  /// Writes the field block of a response's head, without connection-specific fields (RFC 9113
  /// §8.2.2). It has the same bytes on every connection.
  ///
  /// The position of `content-length` is the recorded one, or the end if none was recorded.
  package mutating func appendBlock(_ head: ResponseHead, framed answer: AnswerFraming) {
    appendHPACK(name: ":status", value: String(head.status))
    let named = head.headers.namedByConnection
    var isFramed = false
    for field in head.headers where !field.isOfConnection(named) {
      guard field.isNamed("Content-Length") else {
        appendHPACK(name: field.name, value: field.value)
        continue
      }
      let length = answer.announcedLength(recorded: field.value)
      if let length, !isFramed { appendHPACK(name: "content-length", value: length) }
      isFramed = true
    }
    if !isFramed, let length = answer.announcedLength(recorded: nil) {
      appendHPACK(name: "content-length", value: length)
    }
  }

  /// Writes the field block of trailers.
  mutating func appendBlock(_ trailers: HeaderFields) {
    for field in trailers where !field.isOfConnection([]) {
      appendHPACK(name: field.name, value: field.value)
    }
  }
}

extension HeaderFields {
  /// The field names in `Connection`.
  fileprivate var namedByConnection: [Substring] {
    contains { $0.isNamed("Connection") } ? elements("Connection") : []
  }
}

extension HeaderField {
  /// Whether the field is connection-specific, or has a name that is invalid in HTTP/2.
  fileprivate func isOfConnection(_ named: [Substring]) -> Bool {
    if !named.isEmpty, named.contains(where: { name.equalsIgnoringASCIICase($0) }) { return true }
    switch name.utf8.count {
    case 0: return true
    case 7: return isNamed("Upgrade")
    case 10: return isNamed("Connection") || isNamed("Keep-Alive")
    case 16: return isNamed("Proxy-Connection")
    case 17: return isNamed("Transfer-Encoding")
    default: return name.utf8.first == 0x3A
    }
  }
}
