/// What every call would meet on its attempts, computed from scenario and seed without traffic.
///
/// Of a rule that follows the clock or looks at a request's fields it tells the draw: what the rule
/// does where its time has come and the fields are such. ``Scenario/tells(_:of:key:seed:lane:ordinal:)``
/// says whether what was met is in it.
public struct Story: Sendable {
  /// How many attempts of a call are told.
  public static let attempts = 8

  private var digest = SHA256()

  /// Starts with nothing told.
  public init() {}

  /// Tells what one call would meet on attempts 1 to 8.
  public mutating func tell(
    _ scenario: Scenario,
    seed: UInt64,
    lane: Lane,
    request: Request,
    matcher: Matcher
  ) {
    let key = matcher.key(request)
    digest.update("\(scenario.name)\n".utf8)
    for ordinal in 1...Self.attempts {
      let connection = scenario.decideConnection(seed: seed, lane: lane, ordinal: ordinal)
      let decision = scenario.decide(request, key: key, seed: seed, lane: lane, ordinal: ordinal)
      digest.update("\(connection.line)\n\(decision.line)\n".utf8)
    }
  }

  /// SHA-256 of everything told, as 64 hexadecimal digits.
  public var hash: String {
    digest.finalize().map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
  }
}
