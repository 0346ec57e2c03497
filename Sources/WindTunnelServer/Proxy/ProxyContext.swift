internal import WindTunnel

/// What a proxy has beside what every server has, for the connections that are on one loop.
final class ProxyContext: Sendable {
  let settings: Proxying
  let lookups: Lookups
  /// What tunnels are opened by; `nil`: they stay closed.
  let contexts: TunnelContexts?
  /// One for all loops, since a code that was given to one holds for all.
  private let gate: Locked<PeerGate>
  private let machine: OwnMachine

  init(
    _ settings: Proxying,
    _ gate: Locked<PeerGate>,
    _ machine: OwnMachine,
    _ loop: EventLoop,
    opening contexts: TunnelContexts? = nil
  ) {
    (self.settings, self.gate, self.machine, self.contexts) = (settings, gate, machine, contexts)
    lookups = Lookups(settings.resolver) { [weak loop] job in loop?.execute(job) }
  }

  /// What becomes of a peer.
  enum Reception: Sendable, Hashable {
    case served
    /// It is asked for the code.
    case unknown(String)
    /// It is told why not.
    case refused(String)
    /// It has reset its connection. What it sent before is still there to be read, but nobody can
    /// say any more whether it may be served.
    case gone
  }

  func receive(_ socket: Socket) -> Reception {
    guard let peer = socket.peerAddress?.host else { return .gone }
    switch gate.withLock({ $0.standing(of: peer) }) {
    case .served: return .served
    case .unknown: return .unknown(peer)
    case .refused(let sentence):
      settings.notice?(.turnedAway(peer))
      return .refused(sentence)
    }
  }

  /// Tells whether a peer that was unknown has given the code meanwhile, by another connection.
  func isServed(_ peer: String) -> Bool { gate.withLock { $0.standing(of: peer) } == .served }

  /// Looks at a code that a peer gave.
  func take(_ code: String, from peer: String) -> PeerGate.Verdict {
    let verdict = gate.withLock { $0.take(code, from: peer) }
    switch verdict {
    case .right: settings.notice?(.admitted(peer))
    case .last:
      settings.notice?(.turnedAway(peer))
      settings.notice?(.codeUsedUp(wrongCodes: PeerGate.wrongCodesMax))
    case .none, .wrong, .closed: settings.notice?(.turnedAway(peer))
    }
    return verdict
  }

  /// Why a peer is not connected to an address; `nil` where it is.
  func refusal(of address: SocketAddress, for peer: SocketAddress?) -> AddressRefusal? {
    if let peer, machine.isPeer(peer.host) { return nil }
    let policy = AddressPolicy(for: peer, in: machine.network, allowing: settings.allowedAddresses)
    guard let refusal = policy.refusal(of: address, asking: OwnMachine.localEnd) else { return nil }
    if let peer { settings.notice?(.notConnected(peer.host, refusal)) }
    return refusal
  }
}
