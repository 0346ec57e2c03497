/// The settings that make a server a forward proxy (RFC 9110 §3.7): it takes requests for any host,
/// and tunnels.
public struct Proxying: Sendable {
  /// The peers that it serves.
  public var admission = Admission.everyone
  /// Told of what becomes of peers, on the server's thread: it must be quick.
  public var notice: (@Sendable (PeerEvent) -> Void)?
  /// The addresses that other machines are connected to, although they are this machine's or of a
  /// private network that those machines are not in.
  public var allowedAddresses: [AllowedAddress] = []
  /// The way in which tunnels are opened; `nil`: they stay closed.
  public var opening: TunnelOpening? {
    didSet { authority = opening?.tls.authority.pem }
  }
  /// The certificate of the authority that opens tunnels, in PEM.
  var authority: String?

  let resolver: Resolver

  /// The defaults.
  public init() { resolver = Resolver() }

  /// Looks names up otherwise.
  init(_ resolver: Resolver) { self.resolver = resolver }

  /// The name by which the proxy itself is asked: `http://wind.tunnel/`.
  public static let host = "wind.tunnel"
  /// The path to which the page that asks for the code sends it.
  static let codePath = "/code"
}

/// The way in which a proxy looks into tunnels: it ends TLS with the client by certificates of its
/// own, and begins it anew with the origin.
public struct TunnelOpening: Sendable {
  /// The authority that vouches to clients for the hosts that they ask for.
  public let tls: ServerTLS
  /// The authorities that vouch to the proxy for the real servers.
  public let trust: Trust

  /// Makes settings of an issuer and the trusted authorities.
  public init(_ tls: ServerTLS, trusting trust: Trust = .system) {
    (self.tls, self.trust) = (tls, trust)
  }
}
