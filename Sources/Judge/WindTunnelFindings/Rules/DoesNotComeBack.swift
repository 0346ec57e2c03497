extension FindingRule {
  /// Finds clients that still fail long after the server has recovered.
  static let doesNotComeBack = FindingRule(
    id: "does-not-come-back",
    title: "Still fails long after the server has recovered.",
    condition:
      "at least 5 calls began \(Figures.wait(patience)) or more after the scenario's last fault "
      + "ended, and an earlier call succeeded",
    cost: "An outage of seconds lasts until the client is restarted.",
    fix:
      "Let a circuit breaker try one request after some seconds and close if it succeeds. Discard "
      + "failed connections and resolved names.",
    source:
      "Nygard, Release It!, ch. 5 (Circuit Breaker: half-open); Fowler, CircuitBreaker (2014)",
    clients: [.service, .library],
    leastCalls: 5,
    restsOnTime: true
  ).together(.afterWindow) { rule, _, flight in
    let late = flight.calls.indices.filter { flight.calls[$0].beganInCalm(after: patience) }
    guard late.count >= rule.leastCalls else { return rule.notMet(by: late.count) }
    guard late.allSatisfy({ flight.calls[$0].isFailed }) else { return .passed(late.count) }
    guard flight.calls.contains(where: { $0.afterWindow == nil && $0.ending == .succeeded })
    else { return .notMet("No earlier call succeeded.") }
    let unsent = late.count { flight.calls[$0].attemptCount == 0 }
    let how =
      unsent == late.count
      ? ", without a request" : unsent > 0 ? ", \(unsent) of them without a request" : ""
    return rule.standing(late, of: late.count, in: flight) { _ in
      Violation(
        "The server had recovered, and each of \(late.count) calls that began "
          + "\(Figures.wait(patience)) later or more failed\(how)."
      )
    }
  }

  /// The time for which a circuit breaker may stay open. A client that needs longer is broken by
  /// itself.
  private static let patience = Duration.seconds(30)
}

extension Observation {
  /// Returns whether the call began long enough after the last fault, and met no fault.
  fileprivate func beganInCalm(after patience: Duration) -> Bool {
    guard let afterWindow = self.afterWindow, isJudged, ending != .crashed, ending != .hung else {
      return false
    }
    guard afterWindow - latency >= patience else { return false }
    return attempts.allSatisfy { $0.decision.metNothing && $0.isAnswered }
  }

  /// Whether its client reports a failure.
  fileprivate var isFailed: Bool {
    if case .failed = ending { true } else { false }
  }
}
