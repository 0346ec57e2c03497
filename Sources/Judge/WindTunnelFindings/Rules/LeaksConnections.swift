extension FindingRule {
  /// Finds clients that leave a connection open after each call.
  static let leaksConnections = FindingRule(
    id: "leaks-connections",
    title:
      "Leaves a connection open after nearly every call, or after nearly every error response.",
    condition:
      "at least 50 calls of one process, or 20 error responses, by a server that keeps connections",
    cost: "After some hours no file descriptor or port is left, and every call fails.",
    fix: "Use one client and its pool for all calls. Read each response to its end, and close it.",
    source: "RFC 9112 §9.4 (a client limits its open connections); Go, net/http: Response.Body",
    // The drill creates and ends the sessions of a library.
    clients: [.service],
    leastCalls: ClientRun.Connections.leastCalls
  ).together { rule, _, flight in
    let most = flight.traffic.connections.max { $0.calls < $1.calls }
    let attempts = most?.mayLeak == true ? flight.calls.lazy.map(\.attempts) : []
    let errors = attempts.joined().count {
      $0.isRequest && $0.error == nil && ($0.status ?? 0) >= 400
    }
    let hasErrors = errors >= ClientRun.Connections.leastErrors
    guard let most, most.calls >= rule.leastCalls || hasErrors, let last = flight.lastCall else {
      return rule.notMet(by: most?.calls ?? 0)
    }
    let growsWithErrors = hasErrors && Double(most.leftOpen) >= 0.9 * Double(errors)
    // A pool may hold some connections for each concurrent call.
    guard most.growsWithCalls || growsWithErrors, most.leftOpen > 2 * flight.mostAtOnce + 8 else {
      return .passed(most.calls)
    }
    let words = most.growsWithCalls ? "" : ", of which \(errors) requests had an error response"
    let seen = Violation(
      "\(most.leftOpen) of \(most.opened) connections were still open "
        + "\(Figures.wait(ClientRun.Connections.patience)) after the last of \(most.calls) calls\(words)."
    )
    return rule.broken(
      seen,
      in: .one(at: last, in: flight),
      calls: min(most.leftOpen, most.calls),
      of: most.calls
    )
  }
}
