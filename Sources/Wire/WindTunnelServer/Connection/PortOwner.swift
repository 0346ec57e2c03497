@_spi(WindTunnel) internal import WindTunnelCore

/// The lane that whatever comes to a port belongs to, where it names none.
enum PortOwner: Sendable {
  /// One from beginning to end.
  case fixed(Lane)
  /// One after the other.
  case lent(Locked<Lane>)

  var lane: Lane {
    switch self {
    case .fixed(let lane): lane
    case .lent(let lane): lane.withLock { $0 }
    }
  }
}
