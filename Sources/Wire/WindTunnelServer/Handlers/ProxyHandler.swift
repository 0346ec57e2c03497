internal import Foundation
internal import WindTunnel
@_spi(WindTunnel) internal import WindTunnelCore

/// The role of a connection to a forward proxy, which takes requests for any host and opens
/// tunnels.
final class ProxyHandler: RequestHandler {
  private let context: PortContext
  private let proxy: ProxyContext
  private let peer: String
  /// The address of a peer that has not given the code.
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
    // The proxy would connect nobody to this machine, and asks for no page of its own.
    if let console = context.proxiedConsole.withLock({ $0 }), console.isMeant(by: head) {
      return console.handler(peer).handle(head)
    }
    switch route {
    case .request: return .play()
    case .secureRequest(let host, let port):
      let scenario = context.deck.scenario.name
      let origin = OpenedTunnel(to: host, port: port, in: scenario, context.origins)
      // Nothing was paid for by a CONNECT, so that all its round trips are the request's.
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

  /// Returns the answer to a peer that has not given the code; `nil` once it is served.
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
      // The code comes behind the head.
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

  /// Tells whether a request brings a form that is short enough to be read.
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
        "\(host) is on the cassette, and what is in a closed tunnel cannot be answered from it: "
        + "nobody can read it (proxy --open-tls can). The live \(host) is not asked either."
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

// The role of a connection within a tunnel that the proxy looks into.
extension OpenedTunnel: RequestHandler {
  func handle(_ head: RequestHead) -> RequestHandling {
    let place = url.origin ?? ""
    if head.method == "CONNECT" {
      let text = "This is a tunnel to \(place); there is no other within it."
      return .answer { _ in .notice(501, text) }
    }
    if isMisdirected(head) {
      let text = "This tunnel leads to \(place), not to \(head.target.prefix(60))."
      return .answer { _ in .notice(421, text) }
    }
    return .play(naming: naming, handshakes: nextHandshakes)
  }
}

/// The kinds of request to a proxy.
private enum ProxyRoute {
  /// Bytes to and from `host:port` (RFC 9110 §9.3.6).
  case tunnel(String, port: Int)
  /// A request to pass on or to answer from the cassette.
  case request
  /// The same for a server by `https`, which the proxy speaks TLS to.
  case secureRequest(String, port: Int)
  /// The proxy's own pages, by path.
  case page(String, isThroughProxy: Bool)
  /// Something that a proxy does not do.
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
      // Asked by a name of its own: a person who types the address into a browser.
      let named = RequestURL("http://\(head.headers["Host"] ?? "")").host
      self =
        named == Proxying.host || url.path == Proxying.codePath
          || (head.method == "GET" && Proxying.ownPaths.contains(url.path))
        ? .page(url.path, isThroughProxy: named == Proxying.host)
        : .refusal(
          status: 400,
          "This is a proxy: ask it for a whole URL, such as http://example.com/, or set it as the "
            + "HTTP proxy of the client (RFC 9112 §3.2.2). It tells more at http://wind.tunnel/."
        )
    } else if !Self.namesHost(url) {
      self = .refusal(
        status: 400,
        "\(head.target.prefix(60)) names no host that can be asked: there should stand a name or an "
          + "address and, behind a colon, a port from 1 to 65535 (RFC 9110 §4.2.1)."
      )
    } else if url.scheme == "https", opensTLS {
      self = .secureRequest(url.host ?? "", port: url.effectivePort ?? 443)
    } else if url.scheme == "https" {
      self = .refusal(
        status: 501,
        "This proxy does not open TLS for a client; ask for \(url.host ?? "the host") by CONNECT "
          + "(RFC 9110 §9.3.6), as clients do for https by themselves."
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
        "CONNECT takes host:port, not \(target.prefix(60)) (RFC 9110 §9.3.6)."
      )
    }
    if host == Proxying.host {
      // A browser that tries https first then comes by http.
      return .refusal(status: 404, "The proxy's own page is http://\(host)/, without TLS.")
    }
    return .tunnel(host, port: port)
  }

  /// Tells whether there is a host, and a port if one was written. What is no port is left in the
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
