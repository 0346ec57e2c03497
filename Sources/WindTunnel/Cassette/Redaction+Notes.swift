extension Redaction {
  /// Takes the user info out of every URL in the notes.
  mutating func redact(_ notes: [JSON.Member]) -> [JSON.Member] {
    notes.map { JSON.Member($0.name, redact($0.value)) }
  }

  private mutating func redact(_ json: JSON) -> JSON {
    switch json {
    case .null, .bool, .number: return json
    case .string(let text):
      let redacted = withoutUserInfo(text.value)
      return redacted == text.value ? json : .text(redacted)
    case .array(let elements): return .array(elements.map { redact($0) })
    case .object(let members): return .object(redact(members))
    }
  }
}
