extension FindingRule {
  /// Each call leaves a connection behind.
  static let leaksConnections = FindingRule(
    "leaks-connections",
    .error,
    "Leaves a connection open behind nearly every call.",
    condition: "at least 50 calls of a client that lives, to a server that keeps connections",
    cost: "After some hours there is no file descriptor or port left, and every call fails.",
    remedy:
      "Use one client and its pool for all calls; read each answer to its end, and close it.",
    source: "RFC 9112 §9.4 (a client limits its open connections); Go, net/http: Response.Body",
    // A library's sessions are made and ended by the drill.
    clients: [.service],
    leastCalls: Flight.Connections.leastCalls,
    scope: .flight { rule, _, flight in
      guard let most = flight.traffic.connections.max(by: { $0.calls < $1.calls }),
        most.calls >= rule.leastCalls, let last = flight.lastCall
      else {
        return .notMet(rule.unmet(by: flight.traffic.connections.map(\.calls).max() ?? 0))
      }
      // A pool may hold some for each of the calls that are made at once.
      guard most.growsWithCalls, most.leftOpen > 2 * flight.mostAtOnce + 8 else {
        return .passed(most.calls)
      }
      return rule.broken(
        "\(most.leftOpen) of \(most.opened) connections were still open "
          + "\(Figures.wait(Flight.Connections.patience)) after the last of \(most.calls) calls.",
        in: JudgedCall.one(at: last, in: flight),
        calls: min(most.leftOpen, most.calls),
        judged: most.calls
      )
    }
  )
}
