/// The use of the rules of a deck's scenarios: those that have met a request, through every change.
///
/// A rule has met one that its trigger means by method, address, fields and importance, whether it
/// fired for it or not: ordinals, draws and the clock are what scenarios are about, while a rule
/// that means nothing that is ever asked is a slip of the pen. A rule of connections has met one as
/// soon as any connection comes.
struct RuleUse: Sendable {
  private struct Use: Sendable {
    var scenario: Scenario
    /// The places of the rules that have met nothing.
    var unmet: [Int]
  }

  /// The largest number of scenarios that are remembered; those of a server may change for months.
  static let scenariosMax = 100

  private var uses: [Use] = []
  private var current = 0
  /// Tells whether any rule of the present scenario has met nothing.
  private(set) var isWaiting = false

  init(_ scenario: Scenario) { change(to: scenario) }

  /// Goes on in another scenario, or in one that there was before.
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

  /// Begins anew in the present scenario.
  mutating func begin() { self = RuleUse(uses[current].scenario) }

  /// Takes note of a request, or of a connection that none has come on.
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

  /// Returns the rules that have met nothing.
  ///
  /// - Parameter seen: The requests that came instead, such as `GET /get`.
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
  /// The requests that the rule is about: `GET /users/*`, or the trigger's text where that says
  /// more.
  public let requests: String
  /// The requests that arrived, without repeats, in the order of their first arrival.
  public let seen: [String]

  /// The number of requests that are named before the rest is counted.
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

  /// A line such as "rule 1 met no request; seen: GET /get", with the pattern of the rule.
  public var description: String {
    let name = scenario.map { " of \($0)" } ?? ""
    let more = seen.count - Self.seenMax
    let came =
      seen.isEmpty
      ? "none came"
      : "seen: " + seen.prefix(Self.seenMax).joined(separator: ", ")
        + (more > 0 ? " and \(more) more" : "")
    return "rule \(number) `\(requests)`\(name) met no request; \(came)"
  }
}
