/// The cancellation of a share of a drill's calls by their callers, each at a drawn time. The seed
/// decides which calls and when, as it decides everything else.
public struct Cancellation: Sendable, Hashable {
  /// The share of the calls, from 0 to 1.
  public var share: Double
  /// The time from its beginning after which a call is cancelled, if it has not ended by then.
  public var after: Fault.Spread

  /// Makes a cancellation of a share of the calls.
  public init(share: Double, after: Fault.Spread) { (self.share, self.after) = (share, after) }

  /// Creates a cancellation of a share of the calls, each after a fixed time.
  public init(share: Double, after: Duration) { self.init(share: share, after: .exactly(after)) }
}

extension Scenario {
  /// Returns the time after which the caller of a lane's call cancels it; `nil`: never.
  public func cancellation(seed: UInt64, lane: Lane) -> Duration? {
    guard let cancellation else { return nil }
    let draws = Draws(seed: seed, scenario: name, lane: lane, key: "cancel", ordinal: 0, rule: "")
    guard draws.unit(0) < cancellation.share else { return nil }
    return cancellation.after.resolved(draws.unit(1)).least
  }
}

extension Cancellation {
  /// `{ "share": 0.3, "afterMilliseconds": 50, "throughMilliseconds": 400 }`.
  init(reading object: consuming ObjectReader) throws(FormatError) {
    let milliseconds = 0.0...86_400_000
    guard let share = try object.double("share", in: 0...1) else {
      throw object.error("share", "the share of the calls is missing")
    }
    guard let after = try object.double("afterMilliseconds", in: milliseconds) else {
      throw object.error("afterMilliseconds", "when a call is given up is missing")
    }
    let through = try object.double("throughMilliseconds", in: milliseconds) ?? after
    guard through >= after else {
      throw object.error("throughMilliseconds", "\(through) is less than the \(after) it begins at")
    }
    try object.refuseUnknownKeys()
    self.init(
      share: share,
      after: Fault.Spread(Duration(milliseconds: after), through: Duration(milliseconds: through))
    )
  }

  var json: [JSON.Member] {
    var members = JSON.members(["share": .exactly(share)])
    members.add("afterMilliseconds", after.least)
    if after.most > after.least { members.add("throughMilliseconds", after.most) }
    return members
  }
}
