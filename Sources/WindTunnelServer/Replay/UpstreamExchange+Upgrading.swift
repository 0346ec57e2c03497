internal import Foundation
internal import WindTunnel

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
