/// When a fault fires. Everything that is given must hold; an empty trigger always fires.
public struct Trigger: Sendable, Hashable {
  /// Only for such requests.
  public var request: RequestPattern?
  /// Only the first so many requests of a key in a lane.
  public var first: Int?
  /// Only the request of this ordinal, counted from one.
  public var attempt: Int?
  /// Only every so-manieth request.
  public var every: Int?
  /// Only this share of the requests, from 0 to 1, by a seeded draw.
  public var probability: Double?

  /// Makes a trigger.
  public init(
    request: RequestPattern? = nil,
    first: Int? = nil,
    attempt: Int? = nil,
    every: Int? = nil,
    probability: Double? = nil
  ) {
    self.request = request
    self.first = first
    self.attempt = attempt
    self.every = every
    self.probability = probability
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

  /// The index of the draw that ``probability`` takes; a fault's own draws follow it.
  static let probabilityDraw = 0

  func fires(ordinal: Int, draws: @autoclosure () -> Draws) -> Bool {
    if let first, ordinal > first { return false }
    if let attempt, ordinal != attempt { return false }
    if let every, !ordinal.isMultiple(of: every) { return false }
    if let probability { return draws().unit(Self.probabilityDraw) < probability }
    return true
  }
}
