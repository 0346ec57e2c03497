extension Redaction {
  /// Returns a text without secrets, decoded and encoded again; `nil` if it is not in the decoder's
  /// format.
  mutating func rewritten(_ bytes: Bytes, by decoder: some Decoder, depth: Int) -> Bytes? {
    guard let spans = decoder.spans(in: bytes) else { return nil }
    let part = log?.part
    defer { part.map { log?.part = $0 } }
    var edits: [Edit] = []
    for span in spans where !pseudonyms.isOverfull {
      let new = redacted(span, depth: depth, part)
      if new != span.meaning {
        edits.append(Edit(span.range, decoder.spelled(new, in: span, of: bytes)))
      }
    }
    return edits.isEmpty ? bytes : Edit.applied(edits, to: bytes)
  }

  private mutating func redacted(_ span: Span, depth: Int, _ part: String?) -> Bytes {
    switch span.role {
    case .name: return echoes.replaced(in: span.meaning, .name) ?? span.meaning
    case .text:
      guard span.meaning.first == "/", let path = String(utf8: span.meaning) else {
        return whole(span.meaning, depth: depth + 1)
      }
      return Bytes(link(path, depth: depth + 1).utf8)
    case .content(let type):
      return content(span.meaning, type: type, what: "a body", depth: depth + 1)
    case .sealed:
      if !echoes.found(in: span.meaning).isEmpty { obstacle = "a body repeats a credential" }
      return span.meaning
    case .value(let name, let place, let neighbours):
      guard let text = String(utf8: span.meaning) else {
        var sealed = span
        sealed.role = .sealed
        return redacted(sealed, depth: depth, part)
      }
      part.map { log?.part = "\($0) \(place.rawValue) \(SecretNames.slug(name))" }
      let value = value(text, named: name, place, neighbours) ?? self.text(text, depth: depth + 1)
      return value == text ? span.meaning : Bytes(value.utf8)
    }
  }
}
