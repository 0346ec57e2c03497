package import WindTunnelHTTP

extension [UInt8] {
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
