/// A condition under which faults fire. All given parts must be met; an empty trigger always fires.
///
/// ```swift
/// let sometimes = Trigger(request: "GET /feed", probability: 0.2)
/// ```
public struct Trigger: Sendable, Hashable {
  /// The pattern of the requests; `nil` for any request.
  public var request: RequestPattern?
  /// The condition on the request's header fields; `nil` for none.
  public var header: HeaderCondition?
  /// Whether only critical endpoints (``Scenario/critical``) match, or only all others; `nil` for
  /// both.
  public var isCritical: Bool?
  /// The number of first requests of a key in a lane that match; `nil` for all requests.
  public var first: Int?
  /// The ordinal of the only request that matches, from 1; `nil` for any.
  public var attempt: Int?
  /// A divisor of the ordinals of matching requests: 3 for the third, the sixth and so on; `nil`
  /// for any.
  public var every: Int?
  /// The share of requests that match, from 0 to 1, by a seeded draw; `nil` for all.
  public var probability: Double?
  /// The chain that must be in its bad state; `nil` for no chain.
  public var burst: Burst?
  /// The time window of the scenario; `nil` for the whole time.
  public var window: TimeWindow?
  /// The header field that must keep the value that the lane's first such request had; `nil` for
  /// none.
  ///
  /// An example is 401 until `Authorization` changes. A missing field counts as a value.
  public var untilHeaderChanges: String?
  /// The numbers of the calls, if calls have numbers; `nil` for all.
  public var calls: CallRange?
  /// The state of the request's credential, as ``Scenario/credential`` describes it; `nil` for any.
  public var credential: Credential.Condition?
  /// The number, from 1, of the recording that the request will receive; `nil` for any or none.
  public var recording: Int?

  /// Creates a trigger from its conditions.
  public init(
    request: RequestPattern? = nil,
    header: HeaderCondition? = nil,
    isCritical: Bool? = nil,
    first: Int? = nil,
    attempt: Int? = nil,
    every: Int? = nil,
    probability: Double? = nil,
    burst: Burst? = nil,
    window: TimeWindow? = nil,
    untilHeaderChanges: String? = nil,
    calls: CallRange? = nil,
    credential: Credential.Condition? = nil,
    recording: Int? = nil
  ) {
    (self.request, self.header, self.isCritical, self.first) = (request, header, isCritical, first)
    (self.attempt, self.every, self.probability, self.burst) = (attempt, every, probability, burst)
    (self.window, self.untilHeaderChanges, self.calls) = (window, untilHeaderChanges, calls)
    (self.credential, self.recording) = (credential, recording)
  }

  /// The trigger that always fires.
  public static let always = Trigger()
  /// Creates a trigger for the first requests of a key in a lane.
  public static func first(_ count: Int) -> Trigger { Trigger(first: count) }
  /// Creates a trigger for the request with this ordinal, from 1.
  public static func attempt(_ ordinal: Int) -> Trigger { Trigger(attempt: ordinal) }
  /// Creates a trigger for each request whose ordinal is a multiple of `count`.
  public static func every(_ count: Int) -> Trigger { Trigger(every: count) }
  /// Creates a trigger for a share of the requests, from 0 to 1.
  public static func probability(_ share: Double) -> Trigger { Trigger(probability: share) }
  /// Creates a trigger for requests whose header fields meet a condition.
  public static func header(_ condition: HeaderCondition) -> Trigger { Trigger(header: condition) }
  /// The trigger for requests to critical endpoints.
  public static let critical = Trigger(isCritical: true)
  /// The trigger for requests to endpoints that are not critical.
  public static let uncritical = Trigger(isCritical: false)
  /// Creates a trigger for requests at which a chain is in its bad state.
  ///
  /// At each request the chain enters or leaves the bad state with the given probabilities.
  public static func burst(goodToBad: Double, badToGood: Double) -> Trigger {
    Trigger(burst: Burst(goodToBad: goodToBad, badToGood: badToGood))
  }
  /// Creates a trigger for the time between two moments of the scenario.
  public static func window(from start: Duration = .zero, until end: Duration? = nil) -> Trigger {
    Trigger(window: TimeWindow(from: start, until: end))
  }
  /// Creates a trigger for calls from one number, counted from 0, up to but not including another.
  public static func calls(from start: Int = 0, until end: Int? = nil) -> Trigger {
    Trigger(calls: CallRange(from: start, until: end))
  }
  /// Creates a trigger that fires while a header field has the value of the lane's first such
  /// request.
  public static func until(headerChanges name: String) -> Trigger {
    Trigger(untilHeaderChanges: name)
  }
  /// Creates a trigger for requests that will receive the recording with this number, from 1.
  public static func recording(_ number: Int) -> Trigger { Trigger(recording: number) }

  /// The index of the draw that ``probability`` uses; a fault's own draws follow it.
  static let probabilityDraw = 0

  /// Whether the trigger tests facts that only traffic shows: the time, a request's header fields
  /// or its recording.
  ///
  /// A plan contains the faults of such a rule as if its condition were met (``FaultPlan``).
  var isCircumstantial: Bool {
    header != nil || window != nil || untilHeaderChanges != nil || credential == .expired
      || recording != nil
  }

  /// Whether no condition of the trigger needs a request.
  var isForConnections: Bool {
    request == nil && header == nil && isCritical == nil && untilHeaderChanges == nil
      && credential == nil && recording == nil
  }

  /// Whether the trigger fires for every attempt of the calls in its range.
  var meetsEveryAttempt: Bool {
    var others = self
    others.calls = nil
    return others == .always
  }

  /// Returns whether a request's ordinal and draws let the trigger fire.
  ///
  /// The draws of the chain are common to all requests.
  func fires(
    ordinal: Int,
    draws: @autoclosure () -> Draws,
    chain: @autoclosure () -> Draws
  ) -> Bool {
    if let first, ordinal > first { return false }
    if let attempt, ordinal != attempt { return false }
    if let every, !ordinal.isMultiple(of: every) { return false }
    if let burst, !burst.isBad(at: ordinal, chain()) { return false }
    if let probability { return draws().unit(Self.probabilityDraw) < probability }
    return true
  }
}

/// A condition on a request's header fields (RFC 9110 §5); names are compared without regard to
/// case.
public enum HeaderCondition: Sendable, Hashable {
  /// A field of this name is present.
  case present(String)
  /// One of the fields of this name has exactly this value.
  case equal(String, to: String)
  /// A field of this name is absent.
  case absent(String)

  /// The name of the field.
  public var name: String {
    switch self {
    case .present(let name), .absent(let name), .equal(let name, _): name
    }
  }

  func holds(_ headers: HeaderFields) -> Bool {
    switch self {
    case .present(let name): headers[name] != nil
    case .equal(let name, let value): headers.values(name).contains(value)
    case .absent(let name): headers[name] == nil
    }
  }
}

/// A period of a scenario, measured by the clock of the deck's caller.
///
/// It is counted from the first connection or request that the scenario decided.
public struct TimeWindow: Sendable, Hashable {
  /// The time at which the window begins.
  public var start: Duration
  /// The exclusive end of the window; `nil` for no end.
  public var end: Duration?

  /// Creates a window from its two ends.
  public init(from start: Duration = .zero, until end: Duration? = nil) {
    (self.start, self.end) = (start, end)
  }

  /// Returns whether a time since the start of the scenario is in the window.
  func contains(_ elapsed: Duration) -> Bool {
    elapsed >= start && end.map { elapsed < $0 } != false
  }
}

/// A range of a drill's calls, numbered from 0.
///
/// With ranges, one scenario has both calls that meet faults and calls that do not.
public struct CallRange: Sendable, Hashable {
  /// The number of the first call.
  public var start: Int
  /// The number after the last call; `nil` for no end.
  public var end: Int?

  /// Creates a range from its two ends.
  public init(from start: Int = 0, until end: Int? = nil) { (self.start, self.end) = (start, end) }

  /// Returns whether a lane's call is in the range; true if calls have no numbers, as behind a
  /// proxy.
  func contains(_ lane: Lane) -> Bool {
    guard let call = lane.call else { return true }
    return call >= start && end.map { call < $0 } != false
  }
}

extension Scenario {
  /// The latest end of all time windows; `nil` if no window ends.
  package var lastWindowEnd: Duration? { rules.compactMap { $0.trigger.window?.end }.max() }
}

/// A chain of two states that makes a step with each request of a key in a lane (Gilbert 1960).
///
/// Faults form bursts of `1 / badToGood` requests on average. Of all requests,
/// `goodToBad / (goodToBad + badToGood)` meet a fault.
public struct Burst: Sendable, Hashable {
  /// The probability that a good state is followed by a bad one, from 0 to 1.
  public var goodToBad: Double
  /// The probability that a bad state is followed by a good one, from 0 to 1.
  public var badToGood: Double

  /// Creates a chain from its two probabilities.
  public init(goodToBad: Double, badToGood: Double) {
    (self.goodToBad, self.badToGood) = (goodToBad, badToGood)
  }

  /// The long-run share of bad states, which is the probability of a bad first state.
  ///
  /// 0 for a chain that never changes its state.
  public var badShare: Double {
    let moves = goodToBad + badToGood
    return moves > 0 ? goodToBad / moves : 0
  }

  /// Returns whether the state at an ordinal, counted from 1, is the bad one.
  ///
  /// A pure function of the ordinal. It searches backwards for the last step whose draw alone
  /// determines the state, and counts the changes after it. The search is short unless the chain
  /// hardly ever changes.
  func isBad(at ordinal: Int, _ draws: Draws) -> Bool {
    // A draw below both probabilities leads to the bad state, and a draw that is not below either
    // leads to the good one. A draw between them keeps the state. It changes the state if a bad
    // state is more likely after a good one.
    let (fromGood, fromBad) = (goodToBad, 1 - badToGood)
    let (low, high) = (min(fromGood, fromBad), max(fromGood, fromBad))
    let flips = fromGood > fromBad
    var (place, changes) = (ordinal, false)
    while place > 1 {
      let draw = draws.unit(place)
      if draw < low { return !changes }
      if draw >= high { return changes }
      if flips { changes.toggle() }
      place -= 1
    }
    return (draws.unit(1) < badShare) != changes
  }
}
