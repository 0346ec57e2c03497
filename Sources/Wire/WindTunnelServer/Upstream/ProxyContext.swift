@_spi(WindTunnel) internal import WindTunnelCore

/// The additional parts of a proxy, for the connections on one loop.
final class ProxyContext: Sendable {
  let settings: Proxying
  let resolver: LoopResolver
  /// The settings for decrypting tunnels; `nil` if tunnels are not decrypted.
  let contexts: TunnelContexts?
  /// Shared by all loops, because a code that was entered on one is valid for all.
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

  /// Returns how to treat a peer that connects.
  func receive(_ peer: String) -> PeerAuthorizer.Standing {
    let standing = gate.withLock { $0.standing(of: peer) }
    if case .refused = standing { settings.notice?(.turnedAway(peer)) }
    return standing
  }

  /// Returns the kind of a peer.
  func kind(of peer: String) -> PeerKind { gate.withLock { $0.kind(of: peer) } }

  /// Whether a previously unknown peer has entered the code in the meantime, on another connection.
  func isServed(_ peer: String) -> Bool { gate.withLock { $0.standing(of: peer) } == .served }

  /// Checks a code that a peer entered.
  func check(_ code: String, from peer: String) -> PeerAuthorizer.CodeResult {
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

  /// Returns the reason for not connecting a peer to an address; `nil` if it is connected.
  func refusal(of address: SocketAddress, for peer: SocketAddress?) -> AddressRefusal? {
    if let peer, machine.isPeer(peer.host) { return nil }
    let policy = AddressPolicy(for: peer, in: machine.network, allowing: settings.allowedAddresses)
    guard let refusal = policy.refusal(of: address, asking: OwnMachine.localEnd) else { return nil }
    if let peer { settings.notice?(.notConnected(peer.host, refusal)) }
    return refusal
  }
}

/// The settings that make a server a forward proxy (RFC 9110 §3.7), which accepts requests for any
/// host, and tunnels.
public struct Proxying: Sendable {
  /// The rule that selects the peers that the proxy serves.
  public var admission = Admission.everyone
  /// An observer of events about peers. It is called on the server's thread and must return
  /// quickly.
  public var notice: (@Sendable (PeerEvent) -> Void)?
  /// The exceptions to the refusal of addresses for other machines. By default, these cannot reach
  /// addresses of this machine or of a private network to which they do not belong.
  public var allowedAddresses: [AllowedAddress] = []
  /// The settings for decrypting tunnels; `nil` to relay them unchanged.
  public var opening: TunnelOpening? { didSet { authority = opening?.tls.authority.pem } }
  /// The certificate of the authority for decrypted tunnels, in PEM.
  var authority: String?

  fileprivate let resolver: Resolver

  /// Creates the default settings: every peer is served, and tunnels are not decrypted.
  public init() { resolver = Resolver() }

  /// Creates settings with another resolver.
  init(_ resolver: Resolver) { self.resolver = resolver }

  /// The host name of the proxy itself, `http://wind.tunnel/`.
  public static let host = "wind.tunnel"
  /// The path to which the page with the form for the code sends it.
  static let codePath = "/code"
  /// The paths that are also answered at the proxy's own address, before a device uses the proxy.
  static let ownPaths = ["/", "/ca.cer", "/ca.pem"]

  /// Returns the path of the proxy's own page for a device that receives the code with the address,
  /// as from a QR code.
  public static func path(giving code: String?) -> String {
    code.map { "\(codePath)?code=\($0)" } ?? "/"
  }

  /// The image that the page shows if it is requested through the proxy.
  static let pictureHostPath = "/works.svg"
}

/// The settings for decrypting tunnels: the proxy ends the client's TLS with certificates of its
/// own, and begins TLS with the origin.
public struct TunnelOpening: Sendable {
  /// The TLS settings for clients. Their authority issues certificates for the requested hosts.
  public let tls: ServerTLS
  /// The authorities that the proxy trusts for the real servers.
  public let trust: Trust

  /// Creates settings from the TLS settings for clients and the trusted authorities.
  public init(_ tls: ServerTLS, trusting trust: Trust = .system) {
    (self.tls, self.trust) = (tls, trust)
  }
}
