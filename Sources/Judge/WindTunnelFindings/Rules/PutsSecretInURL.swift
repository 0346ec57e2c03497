extension FindingRule {
  /// Finds clients that put secrets into URLs, which are stored in many places.
  static let putsSecretInURL = FindingRule(
    id: "puts-secret-in-url",
    severity: .warning,
    title: "Adds a likely secret to a URL.",
    condition: "a query had a parameter that the recorded request lacks; behind a proxy, any",
    cost: "Logs, histories and proxies store addresses, including the secret.",
    fix: "Send tokens and keys in a header field, such as Authorization.",
    source: "RFC 6750 §5.3 (do not pass bearer tokens in page URLs); OWASP ASVS 13.1",
    clients: Set(ClientRun.Client.allCases)
  ).together { rule, troubled, _ in
    // Calls that are not on the cassette are included, because the added parameter may be the
    // reason.
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
