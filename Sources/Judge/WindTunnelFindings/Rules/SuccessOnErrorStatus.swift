extension FindingRule {
  /// An answer that says that it failed is taken for a good one.
  static let successOnErrorStatus = FindingRule(
    id: "success-on-error-status",
    title: "Says that a call went well whose every answer was a 4xx or 5xx.",
    condition: "no attempt of a call had an answer, and the last had a status of 400 or more",
    cost: "The text of an error is shown or stored as if it were the data.",
    fix: "Look at the status before the body (curl: --fail; fetch: response.ok).",
    source: "RFC 9110 §15.5 and §15.6; curl(1), --fail"
  ).eachCall(.unanswered) { call in
    guard !call.wasAnswered, let last = call.attempts.last(where: \.isRequest),
      let status = last.injectedStatus, status >= 400, last.error == nil
    else { return .notMet }
    guard call.claimsSuccess, !call.showsCopy else { return .kept }
    // That nothing is there may be all that was asked (RFC 9110 §15.5.5 and §15.5.11).
    if status == 404 || status == 410, !call.observation.showed { return .notMet }
    switch call.client {
    case .program:
      // Whoever prints words of its own may have told the user.
      let isOwn = call.observation.printed.map { !$0.isEmpty && !$0.hasPrefix("This ") } ?? false
      let seen = "This command ended with 0 after nothing but \(status)"
      return isOwn ? .doubtful(seen) : .broken(seen + ".")
    case .library, .service, .proxied:
      return .broken("It returned without an error after nothing but \(status).")
    }
  }
}
