extension FindingRule {
  /// Finds clients that follow redirects without a maximum.
  static let redirectsWithoutBound = FindingRule(
    id: "redirects-without-bound",
    title: "Follows more than fifty redirects of one call.",
    condition: "a call was redirected at least four times without a final response",
    cost: "One wrong rule on a server turns each of its clients into a load test.",
    fix: "Follow ten or twenty redirects, and then report too many redirects.",
    source:
      "RFC 9110 §15.4 (a client should detect cyclical redirections); Fetch, HTTP-redirect fetch",
    clients: Set(ClientRun.Client.allCases)
  ).eachCall([.many, .unanswered]) { call in
    guard call.attempts[0].isRedirect else { return .notMet }
    let count = call.longestChain
    guard count >= 4 else { return .notMet }
    return count > most
      ? .broken("It followed \(count) redirects, and would have continued.")
      : .kept
  }

  /// curl follows 50 redirects by default (`--max-redirs`).
  private static let most = 51
}

extension JudgedCall {
  /// The minimum wait before a retry after a failed chain. Redirects are followed without a wait.
  private static let pause = Duration.milliseconds(80)

  /// The maximum number of redirects that were followed in one chain.
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
  /// Whether the response is a redirect.
  fileprivate var isRedirect: Bool { error == nil && (300..<400).contains(status ?? 0) }
}
