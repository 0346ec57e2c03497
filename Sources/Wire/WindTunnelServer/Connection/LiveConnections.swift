@_spi(WindTunnel) internal import WindTunnelCore

/// The connections that are open on one loop. On that loop's thread only.
final class LiveConnections: @unchecked Sendable {
  private var connections: [ObjectIdentifier: ServedConnection] = [:]
  private let open: ConnectionLimit
  /// Tells whether no further request is served, from the moment on that the server is told to end.
  private(set) var isDraining = false
  private var drained: (() -> Void)?

  init(_ open: ConnectionLimit) { self.open = open }

  /// Takes a connection in that was counted when it came.
  func insert(_ connection: ServedConnection) {
    connections[ObjectIdentifier(connection)] = connection
  }

  /// Closes the oldest connection without a request's head, if the server is full. So a peer that
  /// connects and stays silent does not keep other clients out.
  func makeRoom(below most: Int) {
    guard open.count >= most else { return }
    connections.values.filter { !$0.requests.hasHead }.min { $0.start < $1.start }?.abandon()
  }

  /// Takes a connection in that did not come by a listener.
  func insertUncounted(_ connection: ServedConnection) {
    _ = open.enter()
    insert(connection)
  }

  /// Drops a connection that was counted when it arrived.
  func discard() { open.leave() }

  func remove(_ connection: ServedConnection) {
    guard connections.removeValue(forKey: ObjectIdentifier(connection)) != nil else { return }
    open.leave()
    notifyIfEmpty()
  }

  /// Closes idle connections now and busy ones after their answer.
  func drain(on reactor: Reactor) {
    isDraining = true
    for connection in connections.values { connection.closeWhenIdle() }
    look(on: reactor, again: 100_000)
  }

  /// The number of connections on which something was said that has not reached their clients,
  /// since none of them reads it.
  var unreadCount: Int { connections.values.count { $0.hasUnread } }

  /// Ends what is left, now.
  func abandon() {
    for connection in connections.values { connection.abandon() }
  }

  /// Tells once that no connection is left.
  func notifyWhenEmpty(_ drained: @escaping () -> Void) {
    self.drained = drained
    notifyIfEmpty()
  }

  /// A client that pools its connections leaves its end open for as long as it likes. Once it has
  /// everything that was said, it is not waited for; no event tells of that moment.
  private func look(on reactor: Reactor, again nanoseconds: Int64) {
    for connection in connections.values { connection.closeIfDelivered() }
    guard !connections.isEmpty else { return }
    reactor.schedule(after: nanoseconds) { [self] reactor in
      look(on: reactor, again: min(nanoseconds * 2, 5_000_000))
    }
  }

  private func notifyIfEmpty() {
    guard connections.isEmpty, let drained else { return }
    self.drained = nil
    drained()
  }
}

/// The number of connections that are open on all loops of a server, and what waits for room.
final class ConnectionLimit: Sendable {
  private struct State: Sendable {
    var counts = ConnectionCounts()
    var waiting: [@Sendable () -> Void] = []
  }

  private let state = Locked(State())

  var count: Int { counts.open }

  /// The connections so far.
  var counts: ConnectionCounts { state.withLock { $0.counts } }

  /// Counts one more, if there is room.
  func enter(atMost most: Int = .max) -> Bool {
    state.withLock { state in
      guard state.counts.open < most else { return false }
      state.counts.open += 1
      state.counts.accepted += 1
      state.counts.most = max(state.counts.most, state.counts.open)
      return true
    }
  }

  /// Counts one less, and wakes who waits.
  func leave() {
    let waiting = state.withLock { state in
      state.counts.open -= 1
      defer { state.waiting = [] }
      return state.waiting
    }
    for wake in waiting { wake() }
  }

  /// Has somebody woken by the next that leaves; false where there is room by now.
  func wait(forLessThan most: Int, wake: @escaping @Sendable () -> Void) -> Bool {
    state.withLock { state in
      guard state.counts.open >= most else { return false }
      state.waiting.append(wake)
      return true
    }
  }
}

/// The number of connections that a server has, and has had.
package struct ConnectionCounts: Sendable, Hashable {
  /// The number that is open now.
  package var open = 0
  /// The greatest number that was open at once.
  package var most = 0
  /// The number that was ever accepted.
  package var accepted = 0
}
