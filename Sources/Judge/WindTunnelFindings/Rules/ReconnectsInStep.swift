extension FindingRule {
  /// All clients of a kind connect again at the same moment.
  static let reconnectsInStep = FindingRule(
    id: "reconnects-in-step",
    severity: .warning,
    title: "Waits the same time before it connects again, so that many clients come back at once.",
    condition: "at least 20 calls lost a conversation and asked for another",
    cost:
      "A server that starts again is hit by all its clients in one second, each with a "
      + "handshake.",
    fix: "Draw the wait at random between zero and its bound (full jitter), from the first on.",
    source:
      "RFC 6455 §7.2.3; AWS Architecture Blog, Exponential Backoff and Jitter (2015)",
    leastCalls: 20,
    restsOnTime: true
  ).together { rule, troubled, _ in
    rule.inStep(troubled, "waits before a reconnection", least: .milliseconds(200)) { call in
      guard call.traits.contains(.conversed), let first = call.observation.reconnections.first,
        // Who noticed a silence by itself has waited for that, too.
        call.attempts[first.before].conversation?.silentSince == nil
      else { return nil }
      return first.tried.map { $0 - first.lost }
    }
  }
}
