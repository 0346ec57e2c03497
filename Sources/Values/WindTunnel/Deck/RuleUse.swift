/// The use of the rules of a deck's scenarios: the rules that have matched a request, across
/// changes of the scenario.
///
/// A rule matches by method, URL, header fields and importance, even if it does not fire. Ordinals,
/// draws and the time are not compared, because a scenario varies them. A rule that matches no
/// request at all is a mistake. A connection rule matches as soon as there is a connection.
struct RuleUse: Sendable {
  private struct Use: Sendable {
    var scenario: Scenario
    /// The indices of the rules that have matched nothing.
    var unmet: [Int]
  }

  /// The maximum number of scenarios that are kept; a server's scenario may change for months.
  static let scenariosMax = 100

  private var uses: [Use] = []
  private var current = 0
  /// Whether a rule of the current scenario has matched nothing.
  private(set) var isWaiting = false

  init(_ scenario: Scenario) { change(to: scenario) }

  /// Changes to another scenario, which may be an earlier one.
  mutating func change(to scenario: Scenario) {
    if let known = uses.firstIndex(where: { $0.scenario == scenario }) {
      current = known
    } else {
      if uses.count == Self.scenariosMax { uses.removeFirst() }
      current = uses.count
      uses.append(Use(scenario: scenario, unmet: Array(scenario.rules.indices)))
    }
    isWaiting = !uses[current].unmet.isEmpty
  }

  /// Restarts the use of the current scenario.
  mutating func begin() { self = RuleUse(uses[current].scenario) }

  /// Records a request, or a connection without one.
  mutating func meet(_ request: Request?) {
    let scenario = uses[current].scenario
    uses[current].unmet.removeAll { place in
      let rule = scenario.rules[place]
      if rule.isForConnections { return true }
      guard let request, scenario.applies(rule, to: request) else { return false }
      return rule.trigger.header?.holds(request.headers) != false
    }
    isWaiting = !uses[current].unmet.isEmpty
  }

  /// Returns the rules that have matched nothing.
  ///
  /// - Parameter seen: The requests that arrived instead, such as `GET /get`.
  /// - Returns: The rules in their order.
  func unmet(seen: [String]) -> [UnmetRule] {
    uses.flatMap { use in use.unmet.map { UnmetRule($0, of: use.scenario, seen: seen) } }
  }
}

/// A rule of a scenario that matched no request.
public struct UnmetRule: Sendable, Hashable, CustomStringConvertible {
  /// The rule's number in the scenario, from 1.
  public let number: Int
  /// The scenario's name; `nil` for a plan, which has none.
  public let scenario: String?
  /// The pattern of the rule's requests: `GET /users/*`, or the trigger's text if it has further
  /// conditions.
  public let requests: String
  /// The distinct requests that were received, in the order of their first arrival.
  public let seen: [String]

  /// The maximum number of requests that are listed; the others are counted.
  static let seenMax = 5

  init(_ place: Int, of scenario: Scenario, seen: [String]) {
    number = place + 1
    self.scenario = scenario.name == Scenario.planName ? nil : scenario.name
    let trigger = scenario.rules[place].trigger
    if let request = trigger.request, trigger.header == nil, trigger.isCritical == nil {
      requests = request.description
    } else {
      let asked = Trigger(
        request: trigger.request,
        header: trigger.header,
        isCritical: trigger.isCritical
      )
      requests = asked.json.description
    }
    self.seen = seen
  }

  /// A line such as "rule 1 met no request; seen: GET /get", with the rule's pattern.
  public var description: String {
    let name = scenario.map { " of \($0)" } ?? ""
    let more = seen.count - Self.seenMax
    let came =
      seen.isEmpty
      ? "none arrived"
      : "seen: " + seen.prefix(Self.seenMax).joined(separator: ", ")
        + (more > 0 ? " and \(more) more" : "")
    return "rule \(number) `\(requests)`\(name) matched no request; \(came)"
  }
}
