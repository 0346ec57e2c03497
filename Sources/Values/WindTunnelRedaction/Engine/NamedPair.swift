/// An object that consists of a name and its value: `{"name": "Authorization", "value": "…"}`,
/// `{"id": "token", "content": "…"}`.
struct NamedPair {
  /// The name of the value.
  let name: String
  /// Whether the object declares its value as secret: `"sensitive": true`.
  private(set) var isSecret = false
  /// The member with the value; `nil` if several members may contain it.
  private var valueKey: String?

  /// Parses an object; `nil` if it is not such a pair.
  init?(_ members: [Redaction.Member], _ walk: Redaction.Walk) {
    func has(_ names: Words) -> Bool { members.contains { names.contains($0.name) } }
    func text(_ names: Words) -> String? {
      members.lazy.compactMap { names.contains($0.name) ? walk.string($0.value) : nil }.first
    }
    if let (name, key) = Self.prefixed(members, walk) {
      (self.name, valueKey) = (name, key)
      return
    }
    // The attributes of a random password in the state of Terraform.
    if has(Self.result), has(Self.special) {
      (name, isSecret, valueKey) = ("password", true, "result")
      return
    }
    guard has(Self.values) else { return nil }
    if has(Self.value) {
      isSecret = members.contains { name, value in
        guard case .word(let range) = value, Self.flags.contains(name) else { return false }
        return walk.bytes[range].elementsEqual("true".utf8)
      }
      let given = text(Self.given)
      let isKey = !isSecret && text(Self.keyName) != nil
      if let name = isKey ? "accessKey" : isSecret ? given ?? "value" : given {
        (self.name, valueKey) = (name, "value")
        return
      }
    }
    // Most values of "id" are identifiers, not names.
    guard let name = text(Self.names), name.utf8.count <= 40,
      name.utf8.count(where: \.isASCIIDigit) <= 1
    else { return nil }
    self.name = name
  }

  /// Returns the name, and the member with the value, for `ParameterKey` and `ParameterValue`, or
  /// `Name` and `Value`.
  private static func prefixed(
    _ members: [Redaction.Member],
    _ walk: Redaction.Walk
  ) -> (name: String, key: String)? {
    guard let key = members.first(where: { $0.name.hasSuffix("Value") })?.name else { return nil }
    let names = ["Key", "Name"].map { key.dropLast(5) + $0 }
    return members.lazy.compactMap { name, value in
      names.contains(name[...]) ? walk.string(value).map { ($0, key) } : nil
    }.first
  }

  // Stored, because every object is checked.
  private static let (result, special): (Words, Words) = ("result", "special")
  private static let (value, given): (Words, Words) = ("value", "name key header")
  private static let keyName: Words = "keyName"

  /// The members with which Terraform, GitLab, Bitbucket and Azure mark a value as secret.
  private static let flags: Words = "sensitive masked secured isSecret is_secret"
  private static let names: Words = """
    name key id field label param parameter attribute property variable type kind
    """
  private static let values: Words = "value content val text data string stringValue"

  /// Whether a member contains the value. Unless the members are called `name` and `value`, a label
  /// or a sentence is not a value: `{"id": "password", "text": "Your password"}`.
  func holds(_ member: Redaction.Member, _ walk: Redaction.Walk) -> Bool {
    if let valueKey { return member.name == valueKey }
    guard Self.values.contains(member.name), let text = walk.string(member.value) else {
      return false
    }
    // `{"label": "API key", "value": "api_key"}` consists of two names.
    if SecretNames.folded(text) == SecretNames.folded(name) { return false }
    if Vocabulary.ambiguous[SecretNames.folded(name)] != nil { return TextShape.isDrawn(text) }
    guard Prose.isPlain(text) else { return true }
    let isSpoken = text.contains(" ") || text.first?.isUppercase == true
    return !isSpoken && !SecretNames.isWord(text)
  }
}
