extension FindingRule {
  /// Whoever asked by https asked for nobody to read along.
  static let followsToPlainHTTP = FindingRule(
    "follows-to-plain-http",
    .error,
    "Follows a redirect out of TLS, and shows its credential to the whole way.",
    condition: "a request that came by https was redirected to http at the same host",
    cost: "Everyone on the way reads what the user asks for, and with a credential is the user.",
    remedy:
      "Follow no redirect from https to http; at least take Authorization, Cookie and keys of an API out of "
      + "what follows one.",
    source: "RFC 9110 §15.4 and §17.11; RFC 6797 §2.3 (downgrades); RFC 6750 §5.3 (always use TLS)",
    // Nobody tells a library of the run's authority, so its calls do not begin under TLS.
    clients: [.program, .service],
    scope: .call(.redirectedUnderTLS) { call in
      let attempts = call.attempts
      var (shown, isRedirected, follows, isHeard) = (Set<Int>(), false, false, false)
      for attempt in attempts where attempt.isRequest {
        // Of a request that did not come whole nobody knows how it came.
        guard attempt.sent != nil || attempt.error == nil else { continue }
        let sent = attempt.sent ?? Observation.Sent()
        let credentials = sent.credentials + sent.apiKeys
        guard !sent.isSecure else {
          shown.formUnion(credentials)
          if attempt.isRedirectedToHTTP { isRedirected = true }
          continue
        }
        guard isRedirected else { continue }
        follows = true
        if credentials.contains(where: shown.contains) { isHeard = true }
      }
      guard isRedirected else { return .notMet }
      guard follows else { return .kept }
      return .broken(
        isHeard
          ? Violation("It was redirected from https to http, and sent its credential along.")
          : Violation("It was redirected from https to http, and went there.", severity: .note)
      )
    }
  )
}

extension Observation.Attempt {
  /// Tells whether a fault redirected it from https to http.
  fileprivate var isRedirectedToHTTP: Bool {
    status == 302 && !Self.metNothing(in: decision) && decision.contains("\"redirectToHTTP\"")
  }
}
