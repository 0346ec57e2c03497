extension FindingRule {
  /// Finds clients that repeat a request with a rejected credential.
  static let repeatsRefusedCredential = FindingRule(
    id: "repeats-refused-credential",
    title: "Tries again with a refused credential, or with none.",
    condition: "an attempt received 401",
    cost: "The user waits in vain, and a server may lock the account.",
    fix: "Renew the credential once and try again, or report that the user is signed out.",
    source: "RFC 9110 §15.5.2 (repeat with a new or replaced Authorization field)",
    clients: Set(ClientRun.Client.allCases)
  ).eachCall(.refused) { call in
    let attempts = call.attempts
    guard attempts.contains(where: { $0.injectedStatus == 401 }) else { return .notMet }
    // A client that makes other requests in between may have renewed the credential: a cassette has
    // only one token.
    let keys = Set(attempts.lazy.filter(\.isRequest).map(\.key))
    guard keys.count == 1 else { return .kept }
    let again = call.repeats.count { before, after in
      attempts[before].injectedStatus == 401 && attempts[after].isRequest
        && attempts[before].credentials == attempts[after].credentials
    }
    // A long-running client may have renewed it in another call.
    guard again > 1 || again == 1 && call.client == .program else { return .kept }
    let bears = attempts.contains { !$0.credentials.isEmpty }
    let what = bears ? "with the same credential" : "without a credential"
    return .broken(
      "After 401 it sent the request \(again) more \(again == 1 ? "time" : "times") \(what).",
      severity: again == 1 ? .warning : nil
    )
  }
}
