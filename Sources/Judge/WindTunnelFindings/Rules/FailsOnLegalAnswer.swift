extension FindingRule {
  /// Finds clients that fail on a valid response.
  static let failsOnLegalAnswer = FindingRule(
    id: "fails-on-legal-answer",
    title: "Fails on a complete, valid response.",
    condition:
      "at least four calls received a response in small pieces, with many fields, with lowercase "
      + "field names, with pauses or after interim responses (the last two: a warning), and a plain "
      + "call succeeded; or some calls received Retry-After as a date, and others in seconds",
    cost: "It breaks on the day when an intermediate proxy is replaced.",
    fix: "Update the HTTP library, or report it to its authors. Do not parse messages by hand.",
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
    guard hasControl else { return .notMet("No call without a fault succeeded.") }
    // In this order, the kinds that are errors are first.
    for (oddity, calls) in Dictionary(grouping: failed, by: \.observation.legalOddity)
      .sorted(by: { ($0.key ?? "") > ($1.key ?? "") })
    {
      let judged = flight.calls.count { $0.legalOddity == oddity }
      guard let oddity, calls.count >= rule.leastCalls, judged == calls.count,
        let example = calls.smallest
      else { continue }
      let how = example.claimsSuccess ? "showed something else" : "failed"
      let seen = "Each of \(judged) calls that received a response with \(oddity) \(how)."
      // The libraries of Python, Java, Perl and PHP skip no interim response but 100, and a short
      // timeout may end during a pause.
      let isMild = ["interimResponses", "stall"].contains(example.attempts[0].faults[0])
      let violation = Violation(seen, severity: isMild ? .warning : nil)
      return rule.broken(violation, in: example, calls: calls.count, of: judged)
    }
    return .notMet("No kind of response failed each time.")
  }

  /// Returns the result for a client that handles a `Retry-After` in seconds, but fails at once for
  /// a date. Returns `nil` for any other client.
  fileprivate func fallsOverDates(_ troubled: [JudgedCall]) -> RuleStanding.Standing? {
    let limited = troubled.filter {
      // A client need not repeat a write, even with a key.
      $0.isJudged && $0.observation.isRead
        && $0.attempts.first.map { $0.isFailed && $0.isRepeatable == true } ?? false
    }
    let toldSeconds = limited.filter {
      $0.attempts[0].retryAfter != nil && $0.attempts[0].retryNotBefore == nil
    }
    // A client with a maximum wait may reject a later date.
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
      "Each of \(toldDates.count) calls with a date in Retry-After failed at once, and each of "
        + "\(toldSeconds.count) with seconds in it tried again."
    )
    return broken(seen, in: example, calls: toldDates.count, of: toldDates.count)
  }
}

extension ClientRun {
  /// The calls that showed other content than their complete and valid response. Empty unless all
  /// calls without faults showed their responses.
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
  /// The only unusual property of the call's complete responses. `nil` if there is none, or if
  /// there are several.
  fileprivate var legalOddity: String? {
    guard let first = attempts.first, !first.decision.metNothing, let oddity = first.legalOddity,
      attempts.allSatisfy({ $0.faults.count == 1 && $0.legalOddity == oddity })
    else { return nil }
    return oddity
  }

  /// Whether no fault was applied to its responses.
  fileprivate var metNoFault: Bool {
    !attempts.isEmpty && attempts.allSatisfy { $0.decision.metNothing && $0.isAnswered }
  }
}
