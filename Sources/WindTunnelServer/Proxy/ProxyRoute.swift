internal import WindTunnel

/// What a request to a proxy asks for.
enum ProxyRoute: Sendable, Hashable {
  /// Bytes to and from `host:port` (RFC 9110 §9.3.6).
  case tunnel(String, port: Int)
  /// A request to pass on or to answer from the tape.
  case request
  /// The proxy's own pages, by path.
  case page(String)
  /// Something that a proxy does not do.
  case refusal(status: Int, String)

  init(_ head: RequestHead, port: Int) {
    if head.method == "CONNECT" {
      self = Self.tunnel(to: head.target)
      return
    }
    let url = head.url
    let isOwn = url.host == nil || Self.isOwn(url, port: port)
    if url.host == Proxying.host {
      self = .page(url.path)
    } else if isOwn {
      // Asked by a name of its own: a person who types the address into a browser.
      let named = RequestURL("http://\(head.headers["Host"] ?? "")").host
      self =
        named == Proxying.host || (url.path == "/" && head.method == "GET")
        ? .page(url.path)
        : .refusal(
          status: 400,
          "This is a proxy: ask it for a whole URL, such as http://example.com/, or set it as the "
            + "HTTP proxy of the client (RFC 9112 §3.2.2). It tells more at http://wind.tunnel/."
        )
    } else if url.scheme == "https" {
      self = .refusal(
        status: 501,
        "This proxy does not open TLS for a client; ask for \(url.host ?? "the host") by CONNECT "
          + "(RFC 9110 §9.3.6), as clients do for https by themselves."
      )
    } else {
      self = .request
    }
  }

  private static func tunnel(to target: String) -> ProxyRoute {
    let url = RequestURL("https://\(target)")
    guard let host = url.host, !host.isEmpty, let port = url.port, port > 0, url.userInfo == nil,
      url.target == "/"
    else {
      return .refusal(
        status: 400,
        "CONNECT takes host:port, not \(target.prefix(60)) (RFC 9110 §9.3.6)."
      )
    }
    return .tunnel(host, port: port)
  }

  private static func isOwn(_ url: RequestURL, port: Int) -> Bool {
    guard url.scheme != "https", (url.port ?? 80) == port, let host = url.host else { return false }
    let bare = host.hasPrefix("[") ? String(host.dropFirst().dropLast()) : host
    return host == "localhost" || PrivateAddress.isLoopback(bare)
  }
}
