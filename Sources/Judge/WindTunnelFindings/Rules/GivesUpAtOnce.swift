internal import WindTunnelSymptoms

extension FindingRule {
  /// Finds clients that never retry a failed attempt.
  static let givesUpAtOnce = FindingRule(
    id: "gives-up-at-once",
    severity: .note,
    title: "Never retries a request that may be retried.",
    condition:
      "at least 8 repeatable calls failed at first with 502, 503, 504 or a broken connection, "
      + "without Retry-After",
    cost: "The user sees an error for a connection that breaks once in a thousand times.",
    fix: "Repeat an idempotent request once or twice, after a pause.",
    source: "RFC 9110 §9.2.2 (idempotent methods may be repeated automatically)",
    leastCalls: 8,
    restsOnTime: true
  ).together { rule, troubled, _ in
    let failed = troubled.filter { call in
      // A client that crashed or had not ended may have been about to retry.
      call.isJudged && call.traits.contains(.failedAtFirst) && !call.observation.wasGivenUp
        && call.traits.isDisjoint(with: [.crashed, .hung]) && call.attempts[0].isPassing
    }
    guard failed.count >= rule.leastCalls else { return rule.notMet(by: failed.count) }
    func broken(_ given: [JudgedCall], _ words: String) -> RuleStanding.Standing? {
      guard given.allSatisfy({ !$0.traits.contains(.repeats) }),
        // A call that showed a copy is no example of an error that its user saw.
        let example = given.filter({ !$0.claimsSuccess }).smallest ?? given.smallest
      else { return nil }
      let seen = Violation("None of \(given.count) calls that failed at first\(words) tried again.")
      return rule.broken(seen, in: example, calls: given.count, of: failed.count)
    }
    if let broken = broken(failed, "") { return broken }
    // A client may repeat after one kind of failure, and give up after another.
    let kinds = Dictionary(grouping: failed) { call in
      call.attempts[0].error.map(Figures.symptom) ?? "\(call.attempts[0].status ?? 0)"
    }
    for (kind, given) in kinds.sorted(by: { $0.key < $1.key })
    where given.count >= kindMin && given[0].attempts[0].leavesTime {
      if let broken = broken(given, " (\(kind))") { return broken }
    }
    return .passed(failed.count)
  }

  /// The minimum number of calls with the same failure.
  private static let kindMin = 4
}

extension Observation.Attempt {
  /// The errors of a connection that may not recur on the next one. An invalid certificate or an
  /// unknown name does not change.
  private static let passingErrors: Set<String> = Set(
    [Symptom.connectionRefused, .connectionLost, .emptyAnswer, .timedOut].map(\.rawValue)
  )

  /// Whether a client has time for another attempt. A silence may have used it up.
  fileprivate var leavesTime: Bool {
    guard let error else { return true }
    return error == Symptom.truncated.rawValue
      || (Self.passingErrors.contains(error) && !isSilence)
  }

  /// Whether its failure may be temporary, and the request may be repeated.
  fileprivate var isPassing: Bool {
    guard isRequest else { return error.map(Self.passingErrors.contains) ?? false }
    guard isRepeatable == true, !isAnswered, !asksToWait else { return false }
    return error != nil || status.map { [502, 503, 504].contains($0) } ?? false
  }
}
