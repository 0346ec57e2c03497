/// An object that is a name and its value: `{"name": "Authorization", "value": "…"}`,
/// `{"id": "token", "content": "…"}`.
struct NamedPair {
  /// What the value is called.
  let name: String
  /// The members that may hold it.
  private let isPlainPair: Bool

  /// Reads an object; `nil` if it is no such pair.
  init?(_ members: [(name: Range<Int>, value: JSONSpan)], _ walk: Redaction.Walk) {
    // Compared as they are written, quotes and all: this is asked of every object there is.
    func isNamed(_ range: Range<Int>, _ names: [StaticString]) -> Bool {
      names.contains { name in
        range.count == name.utf8CodeUnitCount
          && name.withUTF8Buffer { walk.bytes[range].elementsEqual($0) }
      }
    }
    func text(_ names: [StaticString]) -> String? {
      for member in members where isNamed(member.name, names) {
        if case .string(let range) = member.value { return walk.text(range) }
      }
      return nil
    }
    guard members.contains(where: { isNamed($0.name, Self.values) }) else { return nil }
    let isPlainPair = members.contains { isNamed($0.name, ["\"value\""]) }
    guard let name = (isPlainPair ? text(Self.names) : nil) ?? text(Self.otherNames) else {
      return nil
    }
    (self.name, self.isPlainPair) = (name, isPlainPair && text(Self.names) != nil)
    // Most of what stands under "id" is one, and no name.
    guard self.isPlainPair || Self.mayBeName(name) else { return nil }
  }

  private static func mayBeName(_ text: String) -> Bool {
    text.utf8.count <= 40 && text.utf8.count { 0x30...0x39 ~= $0 } <= 1
  }

  private static let names: [StaticString] = ["\"name\"", "\"key\"", "\"header\""]
  private static let otherNames: [StaticString] = [
    "\"name\"", "\"key\"", "\"id\"", "\"field\"", "\"label\"", "\"param\"", "\"parameter\"",
    "\"attribute\"", "\"property\"", "\"variable\"", "\"type\"", "\"kind\"",
  ]
  private static let values: [StaticString] = [
    "\"value\"", "\"content\"", "\"val\"", "\"text\"", "\"data\"", "\"string\"",
    "\"stringValue\"",
  ]
  private static let valueKeys: Set<String> = [
    "value", "content", "val", "text", "data", "string", "stringValue",
  ]

  /// Whether a member holds the value. Under other labels than `name` and `value` what reads like a
  /// label or a sentence is one: `{"id": "password", "text": "Your password"}`.
  func holds(_ value: JSONSpan, in key: String, _ walk: Redaction.Walk) -> Bool {
    if isPlainPair { return key == "value" }
    guard Self.valueKeys.contains(key), case .string(let range) = value else { return false }
    let text = walk.text(range)
    if SecretNames.isAmbiguous(name) {
      return text.utf8.count >= 6 && text.utf8.contains { 0x30...0x39 ~= $0 }
    }
    guard Prose.isPlain(text) else { return true }
    let isSpoken = text.contains(" ") || text.first?.isUppercase == true
    return !isSpoken && !SecretNames.isWord(text)
  }
}
