/// The names that a member of an object gives to values in another member: the parameters of a
/// statement in GraphQL or SQL (`password: $p`, `api_key = $2`, `VALUES (?, ?)`), or the columns of
/// rows.
struct References {
  /// The members with a statement, and the members with its parameters.
  private static let statements: Words = "query sql statement stmt text mutation"
  private static let parameters: Words =
    "variables params parameters values args arguments bind binds bindings"
  /// The members with columns or fields, the members of a field, and the members with rows.
  private static let fields: Words = "columns cols fields schema"
  private static let (labels, ids): (Words, Words) = ("name label title", "id ref")
  private static let rows: Words = "rows data values answers"
  /// The maximum size of a statement in bytes, and the maximum number of its parameters.
  private static let (bytesMax, parametersMax) = (8192, 64)

  /// The names by member, or by position in a list.
  fileprivate var names: [String: String] = [:]
  /// The number of columns; `nil` for parameters.
  fileprivate var count: Int?
  /// The members with the values.
  fileprivate var holders: Words { count == nil ? Self.parameters : Self.rows }

  /// Reads a member of an object; `nil` if it gives no names.
  fileprivate init?(_ member: Redaction.Member, _ walk: Redaction.Walk) {
    if Self.fields.contains(member.name) {
      read(fields: member.value, walk)
    } else if Self.statements.contains(member.name), member.value.range.count <= Self.bytesMax,
      let text = walk.string(member.value)
    {
      read(statement: text)
    }
    if names.isEmpty { return nil }
  }

  private mutating func read(statement text: String) {
    guard text.read.contains(where: "$:@?".contains) else { return }
    let named = /\b(\w+)["`\]]?\s*(?:=\s*|:\s*(?=\$))([$:@?]\w*)/.wordBoundaryKind(.simple)
    var pairs = text.matches(of: named).map { ($0.1, $0.2) }
    let columns = /\(([^()]*)\)\s*VALUES\s*\(([^()]*)\)/.ignoresCase()
    if let row = text.firstMatch(of: columns) {
      pairs += zip(row.1.split(separator: ","), row.2.split(separator: ","))
    }
    for (name, mark) in pairs.prefix(Self.parametersMax) {
      let word = mark.filter { $0.isLetter || $0.isNumber || $0 == "_" }
      let place = Int(word).map { $0 - 1 } ?? text[..<mark.startIndex].count { $0 == "?" }
      names[word.isEmpty || Int(word) != nil ? "\(place)" : word] = name.filter { $0 != " " }
    }
  }

  private mutating func read(fields: JSONSpan, _ walk: Redaction.Walk) {
    let inner = walk.json.members(of: fields).first { walk.text($0.name) == "fields" }?.value
    for (index, element) in walk.json.elements(of: inner ?? fields).enumerated() {
      func text(_ names: Words) -> String? {
        let member = walk.json.members(of: element).first { names.contains(walk.text($0.name)) }
        return member.flatMap { walk.string($0.value) }
      }
      let name = walk.string(element) ?? text(Self.labels)
      (count, names["\(index)"]) = (index + 1, name)
      if let id = text(Self.ids) { names[id] = name }
    }
  }
}

extension Redaction {
  /// Learns the values in an object that another of its members names.
  mutating func learnReferences(in members: [Member], _ walk: Walk) {
    let given = members.lazy.compactMap { References($0, walk) }.first { given in
      given.names.values.contains { names.kind(of: $0, in: .field) != nil }
    }
    guard let given else { return }
    for (name, value) in members where given.holders.contains(name) {
      learn(value, given, walk)
      for row in walk.json.elements(of: value) {
        learn(row, given, walk)
        // Some warehouses wrap rows and cells: `{"f": [{"v": "a"}]}`.
        if given.count != nil, let inner = walk.json.members(of: row).first(where: { _ in true }) {
          learn(inner.value, given, walk)
        }
      }
    }
  }

  /// Learns the values in a list of parameters, in an object with parameters, or in a row.
  private mutating func learn(_ span: JSONSpan, _ given: References, _ walk: Walk) {
    let elements = Array(walk.json.elements(of: span))
    if let count = given.count, !elements.isEmpty, elements.count != count { return }
    let values =
      elements.enumerated().map { ("\($0.offset)", $0.element) }
      + walk.json.members(of: span).map { (walk.text($0.name), $0.value) }
    for (key, value) in values {
      guard let name = given.names[key], let kind = names.kind(of: name, in: .field) else {
        continue
      }
      let cell = walk.json.members(of: value).first { _ in given.count != nil }?.value ?? value
      guard let text = walk.string(cell), !SecretNames.isWord(text) else { continue }
      _ = judged(text, NamedPlace(name: name, kind: kind, isAsked: isAsked))
    }
  }
}
