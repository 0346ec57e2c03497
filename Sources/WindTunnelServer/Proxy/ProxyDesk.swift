internal import WindTunnel

/// What a proxy has beside what every server has, for the connections that are on one loop.
final class ProxyDesk: Sendable {
  let proxy: Proxying
  let lookups: Lookups
  /// What tunnels are opened by; `nil`: they stay closed.
  let contexts: TunnelContexts?
  /// One for all loops, since there is one first device.
  private let gate: Locked<PeerGate?>

  init(
    _ proxy: Proxying,
    _ gate: Locked<PeerGate?>,
    _ loop: EventLoop,
    opening contexts: TunnelContexts? = nil
  ) {
    (self.proxy, self.gate, self.contexts) = (proxy, gate, contexts)
    lookups = Lookups(proxy.resolver) { [weak loop] job in loop?.execute(job) }
  }

  /// What becomes of a peer.
  enum Reception: Sendable, Hashable {
    case served
    /// It is told why not.
    case refused(String)
    /// It has reset its connection. What it sent before is still there to be read, but nobody can
    /// say any more whether it may be served.
    case gone
  }

  func receive(_ socket: Socket) -> Reception {
    guard let peer = socket.peerAddress?.host else { return .gone }
    guard let refusal = gate.withLock({ $0?.refusal(of: peer) }) else { return .served }
    proxy.turnedAway?(peer)
    return .refused(refusal)
  }
}
