extension FindingRule {
  /// Finds clients that leave responses partly unread and their connections open.
  static let leavesAnswersUnread = FindingRule(
    id: "leaves-answers-unread",
    severity: .warning,
    title: "Leaves large responses half read, and their connections open.",
    condition: "at least \(leastCalls) calls of one client process received a megabyte or more",
    cost:
      "The connection can serve no other call, and uses memory on both sides until one side closes "
      + "it.",
    fix: "Read each response to its end, or close its connection.",
    source: "RFC 9112 §9.3 (read the whole response before reuse); Go, net/http: Response.Body",
    // The drill creates and ends the sessions of a library.
    clients: [.service],
    leastCalls: leastCalls
  ).together { rule, _, flight in
    let looked = flight.traffic.connections.filter { $0.leftUnread != nil }
    let calls = looked.map(\.calls).reduce(0, +)
    guard calls >= rule.leastCalls, let last = flight.lastCall else {
      return rule.notMet(by: calls)
    }
    let unread = looked.compactMap(\.leftUnread).reduce(0, +)
    // A single unread response may be accidental, for example after a cancelled call.
    guard unread >= 2, unread * 2 >= calls else { return .passed(calls) }
    let seen = Violation(
      "\(unread) responses were not read to their end, and their connections were still open "
        + "\(Figures.wait(ClientRun.Connections.patience)) after the last of \(calls) calls."
    )
    return rule.broken(seen, in: .one(at: last, in: flight), calls: min(unread, calls), of: calls)
  }

  private static let leastCalls = 4
}
