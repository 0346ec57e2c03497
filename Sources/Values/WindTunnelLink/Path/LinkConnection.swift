@_spi(WindTunnel) internal import WindTunnelCore

/// One connection over a link, whose exchanges share a sender in each direction.
///
/// The first exchange opens the connection. Each later one finds its windows, its round-trip times
/// and its queues as the earlier ones left them. Bytes arrive in the order in which they were sent,
/// so a lost packet of one exchange also delays the others. The draws of each exchange decide about
/// its own packets.
///
/// Requests are sent in order, and responses take turns of one frame each (RFC 9113 §4.2). Times
/// are measured by the caller's clock and never decrease.
package final class LinkConnection: Sendable {
  fileprivate let state = Locked(SharedConnection())

  /// Creates a connection that its first exchange opens.
  package init() {}
}

/// One exchange of a connection. Its request is sent when its times are first needed.
package final class LinkExchange: Sendable, Hashable {
  /// An exchange whose request was sent.
  struct Started: Sendable {
    let link: LinkConnection
    /// The number of the exchange on its connection.
    let number: Int
    /// The number of bytes to the server, up to the request's last one.
    var upBytes: Int
    /// The number of bytes to the client before the response.
    var downBytes = 0
    /// The time from the request to its arrival; `nil` if it never arrives.
    var travel: Duration?
    var stages = ExchangeStages()

    /// Calls a closure with the state of the connection.
    func use<Result: Sendable>(_ body: (inout SharedConnection) -> Result) -> Result {
      link.state.withLock(body)
    }

    /// The connection when the request has arrived; `nil` if no windows affect the times.
    var connection: TCPConnection? { use { $0.forecast(self)?.connection } }
  }

  private let connection: LinkConnection
  private let start: Duration
  private let known = Locked<Started?>(nil)

  /// Creates an exchange that begins at a time of the connection's clock.
  package init(on connection: LinkConnection, at start: Duration) {
    (self.connection, self.start) = (connection, start)
  }

  /// Sends the request, once, and returns its times.
  func started(_ path: LinkPath, _ requestBytes: Int, isSecure: Bool) -> Started {
    known.withLock { known in
      if let known { return known }
      let entry = connection.state.withLock { state in
        // After a handshake that failed, the next exchange opens another connection.
        let isFirst = state.count == 0 || path.needsTCP && !state.isTCP
        let number = isFirst ? 0 : state.count
        var entry = Started(link: connection, number: number, upBytes: requestBytes)
        if isFirst {
          state.open(path, &entry, isSecure: isSecure, at: start)
        } else {
          state.join(path, &entry, at: start)
        }
        return entry
      }
      known = entry
      return entry
    }
  }

  /// Ends the exchange. Bytes that were not sent are dropped.
  package func leave() {
    guard let entry = known.withLock({ $0 }), entry.travel != nil else { return }
    entry.use { $0.leave(entry.number) }
  }

  package static func == (left: LinkExchange, right: LinkExchange) -> Bool { left === right }
  package func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
}
