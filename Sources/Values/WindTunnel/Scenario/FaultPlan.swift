/// The faults that every call would meet on its attempts, computed from scenario and seed without
/// traffic.
///
/// If a rule depends on the time or on header fields, the plan contains the faults of its draw.
/// They apply if the time and the fields match.
public struct FaultPlan: Sendable {
  /// The number of attempts per call that are computed.
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

  /// Adds the text of one or several calls that ``write(_:seed:lane:request:key:to:)`` has written.
  package mutating func tell(_ text: [UInt8]) { digest.update(text) }

  /// Appends the text of one call.
  ///
  /// Most of the time is spent here, so several threads can write texts at once.
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

  /// The SHA-256 hash of the whole plan, as 64 hexadecimal digits.
  public var hash: String {
    digest.finalize().map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
  }
}

extension Scenario {
  /// Returns whether a plan contains these faults of a connection (``FaultDecision/faultsText``).
  package func tells(faults: String, ofConnection ordinal: Int, seed: UInt64, lane: Lane) -> Bool {
    let moment = Moment(seed, lane, FaultDecision.connectionKey, ordinal, nil)
    return tell(faults.utf8, fired(at: moment) { $0.isForConnections })
  }

  /// Returns whether a plan contains these faults of a request (``FaultDecision/faultsText``).
  ///
  /// The plan contains the faults of a rule that depends on the time or on header fields, but only
  /// traffic shows whether the rule fired. A decision may therefore lack the faults of such rules,
  /// and of no others.
  package func tells(
    faults: String,
    of request: Request,
    key: RequestKey,
    seed: UInt64,
    lane: Lane,
    ordinal: Int
  ) -> Bool {
    tell(faults.utf8, fired(request, at: Moment(seed, lane, key.text, ordinal, nil)))
  }

  /// Returns whether these are the faults of all certain rules, and of any other rules that fire.
  private func tell(_ faults: String.UTF8View, _ fired: @autoclosure () -> [Fired]) -> Bool {
    if rules.isEmpty { return faults.elementsEqual("[]".utf8) }
    guard faults.count >= 2, faults.first == UInt8(ascii: "["), faults.last == UInt8(ascii: "]")
    else { return false }
    // Most lines have no faults: then no rule may have fired that is certain.
    if faults.count == 2 { return fired().allSatisfy { $0.faults.isEmpty || !$0.isCertain } }
    // The offsets in the text that are reached with or without the rules that may not have fired.
    let text = Array(faults.dropFirst().dropLast())
    var reached: Set<Int> = [0]
    for rule in fired() where !rule.faults.isEmpty {
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
