public import WindTunnel

/// The real server behind a recording server.
public struct Upstream: Sendable {
  /// The URL of the server.
  public private(set) var url: RequestURL
  /// Whether requests to other ports of an ignored host are also forwarded to it, at those ports.
  public var isAnyPort = false
  private(set) var addresses: [SocketAddress]
  /// The TLS settings of an `https` server.
  private let tls: (context: TLSContext, host: HostName)?

  /// Creates the server of any URL; `nil` for `https` without TLS settings or with an invalid host
  /// name. Its addresses are looked up when they are needed.
  init?(of url: RequestURL, by context: TLSContext?) {
    var origin = url
    (origin.userInfo, origin.path, origin.query) = (nil, "/", nil)
    (self.url, addresses) = (origin, [])
    guard url.scheme == "https" else {
      tls = nil
      return
    }
    guard let context, let name = url.host.flatMap({ HostName($0.withoutBrackets) }) else {
      return nil
    }
    tls = (context, name)
  }

  /// Resolves the upstream's host and, for `https`, reads the trusted certificates. It blocks while
  /// the resolver waits.
  ///
  /// - Parameters:
  ///   - url: The upstream's URL, without a path.
  ///   - trust: The authorities that are trusted for an `https` server.
  /// - Throws: `ServerError.upstream` for a URL that is not `http://HOST[:PORT]` or
  ///   `https://HOST[:PORT]`, for user information, which would not be sent, for a host without
  ///   an address, or for certificates that cannot be parsed; `ServerError.tlsUnavailable` for
  ///   `https` if OpenSSL 3 is missing.
  public init(_ url: RequestURL, trusting trust: Trust = .system) throws(ServerError) {
    self.url = url
    let url = url.withoutSecrets
    guard let scheme = url.scheme, let host = url.host, !host.isEmpty else {
      throw .upstream("\(url) is not a URL such as http://127.0.0.1:8000")
    }
    guard scheme == "http" || scheme == "https" else {
      throw .upstream("\(url) is neither an http:// nor an https:// URL")
    }
    guard url.path == "/", url.query == nil else {
      throw .upstream(
        "\(url) has a path; an upstream is an origin without a path, such as \(url.origin ?? "")"
      )
    }
    guard url.userInfo == nil else {
      throw .upstream("\(url) has user information, which is not sent; send Authorization instead")
    }
    do {
      addresses = try SocketAddress.resolve(host, port: url.effectivePort ?? 80)
    } catch {
      throw .upstream("\(host): \(error)")
    }
    guard scheme == "https" else {
      tls = nil
      return
    }
    guard let name = HostName(host) else {
      throw .upstream("\(host) is not a name that a certificate can contain")
    }
    tls = (try TLSContext(trusting: trust, try OpenSSL.shared()), name)
  }

  /// Returns the same host at another port.
  func at(port: Int) -> Upstream {
    var other = self
    other.url.port = port == (url.scheme == "https" ? 443 : 80) ? nil : port
    other.addresses = addresses.map { $0.at(port: port) }
    return other
  }

  /// Returns the server as the destination of requests, with the time limit for connecting.
  func destination(_ limits: Limits) -> Destination {
    Destination(
      url: url,
      addresses: addresses,
      connectSeconds: limits.connectSeconds,
      engine: engine
    )
  }

  /// Returns a TLS end for one connection to the server; `nil` for plain HTTP.
  private func engine() throws(SocketError) -> TLSEngine? {
    guard let tls else { return nil }
    do throws(ServerError) { return try TLSEngine(tls.context, host: tls.host) } catch {
      throw .unusable("\(error)", addresses.first)
    }
  }
}
