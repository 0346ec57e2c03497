extension FindingRule {
  /// A circle has no end.
  static let redirectsWithoutBound = FindingRule(
    "redirects-without-bound",
    .error,
    "Follows more than fifty redirects of one call.",
    condition: "a call was redirected at least four times, and never to an answer",
    cost: "One wrong rule on a server makes each of its clients a load test.",
    remedy: "Follow ten or twenty redirects, and then say that there are too many.",
    source:
      "RFC 9110 §15.4 (a client should detect cyclical redirections); Fetch, HTTP-redirect fetch",
    scope: .call([.many, .unanswered]) { call in
      guard call.attempts[0].isRedirect else { return .notMet }
      let count = call.attempts.count(where: \.isRedirect)
      guard count >= 4 else { return .notMet }
      return count > most
        ? .broken(Violation("It followed \(count) redirects, and would have gone on."))
        : .kept
    }
  )

  /// curl follows as many as that where nobody says otherwise (`--max-redirs`).
  private static let most = 51
}

extension Observation.Attempt {
  /// Tells whether it was answered with a way to another place.
  fileprivate var isRedirect: Bool { error == nil && (300..<400).contains(status ?? 0) }
}
