/// The fourth part of the layer: it receives all events and changes none.
///
/// Calls are identified by their numbers, and each client counts its own calls. Therefore, an
/// observer that keeps records must belong to one client and its copies.
public protocol Observer: Sendable {
  /// Observes one event.
  ///
  /// The events of one call arrive in order, on the call's thread, and the call waits for the
  /// return. Events of several calls may arrive concurrently.
  func observe(_ event: CallEvent)
  /// Observes an event of the app's start; by default it is ignored.
  func observeStartup(_ event: StartupEvent)
}

extension Observer {
  /// Ignores an event of the app's start.
  public func observeStartup(_ event: StartupEvent) {}
}

/// An observer that ignores every event.
public struct SilentObserver: Observer {
  /// Creates an observer; all values are equal.
  public init() {}

  /// Ignores an event of a call.
  public func observe(_ event: CallEvent) {}
}

/// An observer that passes events to several others, in order.
public struct Observers: Observer {
  private let observers: [any Observer]

  /// Creates an observer that forwards to several others.
  public init(_ observers: any Observer...) { self.observers = observers }

  /// Passes the event to all observers.
  public func observe(_ event: CallEvent) { for observer in observers { observer.observe(event) } }

  /// Passes an event of the app's start to all observers.
  public func observeStartup(_ event: StartupEvent) {
    for observer in observers { observer.observeStartup(event) }
  }
}

/// An observer that keeps every event, for tests and for diagnosis.
public final class RecordingObserver: Observer {
  private let kept = Locked<[CallEvent]>([])
  private let keptOfStartup = Locked<[StartupEvent]>([])

  /// Creates an observer without events.
  public init() {}

  /// The events so far, in order of observation.
  public var events: [CallEvent] { kept.withLock { $0 } }

  /// Appends the event to the others.
  public func observe(_ event: CallEvent) { kept.withLock { $0.append(event) } }

  /// The events of the app's start so far, in order.
  public var startupEvents: [StartupEvent] { keptOfStartup.withLock { $0 } }

  /// Appends an event of the app's start to the others.
  public func observeStartup(_ event: StartupEvent) {
    keptOfStartup.withLock { $0.append(event) }
  }
}

/// An observer that counts events, for a dashboard.
public final class CallCounters: Observer {
  /// The values of the counters.
  public struct Counts: Sendable, Hashable {
    /// The number of calls.
    public var calls = 0
    /// The number of finished calls, by their final state.
    public var ended: [CallRecord.State: Int] = [:]
    /// The number of requests that were sent.
    public var attempts = 0
    /// The number of retries that the budget refused.
    public var unpaidRetries = 0
    /// The number of bytes of content that were received.
    public var bytesReceived = 0
    /// The finished calls by endpoint template.
    public var endpoints: [String: Group] = [:]
    /// The finished calls by method.
    public var methods: [String: Group] = [:]
    /// The finished calls by host with its port. Calls that sent nothing are not included.
    public var hosts: [String: Group] = [:]
    /// The finished calls by the engine of their last attempt.
    public var engines: [String: Group] = [:]
    /// The number of failed calls by the name of the error.
    public var errors: [String: Int] = [:]
    /// The number of events of the app's start, by ``StartupEvent/name``.
    public var startup: [String: Int] = [:]
    /// The number of probes that dial tests have sent.
    public var probes = 0
  }

  /// A group of calls with a common property.
  public struct Group: Sendable, Hashable {
    /// The number of finished calls.
    public var calls = 0
    /// The number of failed calls, without cancelled ones.
    public var failed = 0
    /// The number of their requests.
    public var attempts = 0
  }

  /// The maximum number of groups of a kind. Further calls are counted under the name ``other``.
  public static let groupsMax = 1024
  /// The name of the group of all calls without a group of their own.
  public static let other = "(other)"

  private let state = Locked((keeper: RecordKeeper(), counts: Counts()))

  /// Creates an observer with all counters at zero.
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
      case .attemptEnded(_, .success(let answer)): state.counts.bytesReceived += answer.bytes
      case .retryNotPaid: state.counts.unpaidRetries += 1
      case .callEnded:
        if let record { state.counts.add(record) }
      default: break
      }
    }
  }
  /// Adds an event of the app's start to the counters.
  public func observeStartup(_ event: StartupEvent) {
    state.withLock { state in
      state.counts.startup[event.name, default: 0] += 1
      if case .dialed(let record) = event {
        state.counts.probes += record.candidates.reduce(0) { $0 + $1.requests }
      }
    }
  }
}

extension CallCounters.Counts {
  fileprivate mutating func add(_ record: CallRecord) {
    ended[record.state, default: 0] += 1
    Self.add(record, to: &endpoints, as: record.request.template)
    Self.add(record, to: &methods, as: record.request.method)
    if let host = record.request.host { Self.add(record, to: &hosts, as: host) }
    if let engine = record.system.engine { Self.add(record, to: &engines, as: engine) }
    if let failure = record.response.failure { errors[failure.name, default: 0] += 1 }
  }

  private static func add(
    _ record: CallRecord,
    to groups: inout [String: CallCounters.Group],
    as name: String
  ) {
    let isKnown = groups[name] != nil || groups.count < CallCounters.groupsMax
    var group = groups[isKnown ? name : CallCounters.other] ?? CallCounters.Group()
    group.calls += 1
    group.failed += record.state == .failed ? 1 : 0
    group.attempts += record.counters.attempts
    groups[isKnown ? name : CallCounters.other] = group
  }
}
