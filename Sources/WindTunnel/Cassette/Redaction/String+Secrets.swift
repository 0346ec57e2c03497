// Secrets in texts that belong to no cassette, such as the words of a command.

extension String {
  /// The text with pseudonyms for what stands under a secret's name or looks like a secret.
  package var withoutSecrets: String {
    var redaction = Redaction(continuing: [])
    return redaction.text(self)
  }

  /// Whether what bears this name is a secret: `--api-token`.
  package var namesSecret: Bool {
    SecretNames(.standard).sort(of: self, in: .field) == .secret
  }
}
