extension FindingRule {
  /// A circle has no end.
  static let redirectsWithoutBound = FindingRule(
    id: "redirects-without-bound",
    title: "Follows more than fifty redirects of one call.",
    condition: "a call was redirected at least four times, and never to an answer",
    cost: "One wrong rule on a server makes each of its clients a load test.",
    fix: "Follow ten or twenty redirects, and then say that there are too many.",
    source:
      "RFC 9110 §15.4 (a client should detect cyclical redirections); Fetch, HTTP-redirect fetch",
    clients: Set(ClientRun.Client.allCases)
  ).eachCall([.many, .unanswered]) { call in
    guard call.attempts[0].isRedirect else { return .notMet }
    let count = call.longestChain
    guard count >= 4 else { return .notMet }
    return count > most
      ? .broken("It followed \(count) redirects, and would have gone on.")
      : .kept
  }

  /// curl follows as many as that where nobody says otherwise (`--max-redirs`).
  private static let most = 51
}

extension JudgedCall {
  /// A client that has given up and tries again waits before it does; no redirect is waited for.
  private static let pause = Duration.milliseconds(80)

  /// The greatest number of redirects that were followed at once.
  fileprivate var longestChain: Int {
    var (longest, chain) = (0, 0)
    var before: Duration?
    for attempt in attempts {
      if let before, let start = attempt.start, start - before >= Self.pause { chain = 0 }
      chain = attempt.isRedirect ? chain + 1 : 0
      longest = max(longest, chain)
      before = attempt.headCame
    }
    return longest
  }
}

extension Observation.Attempt {
  /// Tells whether it was answered with a way to another place.
  fileprivate var isRedirect: Bool { error == nil && (300..<400).contains(status ?? 0) }
}
