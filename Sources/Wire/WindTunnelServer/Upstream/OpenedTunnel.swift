internal import WindTunnel

/// A decrypted tunnel: the destination of its requests, and the observation of its handshake.
final class OpenedTunnel {
  /// `https` with the host and port of the CONNECT, regardless of the names in the requests.
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

  /// Returns the number of round trips before the next request. The CONNECT accounts for the
  /// connection, and TLS 1.3 takes one more before the first request (RFC 8446 §2).
  func nextHandshakes() -> Int {
    exchange(&hasHadRequest, with: true) ? 0 : 1
  }

  /// Whether a request inside the tunnel names a destination other than the tunnel's.
  func isMisdirected(_ head: RequestHead) -> Bool {
    let asked = head.url
    guard let host = asked.host else { return false }
    return asked.scheme != "https" || host != url.host || asked.effectivePort != url.effectivePort
  }

  /// Handles the end of the connection: reports a handshake that failed.
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
  /// Whether a client has rejected the certificate: as bad, unsupported, revoked, expired or
  /// unknown, or because of an unknown authority (RFC 8446 §6.2).
  fileprivate var isDistrust: Bool {
    if case .alert(42...46) = kind { true } else { kind == .alert(48) }
  }
}

/// The TLS settings for the connections on both sides of decrypted tunnels.
struct TunnelContexts: Sendable {
  let client: TLSContext
  let origin: TLSContext

  /// Creates the settings for both sides.
  ///
  /// - Throws: `ServerError.upstream` for a file without certificates, `ServerError.tlsUnavailable`
  ///   if OpenSSL has no memory.
  init(_ opening: TunnelOpening) throws(ServerError) {
    client = try TLSContext(opening.tls)
    origin = try TLSContext(trusting: opening.trust, opening.tls.authority.openSSL)
  }
}
