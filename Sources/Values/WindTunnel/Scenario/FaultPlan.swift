/// The faults that every call would meet on its attempts, computed from scenario and seed without
/// traffic.
///
/// If a rule depends on the time or on header fields, the plan contains the faults of its draw,
/// which apply if the time and the fields match.
public struct FaultPlan: Sendable {
  /// The number of attempts of a call that are computed.
  public static let attempts = 8

  private var digest = SHA256()

  /// Creates a plan without calls.
  public init() {}

  /// Adds the faults that one call would meet on attempts 1 to 8.
  public mutating func tell(
    _ scenario: Scenario,
    seed: UInt64,
    lane: Lane,
    request: Request,
    matcher: Matcher
  ) {
    var text: [UInt8] = []
    let key = matcher.key(request)
    Self.write(scenario, seed: seed, lane: lane, request: request, key: key, to: &text)
    tell(text)
  }

  /// Adds what ``write(_:seed:lane:request:key:to:)`` has written of one call, or of several.
  package mutating func tell(_ text: [UInt8]) { digest.update(text) }

  /// Writes the text of one call behind that of others: on several threads at once, as it takes
  /// most of the time.
  package static func write(
    _ scenario: Scenario,
    seed: UInt64,
    lane: Lane,
    request: Request,
    key: RequestKey,
    to text: inout [UInt8]
  ) {
    text += scenario.name.utf8
    text.append(UInt8(ascii: "\n"))
    for ordinal in 1...Self.attempts {
      scenario.decideConnection(seed: seed, lane: lane, ordinal: ordinal).write(to: &text)
      text.append(UInt8(ascii: "\n"))
      scenario.decide(request, key: key, seed: seed, lane: lane, ordinal: ordinal).write(to: &text)
      text.append(UInt8(ascii: "\n"))
    }
  }

  /// The SHA-256 hash of the whole story, as 64 hexadecimal digits.
  public var hash: String {
    digest.finalize().map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
  }
}

extension Scenario {
  /// Tells whether a story holds these faults of a connection (``FaultDecision/faultsText``).
  package func tells(faults: String, ofConnection ordinal: Int, seed: UInt64, lane: Lane) -> Bool {
    tell(faults, Moment(seed, lane, FaultDecision.connectionKey, ordinal, nil)) { moment in
      fired(at: moment) { $0.isForConnections }
    }
  }

  /// Tells whether a story holds these faults of a request (``FaultDecision/faultsText``).
  ///
  /// A rule that follows the clock or looks at header fields is in the story with the faults of its
  /// firing; whether it fired, only traffic shows. A decision may therefore lack such rules'
  /// faults, and no others'.
  package func tells(
    faults: String,
    of request: Request,
    key: RequestKey,
    seed: UInt64,
    lane: Lane,
    ordinal: Int
  ) -> Bool {
    tell(faults, Moment(seed, lane, key.text, ordinal, nil)) { fired(request, at: $0) }
  }

  private func tell(_ faults: String, _ moment: Moment, by fired: (Moment) -> [Fired]) -> Bool {
    rules.isEmpty ? faults == "[]" : Self.tell(faults.utf8[...], fired(moment))
  }

  /// Tells whether rules that fire, and of those that need not all or some, make these faults.
  private static func tell(_ faults: Substring.UTF8View, _ fired: [Fired]) -> Bool {
    guard faults.count >= 2, faults.first == UInt8(ascii: "["), faults.last == UInt8(ascii: "]")
    else { return false }
    // Most lines have no faults: then no rule has fired that must.
    if faults.count == 2 { return fired.allSatisfy { $0.faults.isEmpty || !$0.isCertain } }
    // Each line that is left when rules that need not have fired are taken out.
    let text = Array(faults.dropFirst().dropLast())
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
