// Heads are written straight into the bytes that go to the socket, verbatim: what a message's
// fields should be is decided before, or not at all, where a fault wants it wrong.

extension [UInt8] {
  /// Writes `HTTP/1.1 200 OK`.
  package mutating func appendStatusLine(_ status: Int, reason: String? = nil) {
    append(static: "HTTP/1.1 ")
    appendDecimal(status)
    append(0x20)
    if let reason { append(field: reason) } else { append(static: reasonPhrase(status)) }
    append(static: "\r\n")
  }

  /// Writes a status line, the fields as they are, and the empty line.
  package mutating func appendHead(_ head: ResponseHead, reason: String? = nil) {
    appendStatusLine(head.status, reason: reason ?? head.reason)
    appendFields(head.headers)
  }

  /// Writes a request line, the fields as they are, and the empty line.
  package mutating func appendHead(method: String, target: String, headers: HeaderFields) {
    append(field: method)
    append(0x20)
    append(field: target)
    append(static: " HTTP/1.1\r\n")
    appendFields(headers)
  }

  /// Writes the fields and the empty line that ends them.
  package mutating func appendFields(_ fields: HeaderFields) {
    for field in fields { appendField(field.name, field.value) }
    append(static: "\r\n")
  }

  package mutating func appendField(_ name: String, _ value: String) {
    append(field: name)
    append(static: ": ")
    append(field: value)
    append(static: "\r\n")
  }

  package mutating func append(static text: StaticString) {
    append(contentsOf: UnsafeBufferPointer(start: text.utf8Start, count: text.utf8CodeUnitCount))
  }

  package mutating func appendDecimal(_ value: Int) { append(contentsOf: String(value).utf8) }

  /// RFC 9110 §5.5: CR, LF and NUL would end the field and begin something else; each becomes a
  /// space.
  private mutating func append(field text: String) {
    let start = count
    append(contentsOf: text.utf8)
    var mayHaveOctets = false
    for index in start..<count where self[index] <= 0x0D || self[index] == UInt8.octetLead {
      switch self[index] {
      case 0x00, 0x0A, 0x0D: self[index] = 0x20
      case UInt8.octetLead: mayHaveOctets = true
      default: break
      }
    }
    if mayHaveOctets { restoreOctets(from: start) }
  }
}

// Chunked framing, RFC 9112 §7.1.
extension [UInt8] {
  /// Writes one chunk; none for no bytes, since an empty chunk would end the content.
  package mutating func appendChunk(_ content: some Collection<UInt8>) {
    guard !content.isEmpty else { return }
    append(contentsOf: String(content.count, radix: 16).utf8)
    append(static: "\r\n")
    append(contentsOf: content)
    append(static: "\r\n")
  }

  /// Writes the end of chunked content.
  package mutating func appendLastChunk(trailers: HeaderFields = [:]) {
    append(static: "0\r\n")
    appendFields(trailers)
  }
}

extension ResponseHead {
  /// Stores the reason phrase of an origin, unless it is empty or the usual one.
  package mutating func keep(reason text: String) {
    let isUsual = "\(reasonPhrase(status))".equalsIgnoringASCIICase(text)
    reason = text.isEmpty || isUsual ? nil : text
  }
}

/// Returns the phrases of RFC 9110 §15 and of the registry's later codes; nobody may depend on
/// them.
private func reasonPhrase(_ status: Int) -> StaticString {
  switch status {
  case 100: "Continue"
  case 101: "Switching Protocols"
  case 103: "Early Hints"
  case 200: "OK"
  case 201: "Created"
  case 202: "Accepted"
  case 203: "Non-Authoritative Information"
  case 204: "No Content"
  case 205: "Reset Content"
  case 206: "Partial Content"
  case 300: "Multiple Choices"
  case 301: "Moved Permanently"
  case 302: "Found"
  case 303: "See Other"
  case 304: "Not Modified"
  case 307: "Temporary Redirect"
  case 308: "Permanent Redirect"
  case 400: "Bad Request"
  case 401: "Unauthorized"
  case 402: "Payment Required"
  case 403: "Forbidden"
  case 404: "Not Found"
  case 405: "Method Not Allowed"
  case 406: "Not Acceptable"
  case 407: "Proxy Authentication Required"
  case 408: "Request Timeout"
  case 409: "Conflict"
  case 410: "Gone"
  case 411: "Length Required"
  case 412: "Precondition Failed"
  case 413: "Content Too Large"
  case 414: "URI Too Long"
  case 415: "Unsupported Media Type"
  case 416: "Range Not Satisfiable"
  case 417: "Expectation Failed"
  case 421: "Misdirected Request"
  case 422: "Unprocessable Content"
  case 425: "Too Early"
  case 426: "Upgrade Required"
  case 428: "Precondition Required"
  case 429: "Too Many Requests"
  case 431: "Request Header Fields Too Large"
  case 500: "Internal Server Error"
  case 501: "Not Implemented"
  case 502: "Bad Gateway"
  case 503: "Service Unavailable"
  case 504: "Gateway Timeout"
  case 505: "HTTP Version Not Supported"
  case 511: "Network Authentication Required"
  default: ""
  }
}
