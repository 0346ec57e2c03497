internal import WindTunnelCore
package import WindTunnelHTTP

/// A request as it is sent on a connection.
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
  ///   - url: The URL of the server, which is named unless the header fields have a `Host`.
  ///   - target: The target, as it is sent.
  ///   - headers: The header fields, without those of the connection but for an upgrade.
  ///   - content: The content, by which the request is framed.
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
    // RFC 9110 §10.1.4: TE belongs to one connection.
    let options = (endsConnection ? ["close"] : []) + (takesTrailers ? ["TE"] : [])
    if !options.isEmpty { fields.append("Connection", options.joined(separator: ", ")) }
    if takesTrailers { fields.append("TE", "trailers") }
    fields.frame(content.length, of: method)
    self.headers = HeaderFields([HeaderField("Host", host)] + fields)
  }
}

extension HeaderFields {
  /// Announces content (RFC 9112 §6.3); `nil`: its length is unknown.
  fileprivate mutating func frame(_ length: Int?, of method: String) {
    guard let length else {
      remove("Content-Length")
      self["Transfer-Encoding"] = "chunked"
      return
    }
    // RFC 9110 §8.6: a request that could have content says that it has none.
    let couldHaveContent = ["POST", "PUT", "PATCH"].contains(method)
    if length > 0 || couldHaveContent || self["Content-Length"] != nil {
      self["Content-Length"] = String(length)
    }
  }
}
