internal import Foundation

// Secrets in texts outside of cassettes, such as a command or requests in a log.

extension String {
  /// The text with pseudonyms in place of values that have a secret's name or look like a secret.
  package var withoutSecrets: String {
    var redaction = Redaction(continuing: [])
    return redaction.text(self)
  }

  /// Returns the same, and also without the secrets of some requests.
  package func withoutSecrets(
    of requests: [Request],
    by rules: RedactionRules = .standard
  ) -> String {
    var redaction = Redaction(continuing: [], rules: rules)
    let asked = requests.map { Interaction($0, Response()) }
    let answer = Response(headers: ["Content-Type": "text/plain"], body: Body(self))
    let told = Interaction(Request("GET", "/"), answer)
    // A text that cannot be stored without secrets is omitted.
    return redaction.redact(asked + [told]).last?.response?.body.text ?? ""
  }

  /// The text with a placeholder in place of the user information of its URLs, such as
  /// `http://user:password@host`, or `user:password@host` without a scheme.
  ///
  /// A password may contain `/`, `?`, `#` and `@`, which a user has to escape but may not have. A
  /// port does not begin one, as in `http://localhost:8080/@ada`.
  package var withoutUserInfo: String {
    guard contains("@") else { return self }
    let typed = /(\/\/|^|[\s"'`(“‘])[^\s\/?#"@:\[]{0,256}:(?!\/\/|[0-9]{1,5}[\/?#])[^\s"]{0,1024}@/
    return replacing(typed) { "\($0.1)REDACTED-userinfo-1@" }
      .replacing(/\/\/[^\s\/?#"]{0,1024}@/) { _ in "//REDACTED-userinfo-1@" }
  }

  /// Whether the text is one long word that looks random, such as a key. Paths, names, UUIDs and
  /// hexadecimal digits are excluded.
  package var isRandomWord: Bool {
    let bytes = Bytes(utf8)
    return TextShape.isToken(self) && Entropy.runs(in: bytes).first == bytes.indices
  }

  /// Whether a value with this name is a secret: `--api-token`.
  package var namesSecret: Bool { SecretNames(.standard).kind(of: self, in: .field) != nil }

  /// Whether a URL parameter with this name is a secret: `key`.
  package var namesSecretParameter: Bool {
    SecretNames(.standard).kind(of: self, in: .query) != nil
  }

  /// Whether a header field with this name is a secret: `X-Api-Key`, `Cookie`.
  package var namesSecretField: Bool {
    SecretNames(.standard).kind(of: self, in: .header) != nil
      || ["authorization", "cookie"].contains(lowercased())
  }

  /// Whether a value with this name in a URL, a header field or a body is a secret according to
  /// rules.
  package func namesSecret(by rules: RedactionRules) -> Bool {
    let names = SecretNames(rules)
    return [.query, .header, .field].contains { names.kind(of: self, in: $0) != nil }
  }

  /// Whether a value with this name is a secret in every context, unlike `session`, which may be a
  /// desktop's.
  ///
  /// A variable called `TOKEN` is one, because it has no neighbours that could give it another
  /// meaning.
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
  /// The URL with pseudonyms in place of the parts that a recording would redact.
  ///
  /// These are user information, parameters with a secret's name, and values that look like
  /// secrets.
  package var withoutSecrets: RequestURL {
    guard mayHoldSecret else { return self }
    var redaction = Redaction(continuing: [])
    return redaction.address(self)
  }

  /// Whether the URL needs a search. Most URLs consist of a few words and numbers.
  private var mayHoldSecret: Bool {
    if query?.isEmpty == false || userInfo != nil { return true }
    let segments = path.read.utf8.split(separator: UInt8(ascii: "/"))
    return segments.contains { segment in
      segment.count >= 12 || segment.contains { ";=:@%".utf8.contains($0) }
    }
  }
}
