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
          || url.path == Proxying.codePath
        ? .page(url.path)
        : .refusal(
          status: 400,
          "This is a proxy: ask it for a whole URL, such as http://example.com/, or set it as the "
            + "HTTP proxy of the client (RFC 9112 §3.2.2). It tells more at http://wind.tunnel/."
        )
    } else if !Self.namesHost(url) {
      self = .refusal(
        status: 400,
        "\(head.target.prefix(60)) names no host that can be asked: there should stand a name or an "
          + "address and, behind a colon, a port from 1 to 65535 (RFC 9110 §4.2.1)."
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
    guard let host = url.host, Self.namesHost(url), let port = url.port, url.userInfo == nil,
      url.target == "/"
    else {
      return .refusal(
        status: 400,
        "CONNECT takes host:port, not \(target.prefix(60)) (RFC 9110 §9.3.6)."
      )
    }
    if host == Proxying.host {
      // A browser that tries https first then comes by http.
      return .refusal(status: 404, "The proxy's own page is http://\(host)/, without TLS.")
    }
    return .tunnel(host, port: port)
  }

  /// Whether there is a host, and a port if one was written. What is no port is left in the host.
  private static func namesHost(_ url: RequestURL) -> Bool {
    guard let host = url.host, !host.isEmpty, url.port != 0 else { return false }
    return host.hasPrefix("[") ? SocketAddress(host, port: 0) != nil : !host.contains(":")
  }

  private static func isOwn(_ url: RequestURL, port: Int) -> Bool {
    guard url.scheme != "https", (url.port ?? 80) == port, let host = url.host else { return false }
    let bare = host.hasPrefix("[") ? String(host.dropFirst().dropLast()) : host
    return host == "localhost" || PrivateAddress.isLoopback(bare)
  }
}
