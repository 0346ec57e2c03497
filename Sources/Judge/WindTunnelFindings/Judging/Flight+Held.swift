extension ClientRun {
  /// Judges the run by each rule.
  ///
  /// The results depend only on the observations. The shards of a drill on several machines
  /// therefore give the same results as one machine.
  ///
  /// - Returns: The result of each rule, in the order of ``FindingRule/all``.
  public func held(against rules: [FindingRule] = FindingRule.all) -> [RuleStanding] {
    // A call that succeeded at its first attempt keeps every rule and meets no condition.
    let (troubled, traits) = JudgedCall.all(in: self, needing: FindingRule.neededKeys)
    return rules.map { rule in
      guard rule.clients.contains(client) else {
        return RuleStanding(rule: rule.id, standing: .notMet(rule.notOf(client)))
      }
      return rule.standing(troubled, of: self, traits)
    }
  }
}

extension FindingRule {
  /// Returns the result of this rule for a run, given the calls that can be judged.
  fileprivate func standing(
    _ calls: [JudgedCall],
    of flight: ClientRun,
    _ traits: FlightTraits
  ) -> RuleStanding {
    switch scope {
    case .call(let needs, let judge):
      var tally = Tally()
      // Read in place: the rule does not apply to most calls, and copying one takes longer.
      for place in calls.indices
      where calls[place].traits.isSuperset(of: needs) && calls[place].isJudged {
        let call = calls[place]
        tally.add(judge(call), of: call, isLate: restsOnTime && call.traits.contains(.starved))
      }
      return told(tally.standing(of: self), starved: tally.starved)
    case .flight(let needs, let judge):
      func judged(
        _ calls: [JudgedCall],
        _ flight: ClientRun,
        _ traits: FlightTraits
      ) -> RuleStanding.Standing {
        traits.isSuperset(of: needs) ? judge(self, calls, flight) : .notMet(unmet(by: 0))
      }
      let all = judged(calls, flight, traits)
      guard restsOnTime, all.judged > 0,
        calls.contains(where: { isStarved(flight, $0.observation) })
      else { return told(all, starved: 0) }
      var rested = flight
      rested.calls.removeAll { isStarved(flight, $0) }
      let (left, together) = JudgedCall.all(in: rested, needing: FindingRule.neededKeys)
      let standing = judged(left, rested, together)
      return told(standing, starved: max(0, all.judged - standing.judged))
    }
  }

  /// Returns the result of the rule, with the number of calls that were not judged on a busy
  /// machine.
  private func told(_ standing: RuleStanding.Standing, starved: Int) -> RuleStanding {
    guard starved > 0, case .notMet(let reason) = standing else {
      return RuleStanding(rule: id, standing: standing, starved: starved)
    }
    let calls = starved == 1 ? "1 call is" : "\(starved) calls are"
    // A call that was not judged had met the condition.
    let words = reason == unmet(by: 0) ? "" : "\(reason) "
    return RuleStanding(
      rule: id,
      standing: .notMet("\(words)\(calls) not judged: the machine was busy."),
      starved: starved
    )
  }

  fileprivate func notOf(_ client: ClientRun.Client) -> String {
    if clients == [.proxied] {
      return "Only a proxy can observe this: a drill itself serves plain http."
    }
    switch client {
    case .proxied:
      return "A proxy cannot observe this: it sees requests, but not the result of a call."
    case .program: return "A program that starts for each call cannot show this."
    case .library, .service: return "Only a program can show this."
    }
  }

  /// The verdicts on the calls of a run so far.
  private struct Tally {
    private var judged = 0
    private var broken = 0
    private(set) var starved = 0
    private var worst: (violation: Violation, call: JudgedCall)?

    mutating func add(_ verdict: RuleResult, of call: JudgedCall, isLate: Bool) {
      switch verdict {
      case .notMet: return
      case _ where isLate: starved += 1
      case .kept: judged += 1
      case .broken(let violation):
        (judged, broken) = (judged + 1, broken + 1)
        if let worst, !violation.isBetter(than: worst, in: call) { return }
        worst = (violation, call)
      }
    }

    func standing(of rule: FindingRule) -> RuleStanding.Standing {
      guard judged >= rule.leastCalls else { return .notMet(rule.unmet(by: judged)) }
      guard let worst else { return .passed(judged) }
      return rule.broken(worst.violation, in: worst.call, calls: broken, of: judged)
    }
  }
}

extension FindingRule.Violation {
  /// Returns whether this is the better example: the more severe, then the one with fewer attempts,
  /// then the earlier.
  fileprivate func isBetter(
    than other: (violation: Self, call: JudgedCall),
    in call: JudgedCall
  ) -> Bool {
    func rank(_ violation: Self, _ call: JudgedCall) -> (Int, Int, Int) {
      let weight = violation.severity == .note ? 2 : violation.severity == .warning ? 1 : 0
      return (weight, call.attempts.count, call.observation.call)
    }
    return rank(self, call) < rank(other.violation, other.call)
  }
}

extension RuleStanding.Standing {
  /// The number of calls that were judged.
  fileprivate var judged: Int {
    switch self {
    case .notMet: 0
    case .passed(let calls): calls
    case .broken(let finding): finding.judged
    }
  }
}
