/// An object that is a name and its value: `{"name": "Authorization", "value": "…"}`,
/// `{"id": "token", "content": "…"}`.
struct NamedPair {
  /// The name of the value.
  let name: String
  /// Tells whether the object says itself that its value is secret: `"sensitive": true`.
  private(set) var isSecret = false
  /// The member that holds it; `nil` where several may.
  private var valueKey: String?

  /// Reads an object; `nil` if it is no such pair.
  init?(_ members: [(name: Range<Int>, value: JSONSpan)], _ walk: Redaction.Walk) {
    func has(_ names: [StaticString]) -> Bool {
      members.contains { Self.isNamed($0.name, names, walk) }
    }
    func text(_ names: [StaticString]) -> String? {
      for member in members where Self.isNamed(member.name, names, walk) {
        if case .string(let range) = member.value { return walk.text(range) }
      }
      return nil
    }
    if let (name, key) = Self.prefixed(members, walk) {
      (self.name, valueKey) = (name, key)
      return
    }
    // The attributes of a random password, as Terraform's state has them.
    if has(["\"result\""]), has(["\"special\""]) {
      (name, isSecret, valueKey) = ("password", true, "result")
      return
    }
    guard has(Self.values) else { return nil }
    if has(["\"value\""]) {
      isSecret = members.contains { member in
        guard case .word(let range) = member.value else { return false }
        return walk.bytes[range].elementsEqual("true".utf8)
          && Self.isNamed(member.name, Self.flags, walk)
      }
      let given = text(Self.names)
      let isKey = !isSecret && text(["\"keyName\""]) != nil
      if let name = isKey ? "accessKey" : isSecret ? given ?? "value" : given {
        (self.name, valueKey) = (name, "value")
        return
      }
    }
    // Most of what stands under "id" is one, and no name.
    guard let name = text(Self.otherNames), Self.mayBeName(name) else { return nil }
    self.name = name
  }

  // Compared as they are written, quotes and all: this is asked of every object there is.
  private static func isNamed(
    _ range: Range<Int>,
    _ names: [StaticString],
    _ walk: Redaction.Walk
  ) -> Bool {
    names.contains { name in
      range.count == name.utf8CodeUnitCount
        && name.withUTF8Buffer { walk.bytes[range].elementsEqual($0) }
    }
  }

  /// `ParameterKey` and `ParameterValue`, `Name` and `Value`: the name that is given, and the
  /// member that holds the value.
  private static func prefixed(
    _ members: [(name: Range<Int>, value: JSONSpan)],
    _ walk: Redaction.Walk
  ) -> (name: String, key: String)? {
    let end = "Value\"".utf8
    guard let value = members.first(where: { walk.bytes[$0.name].suffix(6).elementsEqual(end) })
    else { return nil }
    let prefix = walk.bytes[value.name].dropLast(6)
    for member in members {
      let own = walk.bytes[member.name]
      guard case .string(let range) = member.value, own.starts(with: prefix),
        ["Key\"", "Name\""].contains(where: { own.dropFirst(prefix.count).elementsEqual($0.utf8) })
      else { continue }
      return (walk.text(range), walk.text(value.name))
    }
    return nil
  }

  private static func mayBeName(_ text: String) -> Bool {
    text.utf8.count <= 40 && text.utf8.count { $0.isASCIIDigit } <= 1
  }

  /// The members by which Terraform, GitLab, Bitbucket and Azure say that a value is secret.
  private static let flags: [StaticString] = [
    "\"sensitive\"", "\"masked\"", "\"secured\"", "\"isSecret\"", "\"is_secret\"",
  ]
  private static let names: [StaticString] = ["\"name\"", "\"key\"", "\"header\""]
  private static let otherNames: [StaticString] = [
    "\"name\"", "\"key\"", "\"id\"", "\"field\"", "\"label\"", "\"param\"", "\"parameter\"",
    "\"attribute\"", "\"property\"", "\"variable\"", "\"type\"", "\"kind\"",
  ]
  private static let values: [StaticString] = [
    "\"value\"", "\"content\"", "\"val\"", "\"text\"", "\"data\"", "\"string\"", "\"stringValue\"",
  ]

  /// Tells whether a member holds the value. Under other labels than `name` and `value` what reads
  /// like a label or a sentence is one: `{"id": "password", "text": "Your password"}`.
  func holds(_ member: (name: Range<Int>, value: JSONSpan), _ walk: Redaction.Walk) -> Bool {
    if let valueKey { return walk.text(member.name) == valueKey }
    guard case .string(let range) = member.value, Self.isNamed(member.name, Self.values, walk)
    else { return false }
    let text = walk.text(range)
    // `{"label": "API key", "value": "api_key"}` has two names.
    if SecretNames.folded(text) == SecretNames.folded(name) { return false }
    if Vocabulary.ambiguous[SecretNames.folded(name)] != nil { return Looks.isDrawn(text) }
    guard Prose.isPlain(text) else { return true }
    let isSpoken = text.contains(" ") || text.first?.isUppercase == true
    return !isSpoken && !SecretNames.isWord(text)
  }
}
