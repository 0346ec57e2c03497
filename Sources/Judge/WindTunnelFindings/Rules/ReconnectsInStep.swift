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
    var waits: [Int64] = []
    var example: JudgedCall?
    for call in troubled where call.isJudged && call.traits.contains(.conversed) {
      guard let first = call.observation.reconnections.first, let tried = first.tried,
        // Who noticed a silence by itself has waited for that, too.
        call.attempts[first.before].conversation?.silentSince == nil
      else { continue }
      waits.append((tried - first.lost).wholeMicroseconds)
      if call.observation.call < (example?.observation.call ?? .max) { example = call }
    }
    return rule.inStep(waits, "waits before a reconnection", example, least: .milliseconds(200))
  }
}
