extension FindingRule {
  /// A credential is for the host that it was made for, and a redirect is no reason to show it to
  /// others.
  static let sendsCredentialElsewhere = FindingRule(
    id: "sends-credential-elsewhere",
    title: "Shows its credential to the host that it was redirected to.",
    condition:
      "a request that bore a credential was redirected to another host, and the client went there",
    cost: "Whoever can make a server redirect reads the user's password or token.",
    fix:
      "Take Authorization, Cookie and keys of an API out of a request before it follows to another host.",
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
        return .broken("It was redirected to another host, and sent its credential along.")
      }
      if sent.apiKeys.contains(where: { shown.contains($0) }) { hasShownKey = true }
    }
    guard hasFollowed else { return .notMet }
    // Most libraries take out what they know, and leave to their callers what an API made up.
    return hasShownKey
      ? .broken(
        "It was redirected to another host, and sent its API key along.",
        severity: .warning
      ) : .kept
  }
}
