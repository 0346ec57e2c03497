internal import Foundation
internal import WindTunnel
internal import WindTunnelSymptoms

// How long an upstream is waited for.
extension UpstreamExchange {
  /// Gives the next address a try where this one does not take the connection in time.
  func awaitConnect(to address: SocketAddress) {
    guard let client else { return }
    wait(client.context.options.limits.connectSeconds) { exchange in
      exchange.drop()
      exchange.connectFailed(SocketError(.connect, ETIMEDOUT, address))
    }
  }

  /// Gives up where nothing moves any more in either direction.
  func awaitAnswer() {
    guard let client, let channel else { return }
    let seconds = client.context.options.limits.answerSeconds
    let rest =
      max(lastMove, channel.lastSent ?? lastMove) + Int64(nanosecondsOf: seconds) - Moment.now()
    wait(Double(max(rest, 0)) / 1e9) { exchange in
      guard let channel = exchange.channel else { return }
      // One that is not listened to has no chance to say anything.
      if channel.isReadingPaused { exchange.lastMove = Moment.now() }
      exchange.lastMove = max(exchange.lastMove, channel.lastSent ?? exchange.lastMove)
      if Moment.now() - exchange.lastMove < Int64(nanosecondsOf: seconds) {
        return exchange.awaitAnswer()
      }
      if exchange.awaitsContent {
        let sentence = "No more of the request came for \(Self.text(seconds)) s."
        exchange.client?.breakOff(ProtocolError(.tooSlow, sentence))
        return
      }
      exchange.drop()
      exchange.failed(.timedOut, "it said nothing for \(Self.text(seconds)) s")
    }
  }

  /// The same digits in every language: a message of the harness is no text of the system's.
  private static func text(_ seconds: Double) -> String {
    seconds == seconds.rounded() && abs(seconds) < 1e9 ? "\(Int(seconds))" : "\(seconds)"
  }

  /// The client sends no more: it may still read, or have left, which only bytes to it can show.
  func clientEnded() {
    guard let client else { return }
    clientEnd = clientEnd ?? elapsed
    let before = lastMove
    let seconds = client.context.options.limits.halfClosedSeconds
    client.reactor.schedule(after: Int64(nanosecondsOf: seconds)) { [weak self] _ in
      guard let self, !isOver || isWritten else { return }
      // It is only now that the client gets what it waits for.
      if lastMove != before || isWritten { return clientEnded() }
      // It is told of that as of any end.
      self.client?.channel?.abandon()
    }
  }

  /// The client is gone; what came until then is kept as what it left.
  func clientLeft() {
    defer { exchange.watch?.ended(.clientLeft) }
    // What has come to its end is kept as that, though it may be that it is still being written down.
    guard !isOver else { return }
    isOver = true
    stopPatience()
    channel?.abandon()
    channel = nil
    // Where the recording ends nobody has left.
    if isStopped, clientEnd == nil {
      client?.context.deck.finished(outcome)
    } else {
      keepLeft(after: clientEnd ?? elapsed)
    }
  }

  func stopPatience() {
    if let patience { client?.reactor.cancel(patience) }
    patience = nil
  }

  /// Gives the connection back at once, and hears nothing of it any more.
  func drop() {
    let dead = channel
    channel = nil
    dead?.delegate = nil
    dead?.abandon()
  }

  private func wait(_ seconds: Double, _ isOver: @escaping (UpstreamExchange) -> Void) {
    stopPatience()
    patience = client?.reactor.schedule(after: Int64(nanosecondsOf: seconds)) { [weak self] _ in
      guard let self, !self.isOver else { return }
      patience = nil
      isOver(self)
    }
  }
}
