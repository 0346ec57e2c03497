// Redacted parts of texts, such as `Bearer REDACTED-authorization-1`.
extension String {
  /// The text with `REDACTED-authorization` for `REDACTED-authorization-1`: two recordings may count
  /// differently.
  var withoutRedactionOrdinals: String {
    guard contains("REDACTED-") else { return self }
    return replacing(/(REDACTED-[a-z0-9-]*[a-z0-9])-[0-9]+/) { $0.output.1 }
  }

  /// Whether a recorded text, whose redacted parts stand for any value, is what another one says.
  func agrees(with other: String) -> Bool {
    if self == other { return true }
    guard contains("REDACTED-") else { return false }
    if withoutRedactionOrdinals == other.withoutRedactionOrdinals { return true }
    let pieces = split(
      separator: /REDACTED-[a-z0-9-]*[a-z0-9]-[0-9]+/,
      omittingEmptySubsequences: false
    )
    guard pieces.count > 1, let first = pieces.first, let last = pieces.last,
      other.hasPrefix(first)
    else { return false }
    var rest = other.dropFirst(first.count)
    for piece in pieces.dropFirst().dropLast() where !piece.isEmpty {
      guard let range = rest.firstRange(of: piece) else { return false }
      rest = rest[range.upperBound...]
    }
    return rest.hasSuffix(last)
  }
}
