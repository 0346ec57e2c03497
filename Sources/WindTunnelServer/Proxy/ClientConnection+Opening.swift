internal import Foundation
internal import WindTunnel

// Tunnels that a proxy looks into.
extension ClientConnection {
  /// Lets go of a connection on which a CONNECT has been answered, so that it is served by TLS.
  func open(
    _ opened: OpenedTunnel,
    by contexts: TunnelContexts,
    early: Data,
    showing handshake: Handshake
  ) {
    guard let channel else { return }
    let host = opened.url.host.flatMap { HostName($0.withoutBrackets) }
    do throws(ServerError) {
      try Self.takeOver(
        channel,
        as: host,
        by: contexts.client,
        early: Array(early),
        showing: handshake,
        in: context,
        of: opened
      )
    } catch {
      // There is no memory for one more connection.
      return channel.abandon()
    }
    channel.resumeReading()
    // The other one has it from here on.
    self.channel = nil
    state = .ended
    deadline.end(on: reactor)
    context.live.remove(self)
  }

  /// Answers what cannot be asked within a tunnel; false for a request that goes on as any other does.
  func answerWithin(_ opened: OpenedTunnel, _ head: RequestHead) -> Bool {
    let place = opened.url.origin ?? ""
    if head.method == "CONNECT" {
      answer(.notice(501, "This is a tunnel to \(place); there is no other within it."), to: head)
    } else if opened.isMisdirected(head) {
      let target = head.target.prefix(60)
      answer(.notice(421, "This tunnel leads to \(place), not to \(target)."), to: head)
    } else {
      return false
    }
    return true
  }
}
