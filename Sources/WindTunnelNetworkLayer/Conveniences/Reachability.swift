/// The state of the device's network. A hint for what to show, never a reason not to try: only an
/// attempt knows whether a server can be had.
public protocol Reachability: Sendable {
  /// The state now and each change of it, until the task ends.
  var states: AsyncStream<ReachabilityState> { get }
}

/// The kind of network that the device has.
public enum ReachabilityState: Sendable, Hashable {
  /// It has no network.
  case offline
  /// It has one that costs nothing extra.
  case online
  /// It has one that is dear or slow, or the user asked to save data.
  case constrained
}

/// Says what a test or a preview tells it.
public final class ScriptedReachability: Reachability {
  private struct State {
    var current: ReachabilityState
    var lastID = 0
    var listeners: [Int: AsyncStream<ReachabilityState>.Continuation] = [:]
  }

  private let state: Locked<State>

  /// Begins in a state.
  public init(_ state: ReachabilityState = .online) { self.state = Locked(State(current: state)) }

  /// The state now and each change of it. Who listens late hears only the latest.
  public var states: AsyncStream<ReachabilityState> {
    let (stream, listener) = AsyncStream<ReachabilityState>.makeStream(
      bufferingPolicy: .bufferingNewest(1)
    )
    let id = state.withLock { state in
      state.lastID += 1
      state.listeners[state.lastID] = listener
      listener.yield(state.current)
      return state.lastID
    }
    listener.onTermination = { [weak self] _ in
      self?.state.withLock { state in _ = state.listeners.removeValue(forKey: id) }
    }
    return stream
  }

  /// The number of open streams.
  var listenerCount: Int { state.withLock { $0.listeners.count } }

  /// Changes the state and tells every listener.
  public func change(to new: ReachabilityState) {
    let listeners = state.withLock { state in
      state.current = new
      return Array(state.listeners.values)
    }
    for listener in listeners { listener.yield(new) }
  }
}
