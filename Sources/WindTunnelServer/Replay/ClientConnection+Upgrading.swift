internal import Foundation
internal import WindTunnel

// WebSockets: a connection that goes on in another protocol once its request is answered by 101
// (RFC 6455 §4.1, RFC 9110 §7.8). Its bytes pass both ways as they are, and nothing of them is kept.
extension ClientConnection {
  /// Why a WebSocket cannot be asked for here; `nil` for all other requests.
  func refusal(ofUpgradeIn head: RequestHead) -> Response? {
    guard context.passesOn, head.asksForWebSocket else { return nil }
    let scenario = context.deck.scenario
    guard scenario.link != nil else { return nil }
    let remedy =
      opened == nil
      ? "Fly it without the link, or ask for it through a tunnel."
      : "Fly it without the link, or without --open-tls, where the link holds every byte of it."
    return .notice(
      501,
      "Scenario \"\(scenario.name)\" has a link, and that does not reach into a WebSocket. \(remedy)"
    )
  }

  /// Passes on both ways whatever comes, from here on.
  ///
  /// - Parameters:
  ///   - upstream: The origin's connection, on which the other protocol is spoken by now.
  ///   - early: What the origin has said in it.
  func relay(to upstream: Channel, early: Data) {
    guard let channel else { return upstream.abandon() }
    let rest = parser.takeRemainder()
    deadline.begin(.none, on: reactor)
    state = .relaying
    let relay = Relay(channel, upstream) { [weak self] _ in self?.relayEnded() }
    relay.begin(with: early, to: channel)
    relay.begin(with: rest, to: upstream)
    channel.resumeReading()
    upstream.resumeReading()
    let seconds = context.options.limits.tunnelSeconds
    reactor.schedule(after: Int64(nanosecondsOf: seconds)) { [weak channel] _ in channel?.close() }
  }

  private func relayEnded() {
    state = .ended
    channel = nil
    deadline.end(on: reactor)
    context.live.remove(self)
  }
}

extension UpstreamExchange {
  /// Whether the client's wish to go on in another protocol is passed on.
  var asksForUpgrade: Bool { metered == nil && head.asksForWebSocket }

  /// The origin goes on in the other protocol.
  func upgraded(_ start: ResponseStart) {
    guard let client, let own = client.channel, let channel else { return }
    own.write { $0.appendHead(start.head, reason: start.reason) }
    let early = takeRemainder()
    isOver = true
    stopPatience()
    self.channel = nil
    exchange.watch?.status = start.head.status
    exchange.watch?.ended(.whole)
    client.context.deck.finished(outcome)
    client.relay(to: channel, early: early)
  }
}

extension RequestHead {
  /// Whether the client wants to go on as a WebSocket (RFC 6455 §4.1).
  var asksForWebSocket: Bool {
    method == "GET" && headers.contains(token: "websocket", in: "Upgrade")
      && headers.contains(token: "upgrade", in: "Connection")
  }
}
