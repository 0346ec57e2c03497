internal import WindTunnel

/// What the connections of a port share that are on one loop.
final class House: Sendable {
  let deck: Deck
  let lane: Lane
  let options: ReplayServer.Options
  let live: LiveConnections
  let port: Int
  /// What connections speak TLS by; `nil`: they speak plain HTTP.
  let tls: TLSContext?
  /// What makes it a proxy's.
  let desk: ProxyDesk?
  /// Connections to upstreams that wait for their next request.
  let upstreams = UpstreamPool()

  init(
    deck: Deck,
    lane: Lane,
    options: ReplayServer.Options,
    live: LiveConnections,
    port: Int,
    tls: TLSContext? = nil,
    desk: ProxyDesk? = nil
  ) {
    (self.deck, self.lane, self.options, self.live) = (deck, lane, options, live)
    (self.port, self.tls, self.desk) = (port, tls, desk)
  }
}

/// The connections that are open on one loop. On that loop's thread only.
final class LiveConnections: @unchecked Sendable {
  /// How many are open on all loops of a server.
  typealias Count = Locked<Int>

  private var connections: [ObjectIdentifier: ClientConnection] = [:]
  private var drained: (() -> Void)?
  private let open: Count

  init(_ open: Count) { self.open = open }

  var isDraining: Bool { drained != nil }

  /// Whether one more is served: the server has room and does not end.
  func takes(_ limits: Limits) -> Bool {
    !isDraining && open.withLock { $0 } < limits.connectionsMax
  }

  func insert(_ connection: ClientConnection) {
    connections[ObjectIdentifier(connection)] = connection
    open.withLock { $0 += 1 }
  }

  func remove(_ connection: ClientConnection) {
    guard connections.removeValue(forKey: ObjectIdentifier(connection)) != nil else { return }
    open.withLock { $0 -= 1 }
    tellIfEmpty()
  }

  /// Closes idle connections now and busy ones after their answer.
  func drain(on reactor: Reactor, _ drained: @escaping () -> Void) {
    self.drained = drained
    for connection in connections.values { connection.leaveWhenIdle() }
    tellIfEmpty()
    look(on: reactor, again: 100_000)
  }

  /// A client that pools its connections leaves its end open for as long as it likes. Once it has
  /// everything that was said, it is not waited for; no event tells of that moment.
  private func look(on reactor: Reactor, again nanoseconds: Int64) {
    for connection in connections.values { connection.leaveIfHeard() }
    guard drained != nil else { return }
    reactor.schedule(after: nanoseconds) { [self] reactor in
      look(on: reactor, again: min(nanoseconds * 2, 5_000_000))
    }
  }

  private func tellIfEmpty() {
    guard connections.isEmpty, let drained else { return }
    self.drained = nil
    drained()
  }
}
