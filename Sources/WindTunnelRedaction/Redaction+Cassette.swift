extension Cassette {
  /// The cassette without its secrets, and what could not be kept, in words.
  package func redacted(
    by rules: RedactionRules = .standard
  ) -> (cassette: Cassette, leftOut: [String]) {
    var redaction = Redaction(continuing: interactions, rules: rules)
    var cassette = Cassette(redaction.redact(interactions))
    // Looked at last, when all secrets are known.
    cassette.notes = redaction.notes(notes)
    return (cassette, redaction.leftOut)
  }
}
