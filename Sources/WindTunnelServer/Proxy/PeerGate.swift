internal import WindTunnel

/// Whom a proxy serves.
public enum Admission: Sendable, Hashable {
  /// Whoever can connect: where it listens to the loopback interface, that is this machine.
  case everyone
  /// This machine, and the first other device that connects.
  case firstDevice
  /// This machine, and the device with this address.
  case only(String)
}

/// Decides which peers are served, by their addresses.
struct PeerGate: Sendable {
  private let admission: Admission
  /// The address that the proxy listens at: who comes from it is this machine.
  private let own: String
  private(set) var device: String?

  init(_ admission: Admission, own: String) {
    self.admission =
      if case .only(let address) = admission { .only(SocketAddress.spelled(address)) } else {
        admission
      }
    self.own = SocketAddress.spelled(own)
  }

  /// `nil` for a peer that is served, else what it is told.
  mutating func refusal(of peer: String) -> String? {
    if peer == own { return nil }
    switch admission {
    case .everyone: return nil
    case .only(let address):
      if peer == address { return nil }
      return "This proxy serves \(address) only, and you are \(peer)."
    case .firstDevice:
      guard let device else {
        device = peer
        return nil
      }
      if peer == device { return nil }
      return "This proxy serves the first device that connected, which is \(device); you are "
        + "\(peer). Restart it with --client \(peer) to be served."
    }
  }
}
