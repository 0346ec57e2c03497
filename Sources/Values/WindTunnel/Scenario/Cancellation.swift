/// The cancellation of a share of a drill's calls by their callers, each at a drawn time.
///
/// The seed decides which calls are cancelled, and when.
public struct Cancellation: Sendable, Hashable {
  /// The share of the calls, from 0 to 1.
  public var share: Double
  /// The time from the call's beginning to its cancellation, which only affects a call that is
  /// running.
  public var after: Fault.Spread

  /// Creates a cancellation of a share of the calls.
  public init(share: Double, after: Fault.Spread) { (self.share, self.after) = (share, after) }

  /// Creates a cancellation of a share of the calls, each after a fixed time.
  public init(share: Double, after: Duration) { self.init(share: share, after: .exactly(after)) }
}

extension Scenario {
  /// Returns the time after which the caller of a lane's call cancels it; `nil` if it does not.
  public func cancellation(seed: UInt64, lane: Lane) -> Duration? {
    guard let cancellation else { return nil }
    let draws = Draws(seed: seed, scenario: name, lane: lane, key: "cancel", ordinal: 0, rule: "")
    guard draws.unit(0) < cancellation.share else { return nil }
    return cancellation.after.resolved(draws.unit(1)).least
  }
}

/// `{ "share": 0.3, "afterMilliseconds": 50, "throughMilliseconds": 400 }`.
extension Cancellation: JSONObject {
  package static let blank = Self(share: 0, after: .zero)

  package mutating func list(_ fields: inout JSONFields) throws(FormatError) {
    var (part, times): (Double?, Fault.Spread?) = (share, after)
    try fields.double("share", &part, in: 0...1)
    share = try fields.required(part, ("share", "the share of the calls is missing"))
    let missing = "the time of the cancellation is missing"
    try fields.spread("afterMilliseconds", &times, missing) { "the \($0) it begins at" }
    after = times ?? after
  }
}
