internal import Foundation

// Secrets in texts that belong to no cassette, such as the words of a command and requests in a
// log.

extension String {
  /// The text with pseudonyms for what stands under a secret's name or looks like a secret.
  package var withoutSecrets: String {
    var redaction = Redaction(continuing: [])
    return redaction.text(self)
  }

  /// Returns the same, and without the secrets of some requests where it repeats them.
  package func withoutSecrets(
    of requests: [Request],
    by rules: RedactionRules = .standard
  ) -> String {
    var redaction = Redaction(continuing: [], rules: rules)
    let asked = requests.map { Interaction($0, Response()) }
    let answer = Response(headers: ["Content-Type": "text/plain"], body: Body(self))
    let told = Interaction(Request("GET", "/"), answer)
    // What cannot be told without them is not told.
    return redaction.redact(asked + [told]).last?.response?.body.text ?? ""
  }

  /// Tells whether what bears this name is a secret: `--api-token`.
  package var namesSecret: Bool { SecretNames(.standard).kind(of: self, in: .field) != nil }

  /// Tells whether a parameter of this name in an address is a secret: `key`.
  package var namesSecretParameter: Bool {
    SecretNames(.standard).kind(of: self, in: .query) != nil
  }

  /// Tells whether a header field of this name is a secret: `X-Api-Key`, `Cookie`.
  package var namesSecretField: Bool {
    SecretNames(.standard).kind(of: self, in: .header) != nil
      || ["authorization", "cookie"].contains(lowercased())
  }

  /// Tells whether what bears this name in an address, a field or a body is a secret by rules.
  package func namesSecret(by rules: RedactionRules) -> Bool {
    let names = SecretNames(rules)
    return [.query, .header, .field].contains { names.kind(of: self, in: $0) != nil }
  }

  /// Tells whether what bears this name is a secret in every place: a `session` may be a desktop's.
  ///
  /// A variable's `TOKEN` is one, too: it has no neighbours that could say otherwise.
  package var surelyNamesSecret: Bool {
    namesSecret
      && (Vocabulary.ambiguous[SecretNames.folded(self)] == nil
        || ["token", "tokens", "auth", "bearer", "cookie", "cookies"].contains(lowercased()))
  }
}

extension Interaction {
  /// Returns the interaction without its secrets; `nil` if it cannot be searched for them.
  package func withoutSecrets(by rules: RedactionRules) -> Interaction? {
    Cassette([self]).redacted(by: rules).cassette.interactions.first
  }
}

extension RequestURL {
  /// The address with pseudonyms for what a recording would not keep of it: user info, parameters
  /// that are named like secrets, and what looks like one.
  package var withoutSecrets: RequestURL {
    guard mayHoldSecret else { return self }
    var redaction = Redaction(continuing: [])
    return redaction.address(self)
  }

  /// Tells whether there is anything to look into: most addresses are a few words and numbers.
  private var mayHoldSecret: Bool {
    if query?.isEmpty == false || userInfo != nil { return true }
    let segments = path.read.utf8.split(separator: UInt8(ascii: "/"))
    return segments.contains { segment in
      segment.count >= 12 || segment.contains { ";=:@%".utf8.contains($0) }
    }
  }
}
