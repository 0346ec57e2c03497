extension FindingRule {
  /// Whoever asked by https asked for nobody to read along.
  static let followsToPlainHTTP = FindingRule(
    id: "follows-to-plain-http",
    title:
      "Goes on by plain HTTP although it was given https, and shows its credential to the whole way.",
    condition:
      "a request that came by https was redirected to http at the same host, or a TLS handshake failed",
    cost: "Everyone on the way reads what the user asks for, and with a credential is the user.",
    fix:
      "Follow no redirect from https to http; at least take Authorization, Cookie and keys of an API out of "
      + "what follows one. If a handshake fails, let the call fail.",
    source: "RFC 9110 §15.4 and §17.11; RFC 6797 §2.3 (downgrades); RFC 6750 §5.3 (always use TLS)",
    // Nobody tells a library of the run's authority, so its calls do not begin under TLS.
    clients: [.program, .service]
  ).eachCall(.needsTLS) { call in
    let attempts = call.attempts
    var shown: Set<Int> = []
    var (isMet, follows, isHeard) = (false, false, false)
    var (isRedirected, isRefused) = (false, false)
    for attempt in attempts {
      guard attempt.isRequest else {
        if attempt.isOfFailedHandshake { (isMet, isRefused) = (true, true) }
        continue
      }
      guard attempt.isPlain else {
        shown.formUnion(attempt.credentials)
        // It came by TLS after all, or nobody knows how.
        isRefused = isRefused && attempt.sent?.isSecure != true
        if attempt.status == 302, attempt.decision.faults.contains(.answer(.redirectToHTTP)) {
          (isMet, isRedirected) = (true, true)
        }
        continue
      }
      guard isRedirected || isRefused else { continue }
      follows = true
      // Behind a redirect it is the credential that went by TLS before; without TLS it is any.
      if attempt.credentials.contains(where: { isRefused || shown.contains($0) }) { isHeard = true }
    }
    guard isMet else { return .notMet }
    guard follows else { return .kept }
    guard isRefused else {
      return .broken(
        isHeard
          ? "It was redirected from https to http, and sent its credential along."
          : Violation("It was redirected from https to http, and went there.", severity: .note)
      )
    }
    return .broken(
      isHeard
        ? "The TLS handshake failed, and it sent its credential by plain HTTP."
        : Violation("The TLS handshake failed, and it asked by plain HTTP.", severity: .warning)
    )
  }
}

extension Observation.Attempt {
  /// The numbers of what it shows of its user.
  var credentials: [Int] { sent.map { $0.credentials + $0.apiKeys } ?? [] }

  /// Tells whether it is a connection whose handshake a fault made fail.
  fileprivate var isOfFailedHandshake: Bool {
    decision.faults.contains {
      if case .connection(.tls) = $0 { true } else { false }
    }
  }
}
