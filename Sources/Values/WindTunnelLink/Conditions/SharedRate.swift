@_spi(WindTunnel) internal import WindTunnelCore

/// A rate that several connections share: each connection with bytes to send gets an equal part.
///
/// Clients decide how many connections send at the same time, so the times depend on concurrency.
/// Packet losses do not.
final class SharedRate: Sendable {
  private let active = Locked(0)

  var count: Int { max(1, active.withLock { $0 }) }

  /// One connection's use of the rate, which ends when the connection is released.
  final class Share: Sendable {
    private let rate: SharedRate
    private let isTaken = Locked(false)

    init(_ rate: SharedRate) { self.rate = rate }

    deinit { set(false) }

    var count: Int { rate.count }

    /// Sets whether the connection has bytes to send.
    func set(_ isActive: Bool) {
      let change = (isActive ? 1 : 0) - (isTaken.exchange(isActive) ? 1 : 0)
      if change != 0 { rate.active.withLock { $0 += change } }
    }
  }
}

/// The rates that the connections of a deck share.
package struct SharedRates: Sendable, Hashable {
  let up = SharedRate()
  let down = SharedRate()

  package init() {}

  package static func == (left: SharedRates, right: SharedRates) -> Bool { left.up === right.up }
  package func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(up)) }
}
