internal import Foundation
internal import WindTunnel
@_spi(WindTunnel) internal import WindTunnelCore

/// The handler of connections to a forward proxy, which accepts requests for any host and opens
/// tunnels.
final class ProxyHandler: RequestHandler {
  private let context: PortContext
  private let proxy: ProxyContext
  private let peer: String
  /// The address of a peer that has not entered the code.
  private var unknownPeer: String?

  var peerKind: PeerKind { proxy.kind(of: peer) }

  init(
    _ proxy: ProxyContext,
    in context: PortContext,
    from peer: String,
    unknownPeer: String? = nil
  ) {
    (self.proxy, self.context, self.peer) = (proxy, context, peer)
    self.unknownPeer = unknownPeer
  }

  func handle(_ head: RequestHead) -> RequestHandling {
    let route = ProxyRoute(head, port: context.origins.port, opensTLS: proxy.contexts != nil)
    if let peer = unknownPeer, let refusal = refusal(of: peer, head, route) { return refusal }
    // The proxy connects no other machine to this one, and its console has its own rules.
    if let console = context.proxiedConsole.withLock({ $0 }), console.isMeant(by: head) {
      return console.handler(peer).handle(head)
    }
    switch route {
    case .request: return .play()
    case .secureRequest(let host, let port):
      let scenario = context.deck.scenario.name
      let origin = OpenedTunnel(to: host, port: port, in: scenario, context.origins)
      // No CONNECT preceded the request, so all round trips count for the request.
      return .play(naming: origin.naming)
    case .page(let path, let isThroughProxy):
      let address = isThroughProxy ? nil : head.headers["Host"]
      return .answer { [proxy, context] _ in
        let console = context.proxiedConsole.withLock { $0 }
        return ProxyPage(
          path,
          proxy.settings,
          context.deck,
          console: console?.url,
          calledBy: address
        ).response
      }
    case .refusal(let status, let text): return .answer { _ in .notice(status, text) }
    case .tunnel(let host, let port):
      return .takeOver { [self] in openTunnel(to: host, port: port, for: $0, head) }
    }
  }

  /// Returns the response to a peer that has not entered the code; `nil` once it is served.
  private func refusal(
    of peer: String,
    _ head: RequestHead,
    _ route: ProxyRoute
  ) -> RequestHandling? {
    if proxy.isServed(peer) {
      unknownPeer = nil
      return nil
    }
    switch route {
    case .page(Proxying.codePath, _) where head.method == "GET" && head.url.query != nil:
      let code = GivenCode.inForm(Data((head.url.query ?? "").utf8))
      return .refuse(CodePage(after: proxy.check(code, from: peer), isOwnPage: true).response)
    case .page(Proxying.codePath, _) where Self.bringsForm(head):
      // The code is in the body.
      return .answerLast { [proxy] body in
        CodePage(after: proxy.check(GivenCode.inForm(body), from: peer), isOwnPage: true).response
      }
    case .page: return .refuse(CodePage(after: .none, isOwnPage: true).response)
    case .refusal(let status, let text): return .refuse(.notice(status, text))
    case .request, .secureRequest, .tunnel: break
    }
    let verdict = proxy.check(GivenCode.inCredentials(head.headers) ?? "", from: peer)
    guard verdict != .right else {
      unknownPeer = nil
      return nil
    }
    return .refuse(CodePage(after: verdict, isOwnPage: false).response)
  }

  /// Whether a request contains a form that is short enough to be read.
  private static func bringsForm(_ head: RequestHead) -> Bool {
    guard head.method == "POST", case .length(let length) = head.framing else { return false }
    return length <= GivenCode.formBytesMax
  }

  private func openTunnel(
    to host: String,
    port: Int,
    for connection: ServedConnection,
    _ head: RequestHead
  ) -> RequestHandling? {
    let decision = context.deck.openTunnel(
      to: "\(host):\(port)",
      lane: context.lane,
      isOpened: proxy.contexts != nil,
      at: Date()
    )
    if decision.isOnCassette, !decision.isOpened, decision.failure == nil {
      let text =
        "\(host) is on the cassette, but the proxy cannot read requests in a closed tunnel; use "
        + "proxy --open-tls. No connection was made to the live \(host)."
      return .answer { _ in .notice(501, text) }
    }
    connection.pass { [context, proxy] channel in
      Tunnel(
        decision,
        to: host,
        port: port,
        for: channel,
        in: context.origins,
        handOver: proxy.contexts.map { contexts in
          { [weak connection] early, handshake in
            let opened = OpenedTunnel(to: host, port: port, in: decision.scenario, context.origins)
            connection?.handOver { channel, live throws(ServerError) in
              try ServedConnection.takeOver(
                channel,
                as: opened.url.host.flatMap { HostName($0.withoutBrackets) },
                by: contexts.client,
                early: Array(early),
                showing: handshake,
                in: context,
                live,
                opened,
                ended: opened.ended
              )
            }
          }
        }
      )
    }
    return nil
  }
}

// The handler of connections within a tunnel that the proxy decrypts.
extension OpenedTunnel: RequestHandler {
  func handle(_ head: RequestHead) -> RequestHandling {
    let place = url.origin ?? ""
    if head.method == "CONNECT" {
      let text = "This is a tunnel to \(place); it cannot contain another tunnel."
      return .answer { _ in .notice(501, text) }
    }
    if isMisdirected(head) {
      let text = "This tunnel leads to \(place), not to \(head.target.prefix(60))."
      return .answer { _ in .notice(421, text) }
    }
    return .play(naming: naming, handshakes: nextHandshakes)
  }
}

/// The kinds of requests to a proxy.
private enum ProxyRoute {
  /// A tunnel to `host:port` (RFC 9110 §9.3.6).
  case tunnel(String, port: Int)
  /// A request to forward or to answer from the cassette.
  case request
  /// The same for a server of `https`, to which the proxy uses TLS.
  case secureRequest(String, port: Int)
  /// The proxy's own pages, by path.
  case page(String, isThroughProxy: Bool)
  /// A request that a proxy does not support.
  case refusal(status: Int, String)

  init(_ head: RequestHead, port: Int, opensTLS: Bool) {
    if head.method == "CONNECT" {
      self = Self.tunnel(to: head.target)
      return
    }
    let url = head.url
    let isOwn = url.host == nil || Self.isOwn(url, port: port)
    if url.host == Proxying.host {
      self = .page(url.path, isThroughProxy: true)
    } else if isOwn {
      // Addressed by the proxy's own name: a person typed the address into a browser.
      let named = RequestURL("http://\(head.headers["Host"] ?? "")").host
      self =
        named == Proxying.host || url.path == Proxying.codePath
          || (head.method == "GET" && Proxying.ownPaths.contains(url.path))
        ? .page(url.path, isThroughProxy: named == Proxying.host)
        : .refusal(
          status: 400,
          "This is a proxy: request an absolute URL, such as http://example.com/, or set it as the "
            + "HTTP proxy of the client (RFC 9112 §3.2.2). See http://wind.tunnel/."
        )
    } else if !Self.namesHost(url) {
      self = .refusal(
        status: 400,
        "\(head.target.prefix(60)) has no valid host: a name or an address is required, optionally "
          + "with a colon and a port from 1 to 65535 (RFC 9110 §4.2.1)."
      )
    } else if url.scheme == "https", opensTLS {
      self = .secureRequest(url.host ?? "", port: url.effectivePort ?? 443)
    } else if url.scheme == "https" {
      self = .refusal(
        status: 501,
        "This proxy opens no TLS connection for a client; send CONNECT \(url.host ?? "HOST") "
          + "(RFC 9110 §9.3.6), as clients do for https URLs."
      )
    } else {
      self = .request
    }
  }

  private static func tunnel(to target: String) -> ProxyRoute {
    let url = RequestURL("https://\(target)")
    guard let host = url.host, Self.namesHost(url), let port = url.port, url.userInfo == nil,
      url.target == "/"
    else {
      return .refusal(
        status: 400,
        "CONNECT needs host:port, not \(target.prefix(60)) (RFC 9110 §9.3.6)."
      )
    }
    if host == Proxying.host {
      // A browser that first tries https then uses http.
      return .refusal(status: 404, "The page of the proxy is http://\(host)/, without TLS.")
    }
    return .tunnel(host, port: port)
  }

  /// Whether a URL has a host and, if one is written, a valid port. An invalid port is part of the
  /// host.
  private static func namesHost(_ url: RequestURL) -> Bool {
    guard let host = url.host, !host.isEmpty, url.port != 0 else { return false }
    return host.hasPrefix("[") ? SocketAddress(host, port: 0) != nil : !host.contains(":")
  }

  private static func isOwn(_ url: RequestURL, port: Int) -> Bool {
    guard url.scheme != "https", (url.port ?? 80) == port, let host = url.host else { return false }
    return host == "localhost" || PrivateAddress.isLoopback(host.withoutBrackets)
  }
}
