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
    var tally = Tally(endpoints: endpoints, kinds: kinds)
    if !kinds.isEmpty { for call in calls where call.notOnCassette == nil { tally.add(call) } }
    let reach = Reach(of: scenario, on: stage)
    rows = endpoints.enumerated().flatMap { place, endpoint in
      let possible = reach.attempts(at: endpoint)
      return kinds.enumerated().map { number, kind in
        let attempts = Self.ordinals.indices.map { ordinal -> State in
          let met = tally.count(place, number, ordinal)
          // A call may ask for more than its endpoint, so that it met what this one cannot.
          if met > 0 { return .met(met) }
          guard possible[kind]?[ordinal] == true else { return .cannotBeMet }
          return tally.isUnseen[place] ? .unseen : .notMet
        }
        return Row(endpoint: endpoint, fault: kind, attempts: attempts)
      }
    }
    isOfNoFault = kinds.isEmpty
  }

  /// The numbers of attempts that met each fault.
  private struct Tally {
    private let endpoints: [String: Int]
    private let kinds: [String: Int]
    private var counts: [Int]
    /// Tells of each endpoint whether some attempt of its calls could not be seen.
    private(set) var isUnseen: [Bool]

    init(endpoints: [String], kinds: [String]) {
      func places(_ names: [String]) -> [String: Int] {
        Dictionary(names.enumerated().map { ($1, $0) }, uniquingKeysWith: { first, _ in first })
      }
      (self.endpoints, self.kinds) = (places(endpoints), places(kinds))
      counts = Array(repeating: 0, count: endpoints.count * kinds.count * Coverage.ordinals.count)
      isUnseen = Array(repeating: false, count: endpoints.count)
    }

    func count(_ endpoint: Int, _ kind: Int, _ ordinal: Int) -> Int {
      counts[place(endpoint, kind, ordinal)]
    }

    private func place(_ endpoint: Int, _ kind: Int, _ ordinal: Int) -> Int {
      (endpoint * kinds.count + kind) * Coverage.ordinals.count + ordinal
    }

    mutating func add(_ call: Observation) {
      if call.attemptCount == nil, let endpoint = endpoints[call.endpoint] {
        isUnseen[endpoint] = true
      }
      // Most attempts meet nothing, and of those no name is looked at.
      for index in call.attempts.indices
      where !call.attempts[index].decision.metNothing {
        guard let endpoint = endpoints[call.endpoint] else { return }
        let ordinal = min(call.attempts[index].decision.ordinal ?? 1, Coverage.ordinals.count)
        for name in call.attempts[index].faults {
          guard let kind = kinds[name] else { continue }
          counts[place(endpoint, kind, max(1, ordinal) - 1)] += 1
        }
      }
    }
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
