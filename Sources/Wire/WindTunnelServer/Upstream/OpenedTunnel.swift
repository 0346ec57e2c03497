internal import WindTunnel

/// A tunnel that is looked into: the place that its requests are meant for, and what is seen of its
/// handshake.
final class OpenedTunnel {
  /// `https` and the host and port of the CONNECT, whatever the requests name.
  let url: RequestURL
  let naming: OriginMapping.Naming
  private let authority: String
  private let scenario: String
  private let deck: Deck
  private let start = Moment.now()
  private var hasHadRequest = false

  init(to host: String, port: Int, in scenario: String, _ context: OriginContext) {
    var url = RequestURL("https://\(host):\(port)/")
    if port == 443 { url.port = nil }
    (self.url, self.scenario) = (url, scenario)
    authority = "\(host):\(port)"
    naming = OriginMapping.Naming(tunnelTo: url, in: context)
    deck = context.deck
  }

  /// Counts the round trips that go before the next request: the connection was paid for by the
  /// CONNECT, and TLS 1.3 takes one more before the first (RFC 8446 §2).
  func nextHandshakes() -> Int {
    defer { hasHadRequest = true }
    return hasHadRequest ? 0 : 1
  }

  /// Tells whether a request within names another place than the tunnel leads to.
  func isMisdirected(_ head: RequestHead) -> Bool {
    let asked = head.url
    guard let host = asked.host else { return false }
    return asked.scheme != "https" || host != url.host || asked.effectivePort != url.effectivePort
  }

  /// The connection has ended: a handshake that failed is told of.
  func ended(_ channel: Channel, _ error: SocketError?) {
    // A client may open tunnels in advance and not use them.
    guard channel.isWithinHandshake, let error else { return }
    let reason: TunnelEnd.Reason =
      if case .insecure(let failure) = error.kind, failure.isDistrust { .certificateRefused } else {
        .handshakeFailed("\(error)")
      }
    deck.tunnelEnded(
      TunnelEnd(
        scenario: scenario,
        authority: authority,
        connect: nil,
        bytesUp: 0,
        bytesDown: 0,
        duration: .nanoseconds(Moment.now() - start),
        reason: reason
      )
    )
  }
}

extension TLSFailure {
  /// Tells whether a client has said that it does not believe the certificate: bad, unsupported,
  /// revoked, expired and unknown ones, and an unknown authority (RFC 8446 §6.2).
  fileprivate var isDistrust: Bool {
    if case .alert(42...46) = kind { true } else { kind == .alert(48) }
  }
}

/// The TLS settings of connections on both sides of open tunnels.
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
