@_spi(WindTunnel) internal import WindTunnelCore

/// The open connections of one loop. Used only on that loop's thread.
final class LiveConnections: @unchecked Sendable {
  private var connections: [ObjectIdentifier: ServedConnection] = [:]
  private let open: ConnectionLimit
  /// Whether the server is stopping, so that no further request is served.
  private(set) var isDraining = false
  private var drained: (() -> Void)?

  init(_ open: ConnectionLimit) { self.open = open }

  /// Adds a connection that was counted when it was accepted.
  func insert(_ connection: ServedConnection) {
    connections[ObjectIdentifier(connection)] = connection
  }

  /// Closes the oldest connection without a request's head if the server is full. A peer that
  /// connects and sends nothing therefore does not keep other clients out.
  func makeRoom(below most: Int) {
    guard open.count >= most else { return }
    connections.values.filter { !$0.requests.hasHead }.min { $0.start < $1.start }?.abandon()
  }

  /// Adds a connection that no listener accepted, and counts it.
  func insertUncounted(_ connection: ServedConnection) {
    _ = open.enter()
    insert(connection)
  }

  /// Stops counting a connection that was counted when it was accepted.
  func discard() { open.leave() }

  func remove(_ connection: ServedConnection) {
    guard connections.removeValue(forKey: ObjectIdentifier(connection)) != nil else { return }
    open.leave()
    notifyIfEmpty()
  }

  /// Closes idle connections now, and busy ones after their responses.
  func drain(on reactor: Reactor) {
    isDraining = true
    for connection in connections.values { connection.closeWhenIdle() }
    look(on: reactor, again: 100_000)
  }

  /// The number of connections with bytes that their clients have not read yet.
  var unreadCount: Int { connections.values.count { $0.hasUnread } }

  /// Ends the remaining connections at once.
  func abandon() {
    for connection in connections.values { connection.abandon() }
  }

  /// Calls `drained` once, when no connection is left.
  func notifyWhenEmpty(_ drained: @escaping () -> Void) {
    self.drained = drained
    notifyIfEmpty()
  }

  /// Closes connections whose clients have received everything, at growing intervals.
  ///
  /// A client with a connection pool may leave its end open indefinitely. No event reports that
  /// such a client has received everything.
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

/// The number of open connections on all loops of a server, and the actions that wait for a free
/// place.
final class ConnectionLimit: Sendable {
  private struct State: Sendable {
    var counts = ConnectionCounts()
    var waiting: [@Sendable () -> Void] = []
  }

  private let state = Locked(State())

  var count: Int { counts.open }

  /// The counts of the connections so far.
  var counts: ConnectionCounts { state.withLock { $0.counts } }

  /// Counts a new connection; false if the maximum number is open.
  func enter(atMost most: Int = .max) -> Bool {
    state.withLock { state in
      guard state.counts.open < most else { return false }
      state.counts.open += 1
      state.counts.accepted += 1
      state.counts.most = max(state.counts.most, state.counts.open)
      return true
    }
  }

  /// Counts the end of a connection, and calls the waiting actions.
  func leave() {
    let waiting = state.withLock { state in
      state.counts.open -= 1
      defer { state.waiting = [] }
      return state.waiting
    }
    for wake in waiting { wake() }
  }

  /// Calls `wake` at the end of the next connection; false if a place is free already.
  func wait(forLessThan most: Int, wake: @escaping @Sendable () -> Void) -> Bool {
    state.withLock { state in
      guard state.counts.open >= most else { return false }
      state.waiting.append(wake)
      return true
    }
  }
}

/// The number of connections of a server, now and so far.
package struct ConnectionCounts: Sendable, Hashable {
  /// The number of open connections.
  package var open = 0
  /// The maximum number of connections that were open at once.
  package var most = 0
  /// The number of accepted connections so far.
  package var accepted = 0
}
