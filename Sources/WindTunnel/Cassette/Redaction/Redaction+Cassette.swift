extension Cassette {
  /// The cassette without its secrets, and what could not be kept, in words.
  package func redacted() -> (cassette: Cassette, leftOut: [String]) {
    var redaction = Redaction(continuing: interactions)
    var cassette = Cassette(redaction.redact(interactions))
    // Looked at last, when all secrets are known.
    cassette.notes = redaction.notes(notes)
    return (cassette, redaction.leftOut)
  }
}
