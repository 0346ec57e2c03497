internal import Foundation
internal import WindTunnel

/// The role of a connection to a forward proxy, which takes requests for any host and opens tunnels.
final class ProxyHandler: RequestHandler {
  private let context: PortContext
  private let proxy: ProxyContext
  /// The address of a peer that has not given the code.
  private var unknownPeer: String?

  init(_ proxy: ProxyContext, in context: PortContext, unknownPeer: String? = nil) {
    (self.proxy, self.context, self.unknownPeer) = (proxy, context, unknownPeer)
  }

  func handle(_ head: RequestHead) -> RequestHandling {
    let route = ProxyRoute(head, port: context.origins.port)
    if let peer = unknownPeer, let refusal = refusal(of: peer, head, route) { return refusal }
    switch route {
    case .request:
      let refusal = context.refusalOfUpgrade(head, orElse: "ask for it through a tunnel")
      return refusal.map { refusal in .answer { _ in refusal } } ?? .play(DeckRequest())
    case .page(let path):
      return .answer { [proxy, context] _ in
        ProxyPage(path, proxy.settings, context.deck).response
      }
    case .refusal(let status, let text): return .answer { _ in .notice(status, text) }
    case .tunnel(let host, let port):
      return .takeOver { [self] in openTunnel(to: host, port: port, for: $0, head) }
    }
  }

  /// The answer to a peer that has not given the code; `nil` once it is served.
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
    case .page(Proxying.codePath) where Self.bringsForm(head):
      // The code comes behind the head.
      return .answerLast { [proxy] body in
        CodePage(after: proxy.check(GivenCode.inForm(body), from: peer), isOwnPage: true).response
      }
    case .page: return .refuse(CodePage(after: .none, isOwnPage: true).response)
    case .refusal(let status, let text): return .refuse(.notice(status, text))
    case .request, .tunnel: break
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
    for connection: ClientConnection,
    _ head: RequestHead
  ) {
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
      return connection.answer(.notice(501, text), to: head)
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
            connection?.handOver(
              to: OpenedTunnelHandler(tunnel: opened, context: context),
              as: opened.url.host.flatMap { HostName($0.withoutBrackets) },
              by: contexts.client,
              early: Array(early),
              showing: handshake,
              ended: opened.ended
            )
          }
        }
      )
    }
  }
}

/// The role of a connection within a tunnel that the proxy looks into.
struct OpenedTunnelHandler: RequestHandler {
  let tunnel: OpenedTunnel
  let context: PortContext

  func handle(_ head: RequestHead) -> RequestHandling {
    let place = tunnel.url.origin ?? ""
    if head.method == "CONNECT" {
      let text = "This is a tunnel to \(place); there is no other within it."
      return .answer { _ in .notice(501, text) }
    }
    if tunnel.isMisdirected(head) {
      let text = "This tunnel leads to \(place), not to \(head.target.prefix(60))."
      return .answer { _ in .notice(421, text) }
    }
    let remedy = "without --open-tls, where the link holds every byte of it"
    if let refusal = context.refusalOfUpgrade(head, orElse: remedy) {
      return .answer { _ in refusal }
    }
    return .play(DeckRequest(naming: tunnel.naming, handshakes: tunnel.nextHandshakes))
  }
}
