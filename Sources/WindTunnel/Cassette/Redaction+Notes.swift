internal import Foundation

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

  /// Why an interaction cannot be kept for what stands in its messages or notes.
  func echo(besideBodiesOf interaction: Interaction) -> String? {
    guard !secrets.isEmpty else { return nil }
    let messages = interaction.messages.map(\.body.data)
    if messages.contains(where: { repeatsSecret($0) }) {
      return "a WebSocket message repeats a credential"
    }
    if interaction.notes.contains(where: { repeatsSecret($0.value) }) {
      return "a note repeats a credential"
    }
    return nil
  }

  private func repeatsSecret(_ data: Data) -> Bool {
    secrets.keys.contains { data.range(of: Data($0.utf8)) != nil }
  }

  private func repeatsSecret(_ json: JSON) -> Bool {
    switch json {
    case .null, .bool, .number: false
    case .string(let text): repeatsSecret(Data(text.value.utf8))
    case .array(let elements): elements.contains { repeatsSecret($0) }
    case .object(let members): members.contains { repeatsSecret($0.value) }
    }
  }
}
