extension Redaction {
  /// What a value inherits from the secret's name that it stands under.
  struct Inherited {
    var name: String
    var sort: SecretNames.Sort
    /// Whether an object is between the name and the value: its numbers tell about the secret.
    var isWithin = false
    /// Whether it is one of a list.
    var isListed = false
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
  struct Walk {
    let bytes: [UInt8]
    let depth: Int
    let part: String?
    var way: [JSONPath.Step] = []
    var edits: [Edit] = []
    /// Whether it is among messages and labels, which tell about a secret by its name.
    var isTold = false

    /// What a string says.
    func text(_ range: Range<Int>) -> String { JSONSpan.text(range, of: bytes) }

    mutating func replace(_ range: Range<Int>, by text: String) {
      edits.append(Edit(range, Array("\"\(JSON.escaped(text))\"".utf8)))
    }

    /// Replaces a part of what a string says; the rest stays as it is spelled.
    mutating func replace(_ range: Range<Int>, saying old: String, by new: String) {
      let inside = range.lowerBound + 1..<range.upperBound - 1
      let written = Array(bytes[inside])
      guard let text = EscapedText(written, .json) ?? EscapedText(written, .plain),
        text.bytes.elementsEqual(old.utf8)
      else { return replace(range, by: new) }
      let result = text.original(written, meaning: Array(new.utf8), spell: JSON.escaped)
      edits.append(Edit(inside, result))
    }
  }

  // A text may nest as deep as the parser lets it, and a thread of Darwin's has 512 KiB. So whatever
  // is on the way down leaves to others what needs room, and keeps one reference for a level.
  mutating func visit(_ span: JSONSpan, _ inherited: Inherited?, _ walk: inout Walk) {
    switch span {
    case .array(let elements, _): list(elements, inherited, &walk)
    case .object(let members, _): object(members, inherited, &walk)
    default: leaf(span, inherited, &walk)
    }
  }

  private mutating func leaf(_ span: JSONSpan, _ inherited: Inherited?, _ walk: inout Walk) {
    switch span {
    case .string(let range): string(range, meaning(inherited, walk), &walk)
    case .number(let range): number(range, meaning(inherited, walk), &walk)
    case .word, .array, .object: break
    }
  }

  /// Returns what a value has inherited, else what it is by its place, where a rule names that.
  private func meaning(_ inherited: Inherited?, _ walk: Walk) -> Inherited? {
    guard inherited == nil, !places.isEmpty, places.contains(where: { $0.leads(to: walk.way) })
    else { return inherited }
    return Inherited(name: Self.name(walk.way), sort: .secret)
  }

  /// The known facts of a list while its elements are visited.
  private final class AboutList {
    let inherited: Inherited?
    let isOfPairs: Bool

    init(_ inherited: Inherited?, isOfPairs: Bool) {
      (self.inherited, self.isOfPairs) = (inherited, isOfPairs)
    }
  }

  private func aboutList(
    _ elements: [JSONSpan],
    _ inherited: Inherited?,
    _ walk: Walk
  ) -> AboutList {
    var inherited = meaning(inherited, walk)
    inherited?.isListed = true
    return AboutList(inherited, isOfPairs: inherited == nil && Self.arePairs(elements))
  }

  private mutating func list(
    _ elements: [JSONSpan],
    _ inherited: Inherited?,
    _ walk: inout Walk
  ) {
    let about = aboutList(elements, inherited, walk)
    for index in elements.indices { element(elements[index], index, about, &walk) }
  }

  private mutating func element(
    _ element: JSONSpan,
    _ index: Int,
    _ about: AboutList,
    _ walk: inout Walk
  ) {
    walk.way.append(.index(index))
    if !about.isOfPairs || !pair(element, &walk) { visit(element, about.inherited, &walk) }
    walk.way.removeLast()
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
    let about = about(members, inherited, walk)
    for index in members.indices { member(members, index, about, &walk) }
    walk.isTold = about.isTold
  }

  /// The known facts of an object while its members are visited.
  private final class About {
    let pair: NamedPair?
    let grant: OAuthGrant?
    let inherited: Inherited?
    let isTold: Bool

    init(pair: NamedPair?, grant: OAuthGrant?, inherited: Inherited?, isTold: Bool) {
      (self.pair, self.grant) = (pair, grant)
      (self.inherited, self.isTold) = (inherited, isTold)
    }
  }

  private func about(
    _ members: [(name: Range<Int>, value: JSONSpan)],
    _ inherited: Inherited?,
    _ walk: Walk
  ) -> About {
    About(
      pair: NamedPair(members, walk),
      grant: grant(members, walk),
      inherited: meaning(inherited, walk),
      isTold: walk.isTold
    )
  }

  private mutating func member(
    _ members: [(name: Range<Int>, value: JSONSpan)],
    _ index: Int,
    _ about: About,
    _ walk: inout Walk
  ) {
    var next: Inherited?
    if enter(members[index], about, &next, &walk) { visit(members[index].value, next, &walk) }
    walk.way.removeLast()
  }

  /// Sees to the name of an object's member and to what it says of the value; whether that is left to
  /// be visited, and what it inherits.
  private mutating func enter(
    _ member: (name: Range<Int>, value: JSONSpan),
    _ about: About,
    _ next: inout Inherited?,
    _ walk: inout Walk
  ) -> Bool {
    let key = walk.text(member.name)
    walk.isTold = about.isTold || Self.telling.contains(key.lowercased())
    if let replaced = echoes?.replaced(in: Array(key.utf8), .name) {
      walk.replace(member.name, by: String(decoding: replaced, as: UTF8.self))
    }
    walk.way.append(.name(key))
    if let part = walk.part { log?.enter(key, of: part) }
    let name = about.pair.flatMap { $0.holds(member.value, in: key, walk) ? $0.name : nil } ?? key
    let sort = names.cachedSort(ofField: name) ?? about.grant?.sort(of: name, "")
    if sort != nil, case .string(let range) = member.value,
      let value = fieldValue(walk.text(range), name: name)
    {
      if value != walk.text(range) { walk.replace(range, by: value) }
      return false
    }
    if let sort {
      next = Inherited(name: name, sort: sort)
    } else if let own = about.inherited, !SecretNames.about.contains(FieldName.normalised(key)),
      !isDescription(member.value, key, of: own, walk)
    {
      next = Inherited(name: key, sort: own.sort, isWithin: true, isListed: own.isListed)
    }
    return true
  }

  private mutating func string(
    _ range: Range<Int>,
    _ inherited: Inherited?,
    _ walk: inout Walk
  ) {
    let value = walk.text(range)
    guard let inherited, !Prose.isAbout(inherited.name, value, isTold: walk.isTold) else {
      let replaced = text(value, depth: walk.depth + 1)
      if replaced != value { walk.replace(range, saying: value, by: replaced) }
      return
    }
    let replaced = stand(
      for: value,
      name: inherited.name,
      sort: inherited.sort,
      inherited.isWithin ? .likely : nil
    )
    if replaced != value { walk.replace(range, by: replaced) }
  }

  /// A secret number is 0 afterwards where clients read it: it has no room for an ordinal, and they
  /// want a number. In a request nobody reads it again, so it becomes a pseudonym, which matches any
  /// number: as a string where that keeps the body JSON, bare in a text within it.
  private mutating func number(
    _ range: Range<Int>,
    _ inherited: Inherited?,
    _ walk: inout Walk
  ) {
    let digits = Array(walk.bytes[range])
    guard digits != Array("0".utf8) else { return }
    let stand: String
    if let inherited, !inherited.isWithin, inherited.sort != .person,
      !inherited.isListed || !SecretNames.isAmbiguous(inherited.name)
    {
      stand = self.stand(
        for: String(decoding: digits, as: UTF8.self),
        name: inherited.name,
        sort: inherited.sort,
        // A count or an id as often as not.
        .likely
      )
    } else if let echo = echoes?.stand(forNumber: digits) {
      stand = echo
    } else {
      return
    }
    let replaced = !isAsked ? "0" : walk.depth == 0 ? "\"\(stand)\"" : stand
    walk.edits.append(Edit(range, Array(replaced.utf8)))
  }
}
