extension Cassette {
  /// The cassette without its secrets, and what could not be kept, in words.
  package func redacted() -> (cassette: Cassette, leftOut: [String]) {
    var redaction = Redaction(continuing: interactions)
    var cassette = Cassette(redaction.redact(interactions))
    cassette.notes = redaction.redactLast(notes)
    return (cassette, redaction.leftOut)
  }
}
