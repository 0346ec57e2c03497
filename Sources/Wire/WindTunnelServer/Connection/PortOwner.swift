@_spi(WindTunnel) internal import WindTunnelCore

/// The lane of a port's connections, and of its requests that name no lane.
enum PortOwner: Sendable {
  /// The same lane as long as the port is open.
  case fixed(Lane)
  /// One lane after another.
  case lent(Locked<Lane>)

  var lane: Lane {
    switch self {
    case .fixed(let lane): lane
    case .lent(let lane): lane.withLock { $0 }
    }
  }
}
