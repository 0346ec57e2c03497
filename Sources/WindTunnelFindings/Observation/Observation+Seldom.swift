@_spi(WindTunnel) internal import WindTunnelCore

extension Observation {
  /// A program that waited so long for a processor is not judged by its times: clients have
  /// time-outs from a second on, and the last half second of a wait may be unseen.
  static let longestProcessorDelay = Duration.milliseconds(500)
  /// A program gets no more than that for its waits for a processor: one that spins waits as well,
  /// and does not end.
  package static let longestGrant = Duration.seconds(120)

  /// The parts of an observation that few calls have.
  struct Seldom: Sendable, Hashable {
    var startUp: Duration?
    var printed: String?
    var showsResponseOf: String?
    var joinsVersions: Bool?
    var replacesScalars: Bool?
    var showsCutEvent: Bool?
    var hidesErrorEvent: Bool?
    var rogueResponse: RogueResponse?
    var configuration: ConfigurationUse?
    var received: ReceivedMessages?
    var isStale: Bool?
    var memory: Memory?
    var processorDelay: Duration?
    var sleepWithoutLimit: String?
    var afterWindow: Duration?
    var cancellation: Cancellation?
    var notOnCassette: String?
    var startAttempts: [Attempt] = []
  }

  /// The time from a program's start to its first sign at the server: a process has to be created
  /// and its code loaded before there is a client. `nil` where no program was started for the call,
  /// or where the server saw nothing of it.
  public var startUp: Duration? {
    get { seldom?.value.startUp }
    set { if newValue != nil || seldom != nil { change { $0.startUp = newValue } } }
  }
  /// The beginning of a program's output that is neither a recorded body nor a part of one; empty
  /// where it printed nothing, and `nil` where the bodies were compared or could not be.
  public var printed: String? {
    get { seldom?.value.printed }
    set { if newValue != nil || seldom != nil { change { $0.printed = newValue } } }
  }
  /// The endpoint whose recorded answer a successful call returned in place of its own, or
  /// ``portalPage``; `nil` where it returned none of these, or was not compared.
  public var showsResponseOf: String? {
    get { seldom?.value.showsResponseOf }
    set { if newValue != nil || seldom != nil { change { $0.showsResponseOf = newValue } } }
  }
  /// Tells whether a successful call returned the beginning of one version of a body with another
  /// version, or the rest of it, behind it; `nil` where it had no two versions to return, or
  /// returned something else.
  public var joinsVersions: Bool? {
    get { seldom?.value.joinsVersions }
    set { if newValue != nil || seldom != nil { change { $0.joinsVersions = newValue } } }
  }
  /// Tells whether a successful call returned U+FFFD in place of letters that it was answered;
  /// `nil` where it was answered none that take several bytes, or where what it returned does not
  /// tell.
  public var replacesScalars: Bool? {
    get { seldom?.value.replacesScalars }
    set { if newValue != nil || seldom != nil { change { $0.replacesScalars = newValue } } }
  }
  /// Tells whether the call succeeded and returned the beginning of an event in which its stream
  /// was cut; `nil` where its last answer was no stream of events that was cut, or it succeeded and
  /// returned nothing.
  public var showsCutEvent: Bool? {
    get { seldom?.value.showsCutEvent }
    set { if newValue != nil || seldom != nil { change { $0.showsCutEvent = newValue } } }
  }
  /// Tells whether a call succeeded and returned nothing of the error with which its stream of
  /// events ended under a good status; `nil` where its last answer was none of those.
  public var hidesErrorEvent: Bool? {
    get { seldom?.value.hidesErrorEvent }
    set { if newValue != nil || seldom != nil { change { $0.hidesErrorEvent = newValue } } }
  }
  /// The use of a server that says other things than it must at an app's start; `nil` where the
  /// call asked none, or returned what may be made of anything.
  public var rogueResponse: RogueResponse? {
    get { seldom?.value.rogueResponse }
    set { if newValue != nil || seldom != nil { change { $0.rogueResponse = newValue } } }
  }
  /// The configurations that an app's start met, and those that the call went by; `nil` where
  /// nothing that it sent shows by which it went.
  public var configuration: ConfigurationUse? {
    get { seldom?.value.configuration }
    set { if newValue != nil || seldom != nil { change { $0.configuration = newValue } } }
  }
  /// The messages of conversations that the client says it received; `nil` where it does not say.
  public var received: ReceivedMessages? {
    get { seldom?.value.received }
    set { if newValue != nil || seldom != nil { change { $0.received = newValue } } }
  }
  /// Tells whether the call returned an earlier copy; `nil` where the client does not say.
  public var isStale: Bool? {
    get { seldom?.value.isStale }
    set { if newValue != nil || seldom != nil { change { $0.isStale = newValue } } }
  }
  /// The memory of the client's program in the call; `nil` where nobody looked at it.
  public var memory: Memory? {
    get { seldom?.value.memory }
    set { if newValue != nil || seldom != nil { change { $0.memory = newValue } } }
  }
  /// The time that the client's program waited for a processor in the call, which is the machine's
  /// and not the client's: the longest among its threads since the server first saw it, or since
  /// its start if the server never did (`run_delay` of Linux's scheduler statistics). `nil` if that
  /// was short or not measured.
  public var processorDelay: Duration? {
    get { seldom?.value.processorDelay }
    set { if newValue != nil || seldom != nil { change { $0.processorDelay = newValue } } }
  }
  /// Whether the program waited so long for a processor that its times may be the machine's.
  var isStarved: Bool { processorDelay.map { $0 >= Self.longestProcessorDelay } ?? false }
  /// The call in which a program that hangs sleeps, if none of its threads has a deadline, such as
  /// `recvfrom of descriptor 3`; `nil` in real time.
  public var sleepWithoutLimit: String? {
    get { seldom?.value.sleepWithoutLimit }
    set { if newValue != nil || seldom != nil { change { $0.sleepWithoutLimit = newValue } } }
  }

  /// The time from the end of the scenario's last time window to the call's end; `nil` where it has
  /// none that ends, or where the call ended before.
  public var afterWindow: Duration? {
    get { seldom?.value.afterWindow }
    set { if newValue != nil || seldom != nil { change { $0.afterWindow = newValue } } }
  }
  /// The cancellation of the call by its caller; `nil` where there was none.
  public var cancellation: Cancellation? {
    get { seldom?.value.cancellation }
    set { if newValue != nil || seldom != nil { change { $0.cancellation = newValue } } }
  }
  /// The first request of the call that is not on the cassette, with the nearest one that is; `nil`
  /// where all are, and of a call that crashed or hung. Such a call shows nothing about the client.
  public var notOnCassette: String? {
    get { seldom?.value.notOnCassette }
    set { if newValue != nil || seldom != nil { change { $0.notOnCassette = newValue } } }
  }

  /// The attempts that belong to the start of an app, in order: probes, the configuration, where
  /// those redirect to, and connections that failed before the call's own first request. No rule
  /// about retries and no figure of them counts any.
  public internal(set) var startAttempts: [Attempt] {
    get { seldom?.value.startAttempts ?? [] }
    set { if !newValue.isEmpty || seldom != nil { change { $0.startAttempts = newValue } } }
  }

  private mutating func change(_ change: (inout Seldom) -> Void) {
    var parts = seldom?.value ?? Seldom()
    change(&parts)
    seldom = parts == Seldom() ? nil : Boxed(parts)
  }
}
