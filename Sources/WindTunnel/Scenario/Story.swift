/// The faults that every call would meet on its attempts, computed from scenario and seed without
/// traffic.
///
/// Of a rule that follows the clock or looks at a request's fields it tells the draw: what the rule
/// does where its time has come and the fields are such. ``Scenario/tells(_:of:key:seed:lane:ordinal:)``
/// says whether what was met is in it.
public struct Story: Sendable {
  /// The number of attempts of a call that are told.
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

extension Scenario {
  /// Tells whether a story tells this line of a connection (``Decision/line``).
  public func tells(_ line: String, ofConnection ordinal: Int, seed: UInt64, lane: Lane) -> Bool {
    let moment = Moment(seed, lane, Decision.connectionKey, ordinal, nil)
    return tells(line, moment, fired(at: moment) { $0.isForConnections })
  }

  /// Tells whether a story tells this line of a request (``Decision/line``).
  ///
  /// A rule that follows the clock or looks at fields is told with what it does where it fires at
  /// all; whether it did, only traffic knows. So a line may lack such rules' faults, and no others'.
  public func tells(
    _ line: String,
    of request: Request,
    key: RequestKey,
    seed: UInt64,
    lane: Lane,
    ordinal: Int
  ) -> Bool {
    let moment = Moment(seed, lane, key.text, ordinal, nil)
    return tells(line, moment, fired(request, at: moment))
  }

  private func tells(_ line: String, _ moment: Moment, _ fired: [Fired]) -> Bool {
    // Each line that is left when rules that need not have fired are taken out.
    let start = "\(moment.lane)\t\(moment.key)\t\(moment.ordinal)\t["
    guard line.hasPrefix(start), line.hasSuffix("]") else { return false }
    let text = Array(line.utf8.dropFirst(start.utf8.count).dropLast())
    var reached: Set<Int> = [0]
    for rule in fired where !rule.faults.isEmpty {
      let faults = rule.faults.map { "\($0.json)" }.joined(separator: ",")
      var next = rule.isCertain ? [] : reached
      for place in reached {
        let told = Array((place == 0 ? faults : "," + faults).utf8)
        if text[place...].starts(with: told) { next.insert(place + told.count) }
      }
      reached = next
    }
    return reached.contains(text.count)
  }
}
