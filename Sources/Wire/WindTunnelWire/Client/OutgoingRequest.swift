package import WindTunnelHTTP

/// A request in the form in which it is sent on a connection.
package struct OutgoingRequest {
  package let method: String
  package let target: String
  package let headers: HeaderFields
  package let content: SentContent
  /// Whether the connection serves no other request (RFC 9112 §9.6).
  package let endsConnection: Bool

  /// Creates a request from its parts.
  ///
  /// - Parameters:
  ///   - method: The method.
  ///   - url: The URL of the server, which determines `Host` unless the header fields contain it.
  ///   - target: The target, as it is sent.
  ///   - headers: The header fields, without connection fields except for an upgrade.
  ///   - content: The content, which determines the framing.
  ///   - endsConnection: Whether the connection serves no other request.
  ///   - takesTrailers: Whether trailers are accepted.
  package init(
    _ method: String,
    to url: RequestURL,
    _ target: String,
    _ headers: HeaderFields,
    _ content: SentContent,
    endsConnection: Bool = false,
    takesTrailers: Bool = false
  ) {
    (self.method, self.target, self.content) = (method, target, content)
    self.endsConnection = endsConnection
    var fields = headers
    let host = fields["Host"] ?? (url.host ?? "") + (url.port.map { ":\($0)" } ?? "")
    fields.remove("Host")
    // `TE` belongs to one connection (RFC 9110 §10.1.4).
    let options = (endsConnection ? ["close"] : []) + (takesTrailers ? ["TE"] : [])
    if !options.isEmpty { fields.append("Connection", options.joined(separator: ", ")) }
    if takesTrailers { fields.append("TE", "trailers") }
    fields.frame(content.length, of: method)
    self.headers = HeaderFields([HeaderField("Host", host)] + fields)
  }
}

extension HeaderFields {
  /// Sets the framing fields for content (RFC 9112 §6.3); `nil` means an unknown length.
  fileprivate mutating func frame(_ length: Int?, of method: String) {
    guard let length else {
      remove("Content-Length")
      self["Transfer-Encoding"] = "chunked"
      return
    }
    // A request whose method allows content announces a length of zero (RFC 9110 §8.6).
    let couldHaveContent = ["POST", "PUT", "PATCH"].contains(method)
    if length > 0 || couldHaveContent || self["Content-Length"] != nil {
      self["Content-Length"] = String(length)
    }
  }
}
