extension FindingRule {
  /// The server is well again, and the client is not.
  static let doesNotComeBack = FindingRule(
    id: "does-not-come-back",
    title: "Still fails long after the server is well again.",
    condition:
      "at least 5 calls began \(Figures.wait(patience)) or more after the scenario's last fault was over, and "
      + "one before had gone well",
    cost: "An outage of seconds lasts until somebody starts the client again.",
    fix:
      "Let a breaker try one request after some seconds, and go on closed when that goes well; drop "
      + "connections and names that failed.",
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
    else { return .notMet("No call went well before.") }
    let unsent = late.count { flight.calls[$0].attemptCount == 0 }
    let how =
      unsent == late.count
      ? ", without a request" : unsent > 0 ? ", \(unsent) of them without a request" : ""
    return rule.standing(late, of: late.count, in: flight) { _ in
      Violation(
        "The server was well again, and each of \(late.count) calls that began "
          + "\(Figures.wait(patience)) later or more failed\(how)."
      )
    }
  }

  /// A breaker may stay open for some time; whoever waits longer than this is out of order by
  /// itself.
  private static let patience = Duration.seconds(30)
}

extension Observation {
  /// Tells whether it began so long after the last fault, and met none.
  fileprivate func beganInCalm(after patience: Duration) -> Bool {
    guard let afterWindow = self.afterWindow, isJudged, ending != .crashed, ending != .hung else {
      return false
    }
    guard afterWindow - latency >= patience else { return false }
    return attempts.allSatisfy { $0.decision.metNothing && $0.isAnswered }
  }

  /// Tells whether its client says that it failed.
  fileprivate var isFailed: Bool {
    if case .failed = ending { true } else { false }
  }
}
