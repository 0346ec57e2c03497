extension FindingRule {
  /// Finds clients that all reconnect at the same moment.
  static let reconnectsInStep = FindingRule(
    id: "reconnects-in-step",
    severity: .warning,
    title: "Waits the same time before reconnecting, so that many clients reconnect at once.",
    condition: "at least 20 calls lost a conversation and requested another",
    cost: "A restarting server receives the handshakes of all its clients in one second.",
    fix: "Draw each wait, including the first, at random between zero and its limit (full jitter).",
    source: "RFC 6455 §7.2.3; AWS Architecture Blog, Exponential Backoff and Jitter (2015)",
    leastCalls: 20,
    restsOnTime: true
  ).together { rule, troubled, _ in
    rule.inStep(troubled, "waits before a reconnection", least: .milliseconds(200)) { call in
      guard call.traits.contains(.conversed), let first = call.observation.reconnections.first,
        // If a client detected a silence, its wait includes the time to detect it.
        call.attempts[first.before].conversation?.silentSince == nil
      else { return nil }
      return first.tried.map { $0 - first.lost }
    }
  }
}
