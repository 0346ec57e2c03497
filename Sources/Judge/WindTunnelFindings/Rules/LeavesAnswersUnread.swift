extension FindingRule {
  /// An answer is left half read, and its connection open.
  static let leavesAnswersUnread = FindingRule(
    id: "leaves-answers-unread",
    severity: .warning,
    title: "Leaves large answers half read, and their connections open.",
    condition:
      "at least \(leastCalls) calls of a client that lives were answered with a megabyte or more",
    cost:
      "The connection can serve no other call, and holds memory on both sides until somebody gives it up.",
    fix: "Read each answer to its end, or close its connection.",
    source: "RFC 9112 §9.3 (read the whole response before reuse); Go, net/http: Response.Body",
    // A library's sessions are made and ended by the drill.
    clients: [.service],
    leastCalls: leastCalls
  ).together { rule, _, flight in
    let looked = flight.traffic.connections.filter { $0.leftUnread != nil }
    let calls = looked.map(\.calls).reduce(0, +)
    guard calls >= rule.leastCalls, let last = flight.lastCall else {
      return rule.notMet(by: calls)
    }
    let unread = looked.compactMap(\.leftUnread).reduce(0, +)
    // One may be an accident, such as a call that was given up.
    guard unread >= 2, unread * 2 >= calls else { return .passed(calls) }
    let seen = Violation(
      "\(unread) answers were not read to their end, and their connections still open "
        + "\(Figures.wait(ClientRun.Connections.patience)) after the last of \(calls) calls."
    )
    return rule.broken(seen, in: .one(at: last, in: flight), calls: min(unread, calls), of: calls)
  }

  private static let leastCalls = 4
}
