extension FindingRule {
  /// An answer is refused that a server may send.
  static let failsOnLegalAnswer = FindingRule(
    id: "fails-on-legal-answer",
    title: "Fails on an answer that is whole and within the rules.",
    condition:
      "at least four calls had their answer behind interim responses, in small pieces, with pauses, with "
      + "many fields or with small letters in their names, and a call without all that went well; or were "
      + "told by a date when to come back, and others were told the seconds",
    cost: "It breaks on the day on which a proxy in between is replaced.",
    fix: "Take a newer HTTP library, or tell its authors; parse no message by hand.",
    source:
      "RFC 9110 §15.2 (interim responses), §5.1 (names of fields have no case), §10.2.3 (a date or "
      + "seconds); RFC 9112 §2.2",
    leastCalls: 4,
    restsOnTime: true
  ).together(.answeredBehindFault) { rule, troubled, flight in
    if let atDates = rule.fallsOverDates(troubled) { return atDates }
    let failed =
      troubled.filter { $0.traits.contains(.failedDespiteAnswer) && $0.isJudged }
      + flight.showingSomethingElse
    guard !failed.isEmpty else {
      let met = flight.calls.lazy.filter { $0.legalOddity != nil }.prefix(rule.leastCalls).count
      return met < rule.leastCalls ? rule.notMet(by: met) : .passed(met)
    }
    let hasControl = flight.calls.contains { $0.ending == .succeeded && $0.metNoFault }
    guard hasControl else { return .notMet("No call without a fault went well.") }
    for (oddity, calls) in Dictionary(grouping: failed, by: \.observation.legalOddity)
      .sorted(by: { ($0.key ?? "") < ($1.key ?? "") })
    {
      let judged = flight.calls.count { $0.legalOddity == oddity }
      guard let oddity, calls.count >= rule.leastCalls, judged == calls.count,
        let example = calls.smallest
      else { continue }
      let how = example.claimsSuccess ? "showed something else" : "failed"
      let seen = "Each of \(judged) calls \(how) whose answer came with \(oddity)."
      // It is a library's fault, most of the time.
      let violation = Violation(seen, severity: .warning)
      return rule.broken(violation, in: example, calls: calls.count, of: judged)
    }
    return .notMet("No kind of answer failed each time.")
  }
}

extension FindingRule {
  /// The standing of a client that comes back after so many seconds, and fails at once if a date is
  /// named; `nil` for any other.
  fileprivate func fallsOverDates(_ troubled: [JudgedCall]) -> RuleStanding.Standing? {
    let limited = troubled.filter {
      $0.isJudged && $0.attempts.first.map { $0.isFailed && $0.isRepeatable == true } ?? false
    }
    let toldSeconds = limited.filter {
      $0.attempts[0].retryAfter != nil && $0.attempts[0].retryNotBefore == nil
    }
    // Who waits no longer than some seconds may give a later date up.
    let longest = toldSeconds.compactMap { $0.attempts[0].retryAfter }.max() ?? .zero
    let toldDates = limited.filter { call in
      call.attempts[0].retryNotBefore != nil
        && call.attempts[0].retryAfter.map { $0 <= longest } ?? false
    }
    guard toldDates.count >= leastCalls, toldSeconds.count >= leastCalls,
      toldSeconds.allSatisfy({ $0.attempts.count > 1 && $0.claimsSuccess }),
      toldDates.allSatisfy({ $0.attempts.count == 1 && !$0.claimsSuccess }),
      let example = toldDates.smallest
    else { return nil }
    let seen = Violation(
      "Each of \(toldDates.count) calls failed at once that were told a date to come back at, and each of "
        + "\(toldSeconds.count) came back that were told the seconds."
    )
    return broken(seen, in: example, calls: toldDates.count, of: toldDates.count)
  }
}

extension ClientRun {
  /// The calls that showed something else than their answer, which came whole and within the rules,
  /// where those whose answers came as ever showed them.
  fileprivate var showingSomethingElse: [JudgedCall] {
    let controls = calls.filter { $0.ending == .succeeded && $0.metNoFault }
    guard !controls.isEmpty, controls.allSatisfy({ $0.bodyMatches == true }) else { return [] }
    return calls.indices.filter { place in
      let call = calls[place]
      return call.isJudged && call.ending == .succeeded && call.bodyMatches == false
        && call.legalOddity != nil
    }.map { JudgedCall.one(at: $0, in: self) }
  }
}

extension Observation {
  /// The only thing that was seldom about each answer of the call, which came whole; `nil` where
  /// there was none, or something else.
  fileprivate var legalOddity: String? {
    guard let first = attempts.first, !first.decision.metNothing else { return nil }
    var oddity: String?
    for attempt in attempts {
      let faults = attempt.faults
      guard faults.count == 1, let words = attempt.legalOddity, oddity == nil || oddity == words
      else { return nil }
      oddity = words
    }
    return oddity
  }

  /// Tells whether nothing was done to any of its answers.
  fileprivate var metNoFault: Bool {
    !attempts.isEmpty
      && attempts.allSatisfy { $0.decision.metNothing && $0.isAnswered }
  }
}
