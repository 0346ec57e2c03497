// Heads are written verbatim to the bytes for the socket. Callers have already corrected a
// message's fields, or a fault keeps them wrong on purpose.

extension [UInt8] {
  /// Appends a status line such as `HTTP/1.1 200 OK`.
  package mutating func appendStatusLine(_ status: Int, reason: String? = nil) {
    append(static: "HTTP/1.1 ")
    appendDecimal(status)
    append(0x20)
    if let reason { append(field: reason) } else { append(static: reasonPhrase(status)) }
    append(static: "\r\n")
  }

  /// Appends a status line, the fields unchanged, and the empty line.
  package mutating func appendHead(_ head: ResponseHead, reason: String? = nil) {
    appendStatusLine(head.status, reason: reason ?? head.customReasonPhrase)
    appendFields(head.headers)
  }

  /// Appends a request line, the fields unchanged, and the empty line.
  package mutating func appendHead(method: String, target: String, headers: HeaderFields) {
    append(field: method)
    append(0x20)
    append(field: target)
    append(static: " HTTP/1.1\r\n")
    appendFields(headers)
  }

  /// Appends the fields and the empty line that ends them.
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

  /// Appends text and replaces CR, LF and NUL by spaces, because they would end the field (RFC 9110
  /// §5.5).
  package mutating func append(field text: String) {
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
  /// Appends one chunk. Empty content is skipped, because an empty chunk would end the body.
  package mutating func appendChunk(_ content: some Collection<UInt8>) {
    guard !content.isEmpty else { return }
    append(contentsOf: String(content.count, radix: 16).utf8)
    append(static: "\r\n")
    append(contentsOf: content)
    append(static: "\r\n")
  }

  /// Appends the last chunk and the trailer fields.
  package mutating func appendLastChunk(trailers: HeaderFields = [:]) {
    append(static: "0\r\n")
    appendFields(trailers)
  }
}

extension ResponseHead {
  /// Stores the reason phrase of an origin, which may be empty, unless it is the usual one.
  package mutating func keep(reason text: String) {
    let isUsual = "\(reasonPhrase(status))".equalsIgnoringASCIICase(text)
    customReasonPhrase = isUsual ? nil : text
  }
}

/// Returns the phrases of RFC 9110 §15 and of the registry's later codes. Clients must not depend
/// on them.
private func reasonPhrase(_ status: Int) -> StaticString {
  reasonPhrases.indices.contains(status) ? reasonPhrases[status] : ""
}

/// The reason phrases, indexed by status.
private let reasonPhrases: [StaticString] = {
  let known: KeyValuePairs<Int, StaticString> = [
    100: "Continue", 101: "Switching Protocols", 103: "Early Hints", 200: "OK", 201: "Created",
    202: "Accepted", 203: "Non-Authoritative Information", 204: "No Content", 205: "Reset Content",
    206: "Partial Content", 300: "Multiple Choices", 301: "Moved Permanently", 302: "Found",
    303: "See Other", 304: "Not Modified", 307: "Temporary Redirect", 308: "Permanent Redirect",
    400: "Bad Request", 401: "Unauthorized", 402: "Payment Required", 403: "Forbidden",
    404: "Not Found", 405: "Method Not Allowed", 406: "Not Acceptable",
    407: "Proxy Authentication Required", 408: "Request Timeout", 409: "Conflict", 410: "Gone",
    411: "Length Required", 412: "Precondition Failed", 413: "Content Too Large",
    414: "URI Too Long", 415: "Unsupported Media Type", 416: "Range Not Satisfiable",
    417: "Expectation Failed", 421: "Misdirected Request", 422: "Unprocessable Content",
    425: "Too Early", 426: "Upgrade Required", 428: "Precondition Required",
    429: "Too Many Requests", 431: "Request Header Fields Too Large", 500: "Internal Server Error",
    501: "Not Implemented", 502: "Bad Gateway", 503: "Service Unavailable", 504: "Gateway Timeout",
    505: "HTTP Version Not Supported", 511: "Network Authentication Required",
  ]
  return known.reduce(into: [StaticString](repeating: "", count: 600)) { $0[$1.key] = $1.value }
}()
