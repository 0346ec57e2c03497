extension FindingRule {
  /// A call of several requests is as good as the worst of those that it needs.
  static let successOnPartAnswer = FindingRule(
    id: "success-on-part-answer",
    severity: .error,
    title: "Says that a call went well of which a part failed.",
    condition:
      "a call got a response to one of its requests and none to another, for which calls without faults "
      + "at the same endpoint ask too",
    cost: "Half of a list passes for the whole, and what is missing is taken for deleted.",
    fix: "If a page or a part fails, let the call fail, or say that it is not all.",
    source: "Yuan et al., Simple Testing Can Prevent Most Critical Failures, OSDI 2014",
    clients: ClientRun.Client.inDrills
  ).together { rule, troubled, flight in
    let parts = flight.partsWithoutFaults
    let met = troubled.filter { call in
      call.isJudged && call.wasAnswered && !call.failedParts(of: parts).isEmpty
    }
    guard !met.isEmpty else { return rule.notMet(by: 0) }
    // Who shows the recorded body shows all of it, or a copy.
    let broken = met.filter { $0.claimsSuccess && !$0.showsCopy }
    let needed = flight.neededEndpoints
    func needs(_ call: JudgedCall) -> String? {
      call.failedParts(of: parts).first { part in
        let endpoint = String(part.prefix { $0 != "?" })
        return endpoint == call.observation.endpoint || needed.contains(endpoint)
      }
    }
    if let example = broken.filter({ needs($0) != nil }).smallest, let part = needs(example) {
      let seen = "It was said to have gone well, and \(part) had failed."
      return rule.broken(seen, in: example, calls: broken.count, of: met.count)
    }
    guard let example = broken.smallest, let part = example.failedParts(of: parts).first else {
      return .passed(met.count)
    }
    // What is not critical may be left out: most show a page without its recommendations.
    let seen = "It was said to have gone well without \(part), which had failed."
    return rule.broken(seen, severity: .warning, in: example, calls: broken.count, of: met.count)
  }
}

extension ClientRun {
  /// The requests of calls that met no fault and made several, by the calls' endpoint: a request
  /// that only comes after a failure is a second way to the same, and no part.
  fileprivate var partsWithoutFaults: [String: Set<String>] {
    var parts: [String: Set<String>] = [:]
    for call in calls where call.attempts.count > 1 && call.ending == .succeeded {
      guard call.attempts.allSatisfy({ $0.decision.metNothing && $0.isAnswered }) else { continue }
      parts[call.endpoint, default: []].formUnion(call.attempts.lazy.map(\.key))
    }
    return parts
  }

  /// The critical endpoints that were called.
  fileprivate var neededEndpoints: Set<String> {
    Set(calls.lazy.filter(\.isCritical).map(\.endpoint))
  }
}

extension JudgedCall {
  /// The parts to which no attempt got a response, in the order in which they were asked for.
  fileprivate func failedParts(of parts: [String: Set<String>]) -> [String] {
    guard let own = parts[observation.endpoint] else { return [] }
    let answered = Set(attempts.lazy.filter(\.isAnsweredOrGone).map(\.key))
    // A response to something else may be its second way to the same.
    guard answered.isSubset(of: own) else { return [] }
    var failed: [String] = []
    for attempt in attempts where attempt.isRequest && own.contains(attempt.key) {
      guard !answered.contains(attempt.key), !failed.contains(attempt.key) else { continue }
      failed.append(attempt.key)
    }
    return failed
  }
}

extension Observation.Attempt {
  /// Tells whether it got a response. That there is no such page may be one (RFC 9110 §15.5.5).
  fileprivate var isAnsweredOrGone: Bool {
    isAnswered || error == nil && (status == 404 || status == 410)
  }
}
