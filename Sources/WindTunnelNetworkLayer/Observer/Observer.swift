internal import Foundation

/// The fourth part of the layer: it is told of all events and changes none.
///
/// Calls are told apart by their numbers, and each client counts its own: an observer that keeps
/// records belongs to one client and its copies.
public protocol Observer: Sendable {
  /// Observes one event. The events of one call come in order, on the call's thread, and the call
  /// waits meanwhile; those of several calls may come at once.
  func observe(_ event: CallEvent)
}

/// An observer that ignores every event.
public struct SilentObserver: Observer {
  /// Makes an observer; all are equal.
  public init() {}

  /// Ignores the event altogether.
  public func observe(_ event: CallEvent) {}
}

/// An observer that passes events to several others, in order.
public struct Observers: Observer {
  private let observers: [any Observer]

  /// Makes an observer of several others.
  public init(_ observers: any Observer...) { self.observers = observers }

  /// Passes the event to all observers.
  public func observe(_ event: CallEvent) { for observer in observers { observer.observe(event) } }
}

/// An observer that keeps every event, for tests and for diagnosis.
public final class RecordingObserver: Observer, @unchecked Sendable {
  private let lock = NSLock()
  private var kept: [CallEvent] = []

  /// Makes an observer without events so far.
  public init() {}

  /// The events so far, in the order in which they were observed.
  public var events: [CallEvent] { lock.withLock { kept } }

  /// Adds the event to the others.
  public func observe(_ event: CallEvent) { lock.withLock { kept.append(event) } }
}

/// An observer that counts events, for a dashboard.
public final class CallCounters: Observer {
  /// The values of the counters.
  public struct Counts: Sendable, Hashable {
    /// The number of calls that were made.
    public var calls = 0
    /// The number of calls that have ended, by their last state.
    public var ended: [CallRecord.State: Int] = [:]
    /// The number of requests that were sent.
    public var attempts = 0
    /// The number of retries that the budget did not allow.
    public var unpaidRetries = 0
    /// The number of bytes of content that were received.
    public var bytesReceived = 0
  }

  private let state = Locked((keeper: RecordKeeper(), counts: Counts()))

  /// Makes an observer with all counters at zero.
  public init() {}

  /// The values of the counters so far.
  public var counts: Counts { state.withLock { $0.counts } }

  /// Adds an event to the counters.
  public func observe(_ event: CallEvent) {
    state.withLock { state in
      let record = state.keeper.hear(event)
      switch event.kind {
      case .callStarted: state.counts.calls += 1
      case .attemptStarted: state.counts.attempts += 1
      case .attemptEnded(_, .success(let answer)): state.counts.bytesReceived += answer.body.count
      case .retryNotPaid: state.counts.unpaidRetries += 1
      case .callEnded:
        if let record { state.counts.ended[record.state, default: 0] += 1 }
      default: break
      }
    }
  }
}
