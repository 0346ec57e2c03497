extension Redaction {
  /// Takes the user info out of every URL in the notes.
  mutating func redact(_ notes: [JSON.Member]) -> [JSON.Member] {
    notes.map { JSON.Member($0.name, redact($0.value)) }
  }

  /// The same in the objects within, in the order of their places.
  mutating func redact(_ notes: [String: [JSON.Member]]) -> [String: [JSON.Member]] {
    notes.keys.sorted().reduce(into: [:]) { $0[$1] = redact(notes[$1] ?? []) }
  }

  /// Treats the notes of a cassette, once all of its secrets are known.
  mutating func redactLast(_ notes: [JSON.Member]) -> [JSON.Member] {
    let notes = redact(notes)
    let echoes = Echoes(of: secrets)
    return notes.filter { note in
      guard echoes.repeats(note.value) else { return true }
      leaveOut("the note \"\(note.name.value)\": it repeats a credential")
      return false
    }
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
