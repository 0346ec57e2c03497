internal import WindTunnelSymptoms

extension FindingRule {
  /// No attempt follows the first, whatever it met.
  static let givesUpAtOnce = FindingRule(
    id: "gives-up-at-once",
    severity: .note,
    title: "Never tries again what may be tried again.",
    condition:
      "at least 8 calls that may be repeated failed at first with 502, 503, 504 or a broken "
      + "connection, without Retry-After",
    cost: "A connection that breaks once in a thousand times is an error that the user sees.",
    fix: "Repeat an idempotent request once or twice, after a pause.",
    source: "RFC 9110 §9.2.2 (idempotent methods may be repeated automatically)",
    leastCalls: 8,
    restsOnTime: true
  ).together { rule, troubled, _ in
    let failed = troubled.filter { call in
      // One that died, or had not ended, may have been about to try again.
      call.isJudged && call.traits.contains(.failedAtFirst) && !call.observation.wasGivenUp
        && call.traits.isDisjoint(with: [.crashed, .hung]) && call.attempts[0].isPassing
    }
    guard failed.count >= rule.leastCalls else { return rule.notMet(by: failed.count) }
    func broken(_ given: [JudgedCall], _ words: String) -> RuleStanding.Standing? {
      guard given.allSatisfy({ !$0.traits.contains(.repeats) }), let example = given.smallest
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

  /// The minimum number of calls that failed in one way.
  private static let kindMin = 4
}

extension Observation.Attempt {
  /// The errors of a connection that the next one need not meet; a certificate or a name stays as
  /// it is.
  private static let passingErrors: Set<String> = Set(
    [Symptom.connectionRefused, .connectionLost, .emptyAnswer, .timedOut].map(\.rawValue)
  )

  /// Whether a client has time for another attempt: a silence may have taken all of it.
  fileprivate var leavesTime: Bool {
    guard let error else { return true }
    return error == Symptom.truncated.rawValue
      || (Self.passingErrors.contains(error) && !isSilence)
  }

  /// Tells whether what it met may pass at once, and it may be repeated.
  fileprivate var isPassing: Bool {
    guard isRequest else { return error.map(Self.passingErrors.contains) ?? false }
    guard isRepeatable == true, !isAnswered, !asksToWait else { return false }
    return error != nil || status.map { [502, 503, 504].contains($0) } ?? false
  }
}
