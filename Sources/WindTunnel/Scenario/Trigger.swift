/// When a fault fires. Everything that is given must hold; an empty trigger always fires.
public struct Trigger: Sendable, Hashable {
  /// Only for such requests.
  public var request: RequestPattern?
  /// Only for requests whose fields are such.
  public var header: HeaderCondition?
  /// Only for requests of critical endpoints (``Scenario/critical``), or only for others.
  public var isCritical: Bool?
  /// Only the first so many requests of a key in a lane.
  public var first: Int?
  /// Only the request of this ordinal, counted from one.
  public var attempt: Int?
  /// Only every so-manieth request.
  public var every: Int?
  /// Only this share of the requests, from 0 to 1, by a seeded draw.
  public var probability: Double?
  /// Only while a chain is in its bad state.
  public var burst: Burst?
  /// Only between two moments of the scenario.
  public var window: TimeWindow?
  /// Only while this field has the value that it had in the first such request of the lane: 401 until
  /// `Authorization` is another. No field at all is a value, too.
  public var untilHeaderChanges: String?

  /// Makes a trigger.
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
    untilHeaderChanges: String? = nil
  ) {
    self.request = request
    self.header = header
    self.isCritical = isCritical
    self.first = first
    self.attempt = attempt
    self.every = every
    self.probability = probability
    self.burst = burst
    self.window = window
    self.untilHeaderChanges = untilHeaderChanges
  }

  /// Every time.
  public static let always = Trigger()
  /// The first so many requests of a key in a lane.
  public static func first(_ count: Int) -> Trigger { Trigger(first: count) }
  /// The request of this ordinal, counted from one.
  public static func attempt(_ ordinal: Int) -> Trigger { Trigger(attempt: ordinal) }
  /// Every so-manieth request.
  public static func every(_ count: Int) -> Trigger { Trigger(every: count) }
  /// A share of the requests, from 0 to 1.
  public static func probability(_ share: Double) -> Trigger { Trigger(probability: share) }
  /// Requests whose fields are such.
  public static func header(_ condition: HeaderCondition) -> Trigger { Trigger(header: condition) }
  /// Requests of critical endpoints.
  public static let critical = Trigger(isCritical: true)
  /// Requests of endpoints that are not critical.
  public static let uncritical = Trigger(isCritical: false)
  /// While a chain is in its bad state: it goes bad with one probability at each request, and good
  /// again with another.
  public static func burst(goodToBad: Double, badToGood: Double) -> Trigger {
    Trigger(burst: Burst(goodToBad: goodToBad, badToGood: badToGood))
  }
  /// Between two moments of the scenario.
  public static func window(from start: Duration = .zero, until end: Duration? = nil) -> Trigger {
    Trigger(window: TimeWindow(from: start, until: end))
  }
  /// While a field has the value that it had in the first such request of the lane.
  public static func until(headerChanges name: String) -> Trigger {
    Trigger(untilHeaderChanges: name)
  }

  /// The index of the draw that ``probability`` takes; a fault's own draws follow it.
  static let probabilityDraw = 0

  /// Whether it asks for what only traffic can tell: the clock, or a request's fields. A story tells
  /// what such a rule does where that holds (``Story``).
  var isCircumstantial: Bool { header != nil || window != nil || untilHeaderChanges != nil }

  /// Whether nothing in it needs a request.
  var isForConnections: Bool {
    request == nil && header == nil && isCritical == nil && untilHeaderChanges == nil
  }

  /// Whether a request's ordinal and draws let it fire. The chain's draws are no request's alone.
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
