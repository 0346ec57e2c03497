internal import WindTunnel
@_spi(WindTunnel) internal import WindTunnelCore

/// The requests that all connections of a server have received.
final class ReceivedRequests: Sendable {
  let log = Locked(RequestLog())
  private let start = Moment.now()

  /// The time that the server has been there.
  var uptime: Duration { .nanoseconds(Moment.now() - start) }

  func apply(_ event: ExchangeEvent) {
    log.withLock { $0.apply(event, at: uptime) }
  }
}
