// Redacted parts of texts, such as `Bearer REDACTED-authorization-1`.
extension String {
  /// The text with `REDACTED-authorization` for `REDACTED-authorization-1`: two recordings may count
  /// differently. A token that still decodes is its signature alone, since its dates change.
  var withoutRedactionOrdinals: String {
    guard contains("REDACTED-") else { return self }
    return replacing(/(?:eyJ[\w-]+\.[\w-]*\.)?(REDACTED-[a-z0-9-]*[a-z0-9])-[0-9]+/) {
      $0.output.1
    }
  }

  /// Whether a recorded text, whose redacted parts stand for any value, is what another one says.
  package func agrees(with other: String) -> Bool {
    if self == other { return true }
    guard RedactedText.mayBeIn(utf8) else { return false }
    return withoutRedactionOrdinals == other.withoutRedactionOrdinals
      || RedactedText(self)?.shape.values(in: other) != nil
  }
}
