extension Coverage {
  /// The attempts that are told apart: the first, the second, the third, and all that follow.
  static let ordinals = [1...1, 2...2, 3...3, 4...Int.max]

  /// Folds calls, in any order: each attempt is looked at once.
  ///
  /// - Parameters:
  ///   - calls: The calls of one subject in one scenario; those that asked for what is not on the
  ///     cassette say nothing.
  ///   - endpoints: The endpoints that they asked for, in the order in which they are to stand.
  ///   - scenario: The scenario that they were flown in.
  ///   - stage: The stage that they were flown on.
  init(of calls: [Observation], at endpoints: [String], in scenario: Scenario, on stage: Stage) {
    let kinds = scenario.faultNames
    var met: [Place: Int] = [:]
    var unseen: Set<String> = []
    for call in kinds.isEmpty ? [] : calls where call.notOnCassette == nil {
      if call.attemptCount == nil { unseen.insert(call.endpoint) }
      // Most attempts meet nothing, and of those no name is looked at.
      for index in call.attempts.indices where !call.attempts[index].decision.metNothing {
        let number = call.attempts[index].decision.ordinal ?? 1
        let ordinal = min(max(1, number), Self.ordinals.count) - 1
        for fault in call.attempts[index].faults {
          met[Place(endpoint: call.endpoint, fault: fault, ordinal: ordinal), default: 0] += 1
        }
      }
    }
    let reach = Reach(of: scenario, on: stage)
    rows = endpoints.flatMap { endpoint in
      let possible = reach.attempts(at: endpoint)
      return kinds.map { kind in
        let attempts = Self.ordinals.indices.map { ordinal -> State in
          // A call may ask for more than its endpoint, so that it met what this one cannot.
          if let met = met[Place(endpoint: endpoint, fault: kind, ordinal: ordinal)] {
            return .met(met)
          }
          guard possible[kind]?[ordinal] == true else { return .cannotBeMet }
          return unseen.contains(endpoint) ? .unseen : .notMet
        }
        return Row(endpoint: endpoint, fault: kind, attempts: attempts)
      }
    }
    isOfNoFault = kinds.isEmpty
  }

  /// A fault at an endpoint, on the attempts of one ordinal.
  private struct Place: Hashable {
    var endpoint: String
    var fault: String
    var ordinal: Int
  }

  /// The places that a scenario's faults can be met at, by its triggers and the stage.
  private struct Reach {
    private let scenario: Scenario
    /// The rules with the kinds of their faults which the stage can carry.
    private let rules: [(rule: FaultRule, kinds: [String])]

    init(of scenario: Scenario, on stage: Stage) {
      self.scenario = scenario
      rules = scenario.rules.map { rule in
        let carried = rule.faults.filter { fault in
          Scenario("one", rules: [FaultRule(when: .always, [fault])]).obstacle(on: stage) == nil
        }
        return (rule, Scenario("carried", rules: [FaultRule(when: .always, carried)]).faultNames)
      }
    }

    /// Returns by kind of fault which attempts at an endpoint can meet it.
    func attempts(at endpoint: String) -> [String: [Bool]] {
      let request = Request(endpoint: endpoint)
      let isCritical = scenario.critical.contains { $0.mayMatch(request) }
      var possible: [String: [Bool]] = [:]
      for (rule, kinds) in rules {
        let trigger = rule.trigger
        if trigger.request?.mayMatch(request) == false { continue }
        if let asked = trigger.isCritical, asked != isCritical { continue }
        if trigger.credential != nil, scenario.credential?.issuer.mayMatch(request) == true {
          continue
        }
        let mayFire = Coverage.ordinals.map { trigger.mayFire(on: $0) }
        for kind in kinds {
          let known = possible[kind] ?? mayFire
          possible[kind] = zip(known, mayFire).map { $0 || $1 }
        }
      }
      return possible
    }
  }
}

extension Trigger {
  /// Tells whether it leaves room for a request of one of these ordinals. The clock and a request's
  /// fields may be such as it asks.
  fileprivate func mayFire(on ordinals: ClosedRange<Int>) -> Bool {
    if let attempt, !ordinals.contains(attempt) { return false }
    if probability == 0 || burst?.badShare == 0 { return false }
    let last = min(first ?? ordinals.upperBound, ordinals.upperBound)
    let step = every ?? 1
    // The least multiple that is not below the range.
    return (ordinals.lowerBound + step - 1) / step * step <= last
  }
}
