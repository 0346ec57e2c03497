@_spi(WindTunnel) internal import WindTunnelCore

/// A rate that several connections have together: each that has something to send gets an even
/// part.
///
/// The clients decide which of them send at the same time, so with it times depend on concurrency;
/// which packets are lost does not.
final class SharedRate: Sendable {
  private let active = Locked(0)

  var count: Int { max(1, active.withLock { $0 }) }

  /// One connection's part of it, which is given up when the connection is forgotten.
  final class Share: Sendable, Hashable {
    private let rate: SharedRate
    private let isTaken = Locked(false)

    init(_ rate: SharedRate) { self.rate = rate }

    deinit { set(false) }

    var count: Int { rate.count }

    static func == (left: Share, right: Share) -> Bool { left === right }

    func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }

    /// Says whether the connection has something to send.
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
