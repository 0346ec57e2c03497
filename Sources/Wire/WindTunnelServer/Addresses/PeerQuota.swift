@_spi(WindTunnel) internal import WindTunnelCore

/// The kinds of peers that a port distinguishes.
enum PeerKind: Sendable, Hashable {
  /// The machine of the port.
  case owner
  /// Another machine that is served.
  case device
  /// Another machine that is not served, for example without the code.
  case unpaired
}

/// The connections of a port, counted by kind of peer, so that other machines leave connections for
/// the port's own machine.
struct PeerQuota: Sendable {
  /// The maximum numbers of connections of all unpaired devices, and of one address. A browser
  /// opens six.
  static let (unpairedMax, unpairedOfAddressMax) = (64, 16)

  /// The maximum number of connections of all other machines: half of the port's maximum.
  private let othersMax: Int
  private var others = 0
  private var unpaired: [String: Int] = [:]

  init(connectionsMax: Int) { othersMax = max(1, connectionsMax / 2) }

  /// Counts a connection if the quota allows it, and returns whether it does.
  mutating func enter(_ kind: PeerKind, _ peer: String) -> Bool {
    let (own, all) = (unpaired[peer] ?? 0, unpaired.values.reduce(0, +))
    let isFull = own >= Self.unpairedOfAddressMax || all >= Self.unpairedMax
    if kind != .owner, others >= othersMax || kind == .unpaired && isFull { return false }
    count(1, kind, peer)
    return true
  }

  /// Counts the end of a counted connection.
  mutating func leave(_ kind: PeerKind, _ peer: String) { count(-1, kind, peer) }

  private mutating func count(_ change: Int, _ kind: PeerKind, _ peer: String) {
    if kind != .owner { others += change }
    if kind == .unpaired { unpaired[peer, default: 0] += change }
    if unpaired[peer] == 0 { unpaired[peer] = nil }
  }
}

/// The place of one connection in a quota, which is released when the connection ends.
final class PeerPlace: Sendable {
  let kind: PeerKind
  private let peer: String
  private let quota: Locked<PeerQuota>

  /// Takes a place; `nil` if there is none.
  init?(_ kind: PeerKind, _ peer: String, in quota: Locked<PeerQuota>) {
    guard quota.withLock({ $0.enter(kind, peer) }) else { return nil }
    (self.kind, self.peer, self.quota) = (kind, peer, quota)
  }

  deinit { quota.withLock { $0.leave(kind, peer) } }
}
