// What tells in JSON which values belong to a secret's name, beside the name of the member.

extension Redaction {
  /// Members that hold messages and labels by the names of fields: `{"errors":{"password":["…"]}}`.
  static let telling: Set<String> = [
    "error", "errors", "fielderrors", "field_errors", "validation", "violations", "messages",
    "labels", "placeholders", "hints", "translations", "strings", "descriptions", "titles", "i18n",
  ]

  /// Whether every element is `["name", …]`.
  static func arePairs(_ elements: [JSONSpan]) -> Bool {
    !elements.isEmpty
      && elements.allSatisfy {
        guard case .array(let pair, _) = $0, pair.count == 2, case .string = pair[0] else {
          return false
        }
        return true
      }
  }

  /// The second of `["password", "…"]`; `false` where the first is no secret's name.
  mutating func pair(_ element: JSONSpan, _ walk: inout Walk) -> Bool {
    guard case .array(let pair, _) = element, pair.count == 2, case .string(let key) = pair[0]
    else {
      return false
    }
    let name = walk.text(key)
    guard let sort = names.cachedSort(ofField: name) else { return false }
    walk.way.append(.index(1))
    defer { walk.way.removeLast() }
    if case .string(let range) = pair[1] {
      let value = walk.text(range)
      if SecretNames.isWord(value) { return false }
      if let field = fieldValue(value, name: name) {
        if field != value { walk.replace(range, by: field) }
        return true
      }
    }
    visit(pair[1], Inherited(name: name, sort: sort), &walk)
    return true
  }

  /// What stands beside a `code`, where there is one.
  func grant(_ members: [(name: Range<Int>, value: JSONSpan)], _ walk: Walk) -> OAuthGrant? {
    let code = Array("\"code\"".utf8)
    guard members.contains(where: { walk.bytes[$0.name].elementsEqual(code) }) else { return nil }
    return OAuthGrant(members.map { walk.text($0.name) })
  }

  /// Whether a member of an object under a name such as `session` tells what it is about: its title,
  /// and not its id.
  func isDescription(_ value: JSONSpan, _ key: String, of inherited: Inherited, _ walk: Walk)
    -> Bool
  {
    guard ["session", "sign", "pin"].contains(FieldName.normalised(inherited.name)),
      case .string(let range) = value
    else { return false }
    let name = FieldName.normalised(key)
    let isID = ["id", "sid", "uuid", "key", "value", "data", "hash"].contains { name.hasSuffix($0) }
    return !isID && Prose.isPlain(walk.text(range))
  }
}
