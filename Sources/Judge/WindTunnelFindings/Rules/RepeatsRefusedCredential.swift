extension FindingRule {
  /// A credential that was refused is refused again.
  static let repeatsRefusedCredential = FindingRule(
    id: "repeats-refused-credential",
    title: "Tries again with a credential that was refused, or with none.",
    condition: "an attempt was answered 401",
    cost: "The user waits for nothing, and a server may lock the account.",
    fix:
      "Renew the credential once and try again with the new one, or say that nobody is signed in.",
    source: "RFC 9110 §15.5.2 (repeat with a new or replaced Authorization field)",
    clients: Set(ClientRun.Client.allCases)
  ).eachCall(.refused) { call in
    let attempts = call.attempts
    guard attempts.contains(where: { $0.injectedStatus == 401 }) else { return .notMet }
    // Who asks for something else in between may well have renewed it: a tape has one token to
    // give.
    let keys = Set(attempts.lazy.filter(\.isRequest).map(\.key))
    guard keys.count == 1 else { return .kept }
    let again = call.repeats.count { before, after in
      attempts[before].injectedStatus == 401 && attempts[after].isRequest
        && attempts[before].credentials == attempts[after].credentials
    }
    // What lives from call to call may have renewed it in another call.
    guard again > 1 || again == 1 && call.client == .program else { return .kept }
    let bears = attempts.contains { !$0.credentials.isEmpty }
    let what = bears ? "with the same credential" : "without a credential"
    return .broken(
      "After 401 it asked \(what) \(again) \(again == 1 ? "time" : "times") more.",
      severity: again == 1 ? .warning : nil
    )
  }
}
