/// A condition under which faults fire. All parts that are given must hold; an empty trigger always
/// fires.
///
/// ```swift
/// let sometimes = Trigger(request: "GET /feed", probability: 0.2)
/// ```
public struct Trigger: Sendable, Hashable {
  /// The pattern of the requests; `nil`: any.
  public var request: RequestPattern?
  /// The condition on the request's header fields; `nil`: none.
  public var header: HeaderCondition?
  /// The choice of critical endpoints (``Scenario/critical``) or of all others; `nil`: both.
  public var isCritical: Bool?
  /// The number of first requests of a key in a lane; `nil`: all requests.
  public var first: Int?
  /// The ordinal of the one request, from 1; `nil`: any.
  public var attempt: Int?
  /// The number that divides the ordinals of the requests: 3 is the third, the sixth and so on.
  public var every: Int?
  /// The share of the requests, from 0 to 1, by a seeded draw; `nil`: all.
  public var probability: Double?
  /// The chain that must be in its bad state; `nil`: no chain.
  public var burst: Burst?
  /// The time window of the scenario; `nil`: the whole time.
  public var window: TimeWindow?
  /// The header field that must have the value of the lane's first such request: 401 until
  /// `Authorization` changes. A missing field is a value, too.
  public var untilHeaderChanges: String?
  /// The numbers of the calls, where calls have numbers; `nil`: all.
  public var calls: CallRange?
  /// The credentials of the requests, by the scenario's account of them (``Scenario/credential``);
  /// `nil`: whatever a request bears.
  public var credential: Credential.Condition?
  /// The number, from 1, of the recording that a request is about to get; `nil`: any, or none.
  public var recording: Int?

  /// Makes a trigger of its conditions.
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

  /// The trigger that fires every time.
  public static let always = Trigger()
  /// Makes a trigger for the first requests of a key in a lane.
  public static func first(_ count: Int) -> Trigger { Trigger(first: count) }
  /// Makes a trigger for the request of this ordinal, from 1.
  public static func attempt(_ ordinal: Int) -> Trigger { Trigger(attempt: ordinal) }
  /// Makes a trigger for each request whose ordinal `count` divides.
  public static func every(_ count: Int) -> Trigger { Trigger(every: count) }
  /// Makes a trigger for a share of the requests, from 0 to 1.
  public static func probability(_ share: Double) -> Trigger { Trigger(probability: share) }
  /// Makes a trigger for requests whose header fields meet a condition.
  public static func header(_ condition: HeaderCondition) -> Trigger { Trigger(header: condition) }
  /// The trigger for requests of critical endpoints.
  public static let critical = Trigger(isCritical: true)
  /// The trigger for requests of endpoints that are not critical.
  public static let uncritical = Trigger(isCritical: false)
  /// Makes a trigger for requests that find a chain in its bad state: at each request it goes bad
  /// with one probability, and good again with another.
  public static func burst(goodToBad: Double, badToGood: Double) -> Trigger {
    Trigger(burst: Burst(goodToBad: goodToBad, badToGood: badToGood))
  }
  /// Makes a trigger for the time between two moments of the scenario.
  public static func window(from start: Duration = .zero, until end: Duration? = nil) -> Trigger {
    Trigger(window: TimeWindow(from: start, until: end))
  }
  /// Makes a trigger for calls from one number, counted from 0, up to but not including another.
  public static func calls(from start: Int = 0, until end: Int? = nil) -> Trigger {
    Trigger(calls: CallRange(from: start, until: end))
  }
  /// Makes a trigger that fires while a header field has the value of the lane's first such
  /// request.
  public static func until(headerChanges name: String) -> Trigger {
    Trigger(untilHeaderChanges: name)
  }
  /// Creates a trigger for requests that are about to get the recording of this number, from 1.
  public static func recording(_ number: Int) -> Trigger { Trigger(recording: number) }

  /// The index of the draw that ``probability`` takes; a fault's own draws follow it.
  static let probabilityDraw = 0

  /// Tells whether it asks for what only traffic can tell: the clock, or a request's fields. A
  /// story tells what such a rule does where that holds (``Story``).
  var isCircumstantial: Bool {
    header != nil || window != nil || untilHeaderChanges != nil || credential == .expired
      || recording != nil
  }

  /// Tells whether nothing in it needs a request.
  var isForConnections: Bool {
    request == nil && header == nil && isCritical == nil && untilHeaderChanges == nil
      && credential == nil && recording == nil
  }

  /// Tells whether it fires for each attempt of the calls that it is about.
  var meetsEveryAttempt: Bool {
    var others = self
    others.calls = nil
    return others == .always
  }

  /// Tells whether a request's ordinal and draws let it fire. The chain's draws are no request's
  /// alone.
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

/// A condition on a request's fields (RFC 9110 §5); names are compared without regard to case.
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

/// A period of a scenario, counted from the first connection or request that was decided in it, by
/// the clock of the deck's caller.
public struct TimeWindow: Sendable, Hashable {
  /// The time at which the window begins.
  public var start: Duration
  /// The time at which the window ends, which is not in it; `nil`: never.
  public var end: Duration?

  /// Makes a window of its two ends.
  public init(from start: Duration = .zero, until end: Duration? = nil) {
    (self.start, self.end) = (start, end)
  }

  /// Tells whether a moment of the scenario is in it.
  func contains(_ elapsed: Duration) -> Bool {
    elapsed >= start && end.map { elapsed < $0 } != false
  }
}

/// The numbers of some of a drill's calls, counted from 0: one scenario then holds calls that meet
/// faults beside calls of the same client that do not.
public struct CallRange: Sendable, Hashable {
  /// The number of the first call.
  public var start: Int
  /// The number after the last call; `nil`: there is no last.
  public var end: Int?

  /// Makes a range of its two ends.
  public init(from start: Int = 0, until end: Int? = nil) { (self.start, self.end) = (start, end) }

  /// Tells whether a lane's calls are among them. Where calls have no numbers, as behind a proxy,
  /// all are.
  func contains(_ lane: Lane) -> Bool {
    guard let call = lane.call else { return true }
    return call >= start && end.map { call < $0 } != false
  }
}

extension Scenario {
  /// The end of the last of its time windows that end.
  package var lastWindowEnd: Duration? { rules.compactMap { $0.trigger.window?.end }.max() }
}

/// A chain of two states that makes a step with each request of a key in a lane (Gilbert 1960):
/// faults come in bursts of `1 / badToGood` requests on average, and
/// `goodToBad / (goodToBad + badToGood)` of all requests meet one.
public struct Burst: Sendable, Hashable {
  /// The probability that a good state is followed by a bad one, from 0 to 1.
  public var goodToBad: Double
  /// The probability that a bad state is followed by a good one, from 0 to 1.
  public var badToGood: Double

  /// Makes a chain of two probabilities.
  public init(goodToBad: Double, badToGood: Double) {
    (self.goodToBad, self.badToGood) = (goodToBad, badToGood)
  }

  /// The share of bad states in the long run, with which the chain starts; 0 for a chain that never
  /// moves.
  public var badShare: Double {
    let moves = goodToBad + badToGood
    return moves > 0 ? goodToBad / moves : 0
  }

  /// Tells whether the state at an ordinal, counted from one, is the bad one.
  ///
  /// A pure function of the ordinal: it goes back to the last step whose draw says the state
  /// whatever it was before, and forward from there. That is few steps back, unless the chain
  /// hardly ever moves.
  func isBad(at ordinal: Int, _ draws: Draws) -> Bool {
    // A draw below both is followed by the bad state, one not below either by the good one. Between
    // them it keeps the state, or changes it where a bad state is the likelier one after a good
    // one.
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
