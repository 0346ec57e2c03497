internal import WindTunnel

/// A tunnel that is looked into: whom its requests are meant for, and what is seen of its handshake.
final class OpenedTunnel {
  /// `https` and the host and port of the CONNECT, whatever the requests name.
  let url: RequestURL
  let naming: Authority.Naming
  private let authority: String
  private let scenario: String
  private let observe: (@Sendable (Sighting) -> Void)?
  private let start = Moment.now()
  private var hasHadRequest = false

  init(to host: String, port: Int, in scenario: String, _ context: PortContext) {
    var url = RequestURL("https://\(host):\(port)/")
    if port == 443 { url.port = nil }
    (self.url, self.scenario) = (url, scenario)
    authority = "\(host):\(port)"
    naming = Authority.Naming(tunnelTo: url, in: context)
    observe = context.proxy?.settings.observe
  }

  /// How many round trips go before the next request: the connection was paid for by the CONNECT, and
  /// TLS 1.3 takes one more before the first (RFC 8446 §2).
  func takeHandshakes() -> Int {
    defer { hasHadRequest = true }
    return hasHadRequest ? 0 : 1
  }

  /// Whether a request within names another place than the tunnel leads to.
  func isMisdirected(_ head: RequestHead) -> Bool {
    let asked = head.url
    guard let host = asked.host else { return false }
    return asked.scheme != "https" || host != url.host
      || asked.effectivePort != url.effectivePort
  }

  /// The connection has ended: a handshake that failed is told of.
  func ended(_ channel: Channel, _ error: SocketError?) {
    // A client may open tunnels in advance and not use them.
    guard channel.isWithinHandshake, let error else { return }
    let ending: SeenConnection.Ending =
      if case .insecure(let failure) = error.kind, failure.isDistrust { .certificateRefused } else {
        .handshakeFailed("\(error)")
      }
    observe?(
      .connection(
        SeenConnection(
          scenario: scenario,
          authority: authority,
          connect: nil,
          bytesUp: 0,
          bytesDown: 0,
          duration: .nanoseconds(Moment.now() - start),
          ending: ending
        )
      )
    )
  }
}

extension TLSFailure {
  /// Whether a client has said that it does not believe the certificate: bad, unsupported, revoked,
  /// expired and unknown ones, and an unknown authority (RFC 8446 §6.2).
  fileprivate var isDistrust: Bool {
    if case .alert(42...46) = kind { true } else { kind == .alert(48) }
  }
}
