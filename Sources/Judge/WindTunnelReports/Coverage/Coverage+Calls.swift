extension Coverage {
  /// The ordinals of attempts that the coverage distinguishes: the first, the second, the third,
  /// and all later ones.
  static let ordinals = [1...1, 2...2, 3...3, 4...Int.max]

  /// Creates the coverage of calls, given in any order.
  ///
  /// - Parameters:
  ///   - calls: The calls of one client in one scenario. Calls with a request that is not on the
  ///     cassette are ignored.
  ///   - endpoints: The endpoints of the calls, in the order of the rows.
  ///   - scenario: The scenario of the calls.
  ///   - stage: The stage of the calls.
  init(of calls: [Observation], at endpoints: [String], in scenario: Scenario, on stage: Stage) {
    let kinds = scenario.faultNames
    var met: [FaultSite: Int] = [:]
    var unseen: Set<String> = []
    for call in kinds.isEmpty ? [] : calls where call.notOnCassette == nil {
      if call.attemptCount == nil { unseen.insert(call.endpoint) }
      // Most attempts have no faults, and their fault names are not read.
      for index in call.attempts.indices where !call.attempts[index].decision.metNothing {
        let number = call.attempts[index].decision.ordinal ?? 1
        let ordinal = min(max(1, number), Self.ordinals.count) - 1
        for fault in call.attempts[index].faults {
          met[FaultSite(endpoint: call.endpoint, fault: fault, ordinal: ordinal), default: 0] += 1
        }
      }
    }
    let reach = Reach(of: scenario, on: stage)
    rows = endpoints.flatMap { endpoint in
      let possible = reach.attempts(at: endpoint)
      return kinds.map { kind in
        let attempts = Self.ordinals.indices.map { ordinal -> State in
          // A call may request other URLs than its endpoint, so it may meet faults that the
          // endpoint cannot.
          if let met = met[FaultSite(endpoint: endpoint, fault: kind, ordinal: ordinal)] {
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

  /// A fault at an endpoint, on the attempts with one ordinal.
  private struct FaultSite: Hashable {
    var endpoint: String
    var fault: String
    var ordinal: Int
  }

  /// The endpoints and attempts at which a scenario's faults are possible, given its triggers and
  /// the stage.
  private struct Reach {
    private let scenario: Scenario
    /// The rules, with the kinds of their faults that the stage supports.
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

    /// Returns which attempts at an endpoint can meet a fault, by kind of fault.
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
  /// Returns whether the trigger can match a request with one of these ordinals. Any time and any
  /// header fields are assumed.
  fileprivate func mayFire(on ordinals: ClosedRange<Int>) -> Bool {
    if let attempt, !ordinals.contains(attempt) { return false }
    if probability == 0 || burst?.badShare == 0 { return false }
    let last = min(first ?? ordinals.upperBound, ordinals.upperBound)
    let step = every ?? 1
    // The smallest multiple of the step in the range.
    return (ordinals.lowerBound + step - 1) / step * step <= last
  }
}
