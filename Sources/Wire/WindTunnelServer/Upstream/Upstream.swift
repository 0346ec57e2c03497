public import WindTunnel

/// The real server that a recording server stands in front of.
public struct Upstream: Sendable {
  /// The URL of the server.
  public private(set) var url: RequestURL
  /// Tells whether requests to other ports of an ignored host are forwarded to it, too, at those
  /// ports.
  public var isAnyPort = false
  private(set) var addresses: [SocketAddress]
  /// The TLS settings of a server by `https`.
  private let tls: (context: TLSContext, host: HostName)?

  /// The server of any URL, whose addresses are found when they are needed; `nil` for one by
  /// `https` where there is nothing to speak it by.
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

  /// Resolves the upstream's host and, for `https`, reads the trusted certificates; takes as long
  /// as the resolver does.
  ///
  /// - Parameters:
  ///   - url: The upstream's URL, without a path.
  ///   - trust: The authorities that are trusted about a server by `https`.
  /// - Throws: `ServerError.upstream` for a URL that is not `http://HOST[:PORT]` or
  ///   `https://HOST[:PORT]`, for a host without an address, or for certificates that cannot be
  ///   parsed; `ServerError.tlsUnavailable` for `https` where there is no OpenSSL 3.
  public init(_ url: RequestURL, trusting trust: Trust = .system) throws(ServerError) {
    self.url = url
    guard let scheme = url.scheme, let host = url.host, !host.isEmpty else {
      throw .upstream("\(url) is no URL such as http://127.0.0.1:8000")
    }
    guard scheme == "http" || scheme == "https" else {
      throw .upstream("\(url) is spoken to neither by http:// nor by https://")
    }
    guard url.path == "/", url.query == nil else {
      throw .upstream(
        "\(url) has a path; an upstream is a whole server, such as \(url.origin ?? "")"
      )
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
      throw .upstream("\(host) is no name that a certificate can be made out to")
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

  /// Returns the server for requests, with so much time to accept a connection.
  func destination(_ limits: Limits) -> Destination {
    Destination(
      url: url,
      addresses: addresses,
      connectSeconds: limits.connectSeconds,
      engine: engine
    )
  }

  /// Returns an end of TLS for one connection to it; `nil` for plain HTTP.
  private func engine() throws(SocketError) -> TLSEngine? {
    guard let tls else { return nil }
    do throws(ServerError) { return try TLSEngine(tls.context, host: tls.host) } catch {
      throw .unusable("\(error)", addresses.first)
    }
  }
}
