/// The state of the device's network. It is a hint for the user interface, and never a reason not
/// to try: only an attempt shows whether a server can be reached.
public protocol Reachability: Sendable {
  /// The current state and each change of it, until the task ends.
  var states: AsyncStream<ReachabilityState> { get }
}

/// The kind of network that the device has.
public enum ReachabilityState: Sendable, Hashable {
  /// The device has no network.
  case offline
  /// The device has a network without extra cost.
  case online
  /// The device has a network that is expensive or slow, or the user asked to save data.
  case constrained
}

/// A reachability that a test or a preview sets.
public final class ScriptedReachability: Reachability {
  private struct State {
    var current: ReachabilityState
    var lastID = 0
    var listeners: [Int: AsyncStream<ReachabilityState>.Continuation] = [:]
  }

  private let state: Locked<State>

  /// Makes a reachability in a state.
  public init(_ state: ReachabilityState = .online) { self.state = Locked(State(current: state)) }

  /// The current state and each change of it. A late iteration begins with the latest state.
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

  /// Changes the state and reports it to every iteration.
  public func change(to new: ReachabilityState) {
    let listeners = state.withLock { state in
      state.current = new
      return Array(state.listeners.values)
    }
    for listener in listeners { listener.yield(new) }
  }
}
