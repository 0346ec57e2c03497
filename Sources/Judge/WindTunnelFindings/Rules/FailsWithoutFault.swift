extension FindingRule {
  /// Finds clients that fail in a scenario without faults.
  static let failsWithoutFault = FindingRule(
    id: "fails-without-fault",
    title: "Fails in a scenario without faults.",
    condition: "the scenario has no faults, and no recorded response of the call is an error",
    cost: "The user sees an error on a good network.",
    fix: "Run the call alone (--again), and correct the address, the request or the decoder.",
    source: "RFC 9110 §15.3 (2xx: the request was received, understood and accepted)",
    restsOnTime: true
  ).together { rule, troubled, flight in
    guard flight.scenario?.hasNoFaults == true else { return rule.notMet(by: 0) }
    // After recorded errors, a circuit breaker fails calls without a request.
    let hasErrors = troubled.contains { $0.observation.attempts.contains(where: \.isError) }
    let failed = troubled.filter { call in
      call.isJudged && call.observation.failedWithoutCause
        && !(hasErrors && call.observation.attempts.isEmpty)
    }
    // A call that succeeds has no traits, so that it is not among the troubled ones.
    let judged = failed.count + flight.calls.count { $0.isJudged && $0.ending == .succeeded }
    return rule.standing(failed, of: judged) { call in
      let sent = call.attempts.isEmpty ? "sent no request" : "met no fault"
      return "It \(call.observation.endingVerb), and \(sent)."
    }
  }
}

extension Observation {
  /// Whether the call failed although its attempts were observed and no recorded error explains it.
  fileprivate var failedWithoutCause: Bool {
    guard case .failed = ending, !wasGivenUp, attemptCount != nil else { return false }
    return !attempts.contains { $0.isError || $0.conversation?.wasBroken == true }
  }
}

extension Observation.Attempt {
  /// Whether the recorded response is an error.
  fileprivate var isError: Bool { error != nil || (status ?? 0) >= 400 }
}

extension ConversationLog {
  /// Whether the server ended the conversation, other than by a normal close.
  fileprivate var wasBroken: Bool {
    switch ending {
    case .server(1000), .client, .clientLeft, nil: false
    case .server, .serverLeft, .stopped: true
    }
  }
}
