extension FindingRule {
  /// Finds clients that continue over plain HTTP after a request over HTTPS.
  static let followsToPlainHTTP = FindingRule(
    id: "follows-to-plain-http",
    title: "Continues by plain HTTP after https, and exposes its credential on the network.",
    condition:
      "a request by https was redirected to http at the same host, or a TLS handshake failed",
    cost: "An attacker on the network path reads the user's requests and credential.",
    fix:
      "Follow no redirect from https to http, or at least remove Authorization, Cookie and API "
      + "keys first. If a handshake fails, fail the call.",
    source: "RFC 9110 §15.4 and §17.11; RFC 6797 §2.3 (downgrades); RFC 6750 §5.3 (always use TLS)",
    // A library cannot be configured to trust the run's authority, so its calls do not begin under
    // TLS.
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
        // The request was sent over TLS after all, or this is unknown.
        isRefused = isRefused && attempt.sent?.isSecure != true
        if attempt.status == 302, attempt.decision.faults.contains(.answer(.redirectToHTTP)) {
          (isMet, isRedirected) = (true, true)
        }
        continue
      }
      guard isRedirected || isRefused else { continue }
      follows = true
      // After a redirect, only a credential that was sent over TLS before counts. After a failed
      // handshake, any does.
      if attempt.credentials.contains(where: { isRefused || shown.contains($0) }) { isHeard = true }
    }
    guard isMet else { return .notMet }
    guard follows else { return .kept }
    guard isRefused else {
      let words = "It was redirected from https to http, and"
      return isHeard
        ? .broken("\(words) sent its credential.") : .broken("\(words) followed.", severity: .note)
    }
    let words = "The TLS handshake failed, and it sent"
    return isHeard
      ? .broken("\(words) its credential by plain HTTP.")
      : .broken("\(words) the request by plain HTTP.", severity: .warning)
  }
}

extension Observation.Attempt {
  /// The numbers of its credentials.
  var credentials: [Int] { sent.map { $0.credentials + $0.apiKeys } ?? [] }

  /// Whether it is a connection whose handshake failed because of a fault.
  fileprivate var isOfFailedHandshake: Bool {
    decision.faults.contains {
      if case .connection(.tls) = $0 { true } else { false }
    }
  }
}
