internal import WindTunnel

/// What a proxy has beside what every server has, for the connections that are on one loop.
final class ProxyDesk: Sendable {
  let proxy: Proxying
  let lookups: Lookups
  /// One for all loops, since there is one first device.
  private let gate: Locked<PeerGate?>

  init(_ proxy: Proxying, _ gate: Locked<PeerGate?>, _ loop: EventLoop) {
    (self.proxy, self.gate) = (proxy, gate)
    lookups = Lookups(proxy.resolver) { [weak loop] job in loop?.execute(job) }
  }

  /// What a peer is told that is not served.
  func refusal(of socket: Socket) -> String? {
    // A peer without an address has gone.
    guard let peer = socket.peerAddress?.host,
      let refusal = gate.withLock({ $0?.refusal(of: peer) })
    else { return nil }
    proxy.turnedAway?(peer)
    return refusal
  }
}
