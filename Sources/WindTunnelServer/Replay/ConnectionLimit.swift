internal import WindTunnel

/// How many connections are open on all loops of a server, and who waits for room.
final class ConnectionLimit: Sendable {
  private struct State: Sendable {
    var open = 0
    var waiting: [@Sendable () -> Void] = []
  }

  private let state = Locked(State())

  var count: Int { state.withLock { $0.open } }

  /// Counts one more, if there is room.
  func enter(atMost most: Int = .max) -> Bool {
    state.withLock { state in
      guard state.open < most else { return false }
      state.open += 1
      return true
    }
  }

  /// Counts one less, and wakes who waits.
  func leave() {
    let waiting = state.withLock { state in
      state.open -= 1
      defer { state.waiting = [] }
      return state.waiting
    }
    for wake in waiting { wake() }
  }

  /// Has somebody woken by the next that leaves; false where there is room by now.
  func wait(forLessThan most: Int, wake: @escaping @Sendable () -> Void) -> Bool {
    state.withLock { state in
      guard state.open >= most else { return false }
      state.waiting.append(wake)
      return true
    }
  }
}
