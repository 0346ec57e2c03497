internal import Foundation

/// The fourth part of the layer: hears what happens and changes none of it.
///
/// Calls are told apart by their numbers, and each client counts its own: an observer that keeps
/// records belongs to one client and its copies.
public protocol Observer: Sendable {
  /// Hears one event. Those of one call come in order, from whatever thread the call is on, and
  /// the call waits meanwhile; those of several calls may come at once.
  func observe(_ event: CallEvent)
}

/// An observer that drops every event.
public struct SilentObserver: Observer {
  /// Makes one; all are alike.
  public init() {}

  /// Drops the event without a look.
  public func observe(_ event: CallEvent) {}
}

/// Tells several observers, in order.
public struct Observers: Observer {
  private let observers: [any Observer]

  /// Makes one that tells these.
  public init(_ observers: any Observer...) { self.observers = observers }

  /// Tells all of them.
  public func observe(_ event: CallEvent) { for observer in observers { observer.observe(event) } }
}

/// Keeps every event, for tests and for a look at what a call went through.
public final class RecordingObserver: Observer, @unchecked Sendable {
  private let lock = NSLock()
  private var kept: [CallEvent] = []

  /// Makes one that has heard nothing yet.
  public init() {}

  /// The events so far, in the order in which they were heard.
  public var events: [CallEvent] { lock.withLock { kept } }

  /// Adds the event to the others.
  public func observe(_ event: CallEvent) { lock.withLock { kept.append(event) } }
}

/// Counts what happens, for a dashboard.
public final class CallCounters: Observer {
  /// The numbers that were counted.
  public struct Counts: Sendable, Hashable {
    /// The number of calls that were asked for.
    public var calls = 0
    /// The number of calls that are over, by their last state.
    public var ended: [CallRecord.State: Int] = [:]
    /// The number of requests that were sent.
    public var attempts = 0
    /// The number of retries that were not paid.
    public var unpaidRetries = 0
    /// The content that came, in bytes.
    public var bytesReceived = 0
  }

  private let state = Locked((keeper: RecordKeeper(), counts: Counts()))

  /// Begins with every counter at nought.
  public init() {}

  /// The numbers that were counted so far.
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
