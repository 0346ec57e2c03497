@_spi(WindTunnel) internal import WindTunnelCore

/// The parts that a proxy has beside those of every server, for the connections that are on one
/// loop.
final class ProxyContext: Sendable {
  let settings: Proxying
  let resolver: LoopResolver
  /// The settings that tunnels are opened by; `nil`: they stay closed.
  let contexts: TunnelContexts?
  /// One for all loops, since a code that was given to one holds for all.
  private let gate: Locked<PeerAuthorizer>
  private let machine: OwnMachine

  init(
    _ settings: Proxying,
    _ gate: Locked<PeerAuthorizer>,
    _ machine: OwnMachine,
    _ loop: EventLoop,
    opening contexts: TunnelContexts? = nil
  ) {
    (self.settings, self.gate, self.machine, self.contexts) = (settings, gate, machine, contexts)
    resolver = LoopResolver(settings.resolver) { [weak loop] job in loop?.execute(job) }
  }

  /// Returns the treatment of a peer that connects.
  func receive(_ peer: String) -> PeerAuthorizer.Standing {
    let standing = gate.withLock { $0.standing(of: peer) }
    if case .refused = standing { settings.notice?(.turnedAway(peer)) }
    return standing
  }

  /// Returns the kind of a peer.
  func kind(of peer: String) -> PeerKind { gate.withLock { $0.kind(of: peer) } }

  /// Tells whether a peer that was unknown has given the code meanwhile, by another connection.
  func isServed(_ peer: String) -> Bool { gate.withLock { $0.standing(of: peer) } == .served }

  /// Looks at a code that a peer gave.
  func check(_ code: String, from peer: String) -> PeerAuthorizer.Verdict {
    let verdict = gate.withLock { $0.check(code, from: peer) }
    switch verdict {
    case .right: settings.notice?(.admitted(peer))
    case .last:
      settings.notice?(.turnedAway(peer))
      settings.notice?(.codeUsedUp(wrongCodes: PeerAuthorizer.wrongCodesOfAllMax))
    case .none, .wrong, .closed: settings.notice?(.turnedAway(peer))
    }
    return verdict
  }

  /// Returns why a peer is not connected to an address; `nil` where it is.
  func refusal(of address: SocketAddress, for peer: SocketAddress?) -> AddressRefusal? {
    if let peer, machine.isPeer(peer.host) { return nil }
    let policy = AddressPolicy(for: peer, in: machine.network, allowing: settings.allowedAddresses)
    guard let refusal = policy.refusal(of: address, asking: OwnMachine.localEnd) else { return nil }
    if let peer { settings.notice?(.notConnected(peer.host, refusal)) }
    return refusal
  }
}

/// The settings that make a server a forward proxy (RFC 9110 §3.7): it accepts requests for any
/// host, and tunnels.
public struct Proxying: Sendable {
  /// The choice of peers that the proxy serves.
  public var admission = Admission.everyone
  /// The observer of events about peers, called on the server's thread: it must be quick.
  public var notice: (@Sendable (PeerEvent) -> Void)?
  /// The addresses that other machines are connected to although they belong to this machine, or to
  /// a private network that those machines are not in.
  public var allowedAddresses: [AllowedAddress] = []
  /// The settings for decrypting tunnels; `nil`: they are relayed as they are.
  public var opening: TunnelOpening? { didSet { authority = opening?.tls.authority.pem } }
  /// The certificate of the authority that opens tunnels, in PEM.
  var authority: String?

  fileprivate let resolver: Resolver

  /// Makes settings with the defaults: every peer is served, and tunnels are not decrypted.
  public init() { resolver = Resolver() }

  /// Looks names up otherwise.
  init(_ resolver: Resolver) { self.resolver = resolver }

  /// The host name of the proxy itself: `http://wind.tunnel/`.
  public static let host = "wind.tunnel"
  /// The path to which the page that asks for the code sends it.
  static let codePath = "/code"
  /// The paths that are answered at the proxy's own address, too, before a device uses the proxy.
  static let ownPaths = ["/", "/ca.cer", "/ca.pem"]

  /// Returns the path of the proxy's own page for a device that is given the code along with the
  /// address, as a QR code does.
  public static func path(giving code: String?) -> String {
    code.map { "\(codePath)?code=\($0)" } ?? "/"
  }

  /// The picture that the page shows where it is asked through the proxy.
  static let pictureHostPath = "/works.svg"
}

/// The settings for decrypting tunnels: the proxy ends TLS with the client, with certificates of
/// its own, and begins it again with the origin.
public struct TunnelOpening: Sendable {
  /// The TLS settings towards clients, whose authority issues certificates for the hosts that they
  /// ask for.
  public let tls: ServerTLS
  /// The authorities that the proxy trusts about the real servers.
  public let trust: Trust

  /// Makes settings of an issuer and the trusted authorities.
  public init(_ tls: ServerTLS, trusting trust: Trust = .system) {
    (self.tls, self.trust) = (tls, trust)
  }
}
