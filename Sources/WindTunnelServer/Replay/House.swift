internal import WindTunnel

/// What every connection of a port shares. On the loop's thread only.
final class House {
  let deck: Deck
  let lane: Lane
  let options: ReplayServer.Options
  let live: LiveConnections
  var port = 0

  init(deck: Deck, lane: Lane, options: ReplayServer.Options, live: LiveConnections) {
    (self.deck, self.lane, self.options, self.live) = (deck, lane, options, live)
  }
}

/// The connections that are open. On the loop's thread only.
final class LiveConnections: @unchecked Sendable {
  private var connections: [ObjectIdentifier: ClientConnection] = [:]
  private var drained: (() -> Void)?

  var count: Int { connections.count }
  var isDraining: Bool { drained != nil }

  func insert(_ connection: ClientConnection) {
    connections[ObjectIdentifier(connection)] = connection
  }

  func remove(_ connection: ClientConnection) {
    connections[ObjectIdentifier(connection)] = nil
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
