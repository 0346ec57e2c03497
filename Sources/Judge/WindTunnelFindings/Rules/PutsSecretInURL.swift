extension FindingRule {
  /// Addresses are written down everywhere.
  static let putsSecretInURL = FindingRule(
    id: "puts-secret-in-url",
    severity: .warning,
    title: "Adds what looks like a secret to a URL.",
    condition:
      "a request's query had a parameter that the recorded request has not; behind a proxy any",
    cost: "Logs, histories and proxies keep addresses, and the secret with them.",
    fix: "Send tokens and keys in a header field, such as Authorization.",
    source: "RFC 6750 §5.3 (do not pass bearer tokens in page URLs); OWASP ASVS 13.1",
    clients: Set(ClientRun.Client.allCases)
  ).together { rule, troubled, _ in
    // Also calls that came to nothing on the cassette: it is by the added parameter that they do.
    let met = troubled.filter { $0.traits.contains(.addsParameters) }
    func names(_ call: JudgedCall) -> [String] {
      let all = call.observation.allAttempts.lazy.compactMap(\.sent?.secretParameters)
      return all.first { !$0.isEmpty } ?? []
    }
    return rule.standing(met.filter { !names($0).isEmpty }, of: met.count) { call in
      "It added \(names(call).joined(separator: ", ")) to the query of its URL."
    }
  }
}
