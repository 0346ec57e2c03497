extension FindingRule {
  /// A call of several requests is as good as the worst of those that it needs.
  static let successOnPartAnswer = FindingRule(
    id: "success-on-part-answer",
    title: "Says that a call went well of which a part failed.",
    condition:
      "a call got a response to one of its requests and none to another, for which calls without faults "
      + "at the same endpoint ask too",
    cost: "Half of a list passes for the whole, and what is missing is taken for deleted.",
    fix:
      "If a page or a part fails, end with a code that is not 0 or return an error, or mark the "
      + "part.",
    source: "Yuan et al., Simple Testing Can Prevent Most Critical Failures, OSDI 2014"
  ).together { rule, troubled, flight in
    let parts = flight.partsWithoutFaults
    let met = troubled.filter { call in
      call.isJudged && call.wasAnswered && !call.failedParts(of: parts).isEmpty
    }
    // Who shows the recorded body shows all of it, or a copy.
    let broken = met.filter { $0.claimsSuccess && !$0.showsCopy }
    let needed = Set(flight.calls.lazy.filter(\.isCritical).map(\.endpoint))
    func needs(_ call: JudgedCall) -> String? {
      call.failedParts(of: parts).first { part in
        let endpoint = String(part.prefix { $0 != "?" })
        return endpoint == call.observation.endpoint || needed.contains(endpoint)
      }
    }
    let needing = broken.filter { needs($0) != nil }
    let groups = needing.grouped(by: \.observation.endpoint)
    let fewest = groups.map(\.all.count).min()
    // The rarest endpoint shows the second request of a page more often than the first one.
    let rarest = groups.filter { $0.all.count == fewest }.flatMap(\.all)
    if let example = rarest.smallest, let part = needs(example) {
      let end = example.client == .program ? "It ended with 0" : "It returned without an error"
      let seen = Violation("\(end), and \(part) had failed.")
      return rule.broken(seen, in: example, calls: broken.count, of: met.count)
    }
    return rule.standing(broken, of: met.count) { call in
      // What is not critical may be left out: most show a page without its recommendations.
      let part = call.failedParts(of: parts).first ?? ""
      let seen = "It was said to have gone well without \(part), which had failed."
      return Violation(seen, severity: .warning)
    }
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
}

extension JudgedCall {
  /// The parts to which no attempt got a response, in the order in which they were asked for.
  fileprivate func failedParts(of parts: [String: Set<String>]) -> [String] {
    guard let own = parts[observation.endpoint] else { return [] }
    // That there is no such page may be a response (RFC 9110 §15.5.5).
    let answered = Set(
      attempts.lazy.filter { $0.isAnswered || $0.error == nil && [404, 410].contains($0.status) }
        .map(\.key)
    )
    // A response to something else may be its second way to the same.
    guard answered.isSubset(of: own) else { return [] }
    return attempts.filter { attempt in
      attempt.isRequest && own.contains(attempt.key) && !answered.contains(attempt.key)
    }
    .grouped(by: \.key).map(\.key)
  }
}
