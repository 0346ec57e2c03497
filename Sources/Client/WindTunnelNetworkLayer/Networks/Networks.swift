/// A source of the device's network status.
///
/// Only calls that require a network wait for it. Other calls are sent regardless of the status.
public protocol Networks: Sendable {
  /// The current status; ``NetworkStatus/online`` if it is still unknown.
  var status: NetworkStatus { get }
  /// The current status and each change of it, until the iterating task ends.
  var changes: AsyncStream<NetworkStatus> { get }
}

extension Networks {
  /// Waits until a need is met. Returns at once if it is, or if the task is cancelled.
  package func wait(for need: NetworkNeed) async {
    for await status in changes where need.isMet(by: status) { return }
  }
}

/// A network status that a test or a preview sets.
public final class ScriptedNetworks: Networks {
  private struct State {
    var current: NetworkStatus
    var lastID = 0
    var listeners: [Int: AsyncStream<NetworkStatus>.Continuation] = [:]
  }

  private let state: Locked<State>

  /// Creates networks with a status.
  public init(_ status: NetworkStatus = .online) { state = Locked(State(current: status)) }

  /// The status that was set last.
  public var status: NetworkStatus { state.withLock { $0.current } }

  /// The current status and each change of it. A late iteration begins with the latest status.
  public var changes: AsyncStream<NetworkStatus> { changes(keeping: nil) }

  /// Returns the current status and each change of it. The stream retains `owner` while it is open.
  func changes(keeping owner: (any Sendable)?) -> AsyncStream<NetworkStatus> {
    let (stream, listener) = AsyncStream<NetworkStatus>.makeStream(
      bufferingPolicy: .bufferingNewest(1)
    )
    let id = state.withLock { state in
      state.lastID += 1
      state.listeners[state.lastID] = listener
      listener.yield(state.current)
      return state.lastID
    }
    listener.onTermination = { [weak self] _ in
      withExtendedLifetime(owner) {
        self?.state.withLock { state in _ = state.listeners.removeValue(forKey: id) }
      }
    }
    return stream
  }

  /// The number of open streams.
  var listenerCount: Int { state.withLock { $0.listeners.count } }

  /// Changes the status and reports it to every iteration.
  public func change(to new: NetworkStatus) {
    // Within the lock, so that every listener receives the changes in order.
    state.withLock { state in
      state.current = new
      for listener in state.listeners.values { listener.yield(new) }
    }
  }
}
