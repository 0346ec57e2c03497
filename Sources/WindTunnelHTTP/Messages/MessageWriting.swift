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
    appendStatusLine(head.status, reason: reason)
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
    for index in start..<count where self[index] <= 0x0D {
      switch self[index] {
      case 0x00, 0x0A, 0x0D: self[index] = 0x20
      default: break
      }
    }
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
