/// How a proxy looks into tunnels: it ends TLS with the client by certificates of its own, and begins
/// it anew with the origin.
public struct TunnelOpening: Sendable {
  /// Who vouches to clients for the hosts that they ask for.
  public let tls: ServerTLS
  /// Who vouches to the proxy for the real servers.
  public let trust: Trust

  /// Makes one.
  public init(_ tls: ServerTLS, trusting trust: Trust = .system) {
    (self.tls, self.trust) = (tls, trust)
  }
}

/// What connections on both sides of open tunnels share.
struct TunnelContexts: Sendable {
  let client: TLSContext
  let origin: TLSContext

  /// - Throws: `ServerError.upstream` for a file of certificates that holds none,
  ///   `ServerError.tlsUnavailable` where OpenSSL has no memory.
  init(_ opening: TunnelOpening) throws(ServerError) {
    client = try TLSContext(opening.tls)
    origin = try TLSContext(trusting: opening.trust, opening.tls.authority.openSSL)
  }
}
