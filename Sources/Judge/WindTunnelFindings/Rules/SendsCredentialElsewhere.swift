extension FindingRule {
  /// Finds clients that send a credential to another host after a redirect.
  static let sendsCredentialElsewhere = FindingRule(
    id: "sends-credential-elsewhere",
    title: "Sends its credential to the host of a redirect.",
    condition:
      "a request with a credential was redirected to another host, and the client followed",
    cost: "An attacker who can make a server redirect reads the user's password or token.",
    fix: "Remove Authorization, Cookie and API keys before following a redirect to another host.",
    source:
      "RFC 9110 §15.4 (remove header fields that the recipient does not need); CVE-2018-1000007",
    clients: Set(ClientRun.Client.allCases)
  ).eachCall(.elsewhere) { call in
    let attempts = call.attempts
    var (shown, isRedirected, hasFollowed, hasShownKey) = (Set<Int>(), false, false, false)
    for attempt in attempts where attempt.isRequest {
      let sent = attempt.sent ?? Observation.Sent()
      guard sent.isElsewhere else {
        shown.formUnion(sent.credentials + sent.apiKeys)
        if (300..<400).contains(attempt.status ?? 0) { isRedirected = true }
        continue
      }
      guard isRedirected, !shown.isEmpty else { continue }
      hasFollowed = true
      if sent.credentials.contains(where: { shown.contains($0) }) {
        return .broken("It was redirected to another host, and sent its credential there.")
      }
      if sent.apiKeys.contains(where: { shown.contains($0) }) { hasShownKey = true }
    }
    guard hasFollowed else { return .notMet }
    // Most libraries remove known credentials, and leave an API's own fields to their callers.
    return hasShownKey
      ? .broken(
        "It was redirected to another host, and sent its API key there.",
        severity: .warning
      ) : .kept
  }
}
