extension FindingRule {
  /// Finds clients that report success although a required request of a call failed.
  static let successOnPartAnswer = FindingRule(
    id: "success-on-part-answer",
    title: "Reports success although part of a call failed.",
    condition:
      "a call received a response to one request but not to another, which calls to the same "
      + "endpoint also send without faults",
    cost: "Half a list looks complete, and missing items look deleted.",
    fix:
      "If a page or a part fails, end with an exit code other than 0, return an error, or mark the "
      + "result as partial.",
    source: "Yuan et al., Simple Testing Can Prevent Most Critical Failures, OSDI 2014"
  ).together { rule, troubled, flight in
    let parts = flight.partsWithoutFaults
    let met = troubled.filter { call in
      call.isJudged && call.wasAnswered && !call.failedParts(of: parts).isEmpty
    }
    // A client that shows the recorded body shows all of it, or a copy.
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
    // The rarest endpoint is more likely to be the second request of a page than the first.
    let rarest = groups.filter { $0.all.count == fewest }.flatMap(\.all)
    if let example = rarest.smallest, let part = needs(example) {
      let end = example.client == .program ? "It ended with 0" : "It returned without an error"
      let seen = Violation("\(end), but \(part) had failed.")
      return rule.broken(seen, in: example, calls: broken.count, of: met.count)
    }
    return rule.standing(broken, of: met.count) { call in
      // A part that is not critical may be omitted: most clients show a page without its
      // recommendations.
      let part = call.failedParts(of: parts).first ?? ""
      let seen = "It reported success without \(part), which had failed."
      return Violation(seen, severity: .warning)
    }
  }
}

extension ClientRun {
  /// The requests of calls with several requests and no faults, by the calls' endpoint. A request
  /// that is only made after a failure is an alternative, and not a part.
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
  /// Returns the parts to which no attempt got a response, in the order of their requests.
  fileprivate func failedParts(of parts: [String: Set<String>]) -> [String] {
    guard let own = parts[observation.endpoint] else { return [] }
    // A missing page may be a valid response (RFC 9110 §15.5.5).
    let answered = Set(
      attempts.lazy.filter { $0.isAnswered || $0.error == nil && [404, 410].contains($0.status) }
        .map(\.key)
    )
    // A response to another request may be from an alternative source.
    guard answered.isSubset(of: own) else { return [] }
    return attempts.filter { attempt in
      attempt.isRequest && own.contains(attempt.key) && !answered.contains(attempt.key)
    }
    .grouped(by: \.key).map(\.key)
  }
}
