extension Redaction {
  /// What a value inherits from the secret's name that it stands under.
  private struct Inherited {
    var name: String
    var sort: SecretNames.Sort
    /// Whether an object is between the name and the value: its numbers tell about the secret.
    var isWithin = false
  }

  /// A JSON text without secrets, in its own layout; `nil` for what is no JSON object or array.
  mutating func json(_ bytes: [UInt8], depth: Int) -> [UInt8]? {
    guard let span = JSONSpan(bytes) else { return nil }
    var walk = Walk(bytes: bytes, depth: depth, part: log?.part)
    visit(span, nil, &walk)
    walk.part.map { log?.part = $0 }
    return walk.edits.isEmpty ? bytes : Edit.applied(walk.edits, to: bytes)
  }

  /// Where a walk through a JSON text is, and what it has replaced.
  private struct Walk {
    let bytes: [UInt8]
    let depth: Int
    let part: String?
    var way: [JSONPath.Step] = []
    var edits: [Edit] = []

    /// What a string says.
    func text(_ range: Range<Int>) -> String { JSONSpan.text(range, of: bytes) }

    mutating func replace(_ range: Range<Int>, by text: String) {
      edits.append(Edit(range, Array("\"\(JSON.escaped(text))\"".utf8)))
    }
  }

  private mutating func visit(_ span: JSONSpan, _ inherited: Inherited?, _ walk: inout Walk) {
    var inherited = inherited
    if inherited == nil, !places.isEmpty, places.contains(where: { $0.leads(to: walk.way) }) {
      inherited = Inherited(name: Self.name(walk.way), sort: .secret)
    }
    switch span {
    case .word: break
    case .string(let range): string(range, inherited, &walk)
    case .number(let range): number(range, inherited, &walk)
    case .array(let elements, _):
      for (index, element) in elements.enumerated() {
        walk.way.append(.index(index))
        visit(element, inherited, &walk)
        walk.way.removeLast()
      }
    case .object(let members, _): object(members, inherited, &walk)
    }
  }

  private static func name(_ way: [JSONPath.Step]) -> String {
    for case .name(let name) in way.reversed() { return name }
    return "value"
  }

  private mutating func object(
    _ members: [(name: Range<Int>, value: JSONSpan)],
    _ inherited: Inherited?,
    _ walk: inout Walk
  ) {
    let pair = Self.pairName(members, walk)
    for member in members {
      let key = walk.text(member.name)
      if let replaced = echoes?.replaced(in: Array(key.utf8), .name) {
        walk.replace(member.name, by: String(decoding: replaced, as: UTF8.self))
      }
      walk.way.append(.name(key))
      if walk.part != nil { log?.part = "\(walk.part ?? "") JSON \(SecretNames.slug(key))" }
      let name = key == "value" ? pair ?? key : key
      let sort = names.cachedSort(ofField: name)
      if sort != nil, case .string(let range) = member.value,
        let value = fieldValue(walk.text(range), name: name)
      {
        if value != walk.text(range) { walk.replace(range, by: value) }
      } else if let sort {
        visit(member.value, Inherited(name: name, sort: sort), &walk)
      } else if var inherited, !SecretNames.about.contains(SecretNames.normalised(key)) {
        (inherited.name, inherited.isWithin) = (key, true)
        visit(member.value, inherited, &walk)
      } else {
        visit(member.value, nil, &walk)
      }
      walk.way.removeLast()
    }
  }

  /// What `{"name": "Authorization", "value": "…"}` calls its value.
  private static func pairName(
    _ members: [(name: Range<Int>, value: JSONSpan)],
    _ walk: Walk
  ) -> String? {
    // Compared as they are written, quotes and all: this is asked of every object there is.
    func isNamed(_ range: Range<Int>, _ name: StaticString) -> Bool {
      range.count == name.utf8CodeUnitCount
        && name.withUTF8Buffer { walk.bytes[range].elementsEqual($0) }
    }
    guard members.contains(where: { isNamed($0.name, "\"value\"") }) else { return nil }
    for member in members
    where isNamed(member.name, "\"name\"") || isNamed(member.name, "\"key\"")
      || isNamed(member.name, "\"header\"")
    {
      if case .string(let range) = member.value { return walk.text(range) }
    }
    return nil
  }

  private mutating func string(
    _ range: Range<Int>,
    _ inherited: Inherited?,
    _ walk: inout Walk
  ) {
    let value = walk.text(range)
    let replaced: String
    if let inherited {
      replaced = stand(
        for: value,
        name: inherited.name,
        sort: inherited.sort,
        inherited.isWithin ? .likely : nil
      )
    } else {
      replaced = text(value, depth: walk.depth + 1)
    }
    if replaced != value { walk.replace(range, by: replaced) }
  }

  /// A secret number is 0 afterwards: it has no room for an ordinal, and clients want a number.
  private mutating func number(
    _ range: Range<Int>,
    _ inherited: Inherited?,
    _ walk: inout Walk
  ) {
    let digits = walk.bytes[range]
    guard !digits.elementsEqual("0".utf8) else { return }
    if let inherited, !inherited.isWithin, inherited.sort != .person {
      _ = stand(
        for: String(decoding: digits, as: UTF8.self),
        name: inherited.name,
        sort: inherited.sort,
        // A count or an id as often as not.
        .likely
      )
    } else if echoes?.isSecret(number: Array(digits)) != true {
      return
    }
    walk.edits.append(Edit(range, Array("0".utf8)))
  }
}
