public import WindTunnel

/// The real server that a recording server stands in front of.
public struct Upstream: Sendable {
  /// Where it is.
  public let url: RequestURL
  let addresses: [SocketAddress]

  /// Finds the upstream's addresses; that may take as long as a resolver takes.
  ///
  /// - Throws: `ServerError.upstream` for a URL that is not `http://HOST[:PORT]`, or a host without
  ///   an address.
  public init(_ url: RequestURL) throws(ServerError) {
    self.url = url
    guard let scheme = url.scheme, let host = url.host, !host.isEmpty else {
      throw .upstream("\(url) is no URL such as http://127.0.0.1:8000")
    }
    guard scheme == "http" else {
      throw .upstream("\(url) is not plain HTTP, and this windtunnel has no TLS of its own yet")
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
  }
}
