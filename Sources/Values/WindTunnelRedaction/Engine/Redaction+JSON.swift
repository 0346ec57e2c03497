extension Redaction {
  /// Returns a JSON text without secrets, in its own layout; `nil` if it is not a JSON object or
  /// array.
  mutating func json(_ bytes: Bytes, depth: Int) -> Bytes? {
    guard let text = JSONText(bytes) else { return nil }
    var walk = Walk(json: text, depth: depth, part: log?.part)
    visit(text.whole, nil, &walk)
    walk.part.map { log?.part = $0 }
    return walk.edits.isEmpty ? bytes : Edit.applied(walk.edits, to: bytes)
  }

  /// The position of a walk through a JSON text, and its replacements.
  struct Walk {
    let json: JSONText
    let depth: Int
    let part: String?
    var way: [JSONPath.Step] = []
    var edits: [Edit] = []
    /// Whether the position is among messages and labels, which describe a secret by its name.
    var isTold = false

    var bytes: Bytes { json.bytes }

    /// Returns the value of a string, without its quotes and escapes.
    func text(_ range: Range<Int>) -> String { json.text(range) }

    /// Returns the value of a string; `nil` for any other value.
    func string(_ span: JSONSpan) -> String? {
      if case .string(let range) = span { text(range) } else { nil }
    }

    mutating func replace(_ range: Range<Int>, by text: String) {
      edits.append(Edit(range, Bytes("\"\(JSON.escaped(text))\"".utf8)))
    }

    /// Replaces a part of a string's value; the rest keeps its spelling.
    mutating func replace(_ range: Range<Int>, saying old: Bytes, by new: Bytes) {
      let inside = range.lowerBound + 1..<range.upperBound - 1
      let written = Bytes(bytes[inside])
      guard let text = EscapedText(written, .json) ?? EscapedText(written, .plain),
        text.bytes == old
      else { return replace(range, by: new.text) }
      edits.append(Edit(inside, text.original(meaning: new, spell: JSON.escaped)))
    }
  }

  // A text may nest up to the parser's limit, but a thread on Darwin has a stack of only 512 KiB.
  // So the recursive functions call others for work that needs stack space, and keep one reference
  // for each level.
  mutating func visit(_ span: JSONSpan, _ inherited: NamedPlace?, _ walk: inout Walk) {
    switch span {
    case .array: list(span, inherited, &walk)
    case .object: object(span, inherited, &walk)
    default: leaf(span, inherited, &walk)
    }
  }

  private mutating func leaf(_ span: JSONSpan, _ inherited: NamedPlace?, _ walk: inout Walk) {
    switch span {
    case .string(let range): string(range, meaning(inherited, walk), &walk)
    case .number(let range): number(range, meaning(inherited, walk), &walk)
    case .word, .array, .object: break
    }
  }

  /// Returns what a value has inherited, or its meaning if a rule contains its path.
  private func meaning(_ inherited: NamedPlace?, _ walk: Walk) -> NamedPlace? {
    if keptPaths.contains(where: { $0.leads(to: walk.way) }) { return nil }
    guard rules.paths.contains(where: { $0.leads(to: walk.way) }) else { return inherited }
    let names = walk.way.compactMap { if case .name(let name) = $0 { name } else { nil } }
    return NamedPlace(name: names.last ?? "value", kind: .told)
  }

  /// The properties of a list while its elements are visited.
  private final class AboutList {
    let inherited: NamedPlace?
    let isOfPairs: Bool
    /// The flag in the previous element, whose value is the next element.
    var flag: NamedPlace?
    /// The meaning of the strings if the first is an event's name: `["login", "ada", "…"]`.
    let event: NamedPlace?

    init(_ inherited: NamedPlace?, isOfPairs: Bool, event: NamedPlace?) {
      (self.inherited, self.isOfPairs, self.event) = (inherited, isOfPairs, event)
    }
  }

  private func aboutList(_ list: JSONSpan, _ inherited: NamedPlace?, _ walk: Walk) -> AboutList {
    let inherited = meaning(inherited, walk)
    let isOfPairs = inherited == nil && Self.isOfPairs(list, walk.json)
    let event = walk.way.isEmpty ? event(list, walk) : nil
    return AboutList(inherited, isOfPairs: isOfPairs, event: event)
  }

  /// Returns the meaning of the strings in a list that consists of an event's name and its
  /// arguments; `nil` for other lists.
  ///
  /// The event is a login, or the list is a secret's name with its value, which must look like a
  /// secret.
  private func event(_ list: JSONSpan, _ walk: Walk) -> NamedPlace? {
    var elements = walk.json.elements(of: list)
    guard let first = elements.next(), first.range.count <= 80, let name = walk.string(first)
    else { return nil }
    if isAsked, Vocabulary.isLogin(name) {
      return NamedPlace(name: "password", kind: .ambiguous(.near))
    }
    guard Self.pair(list, walk.json) != nil, names.kind(of: name, in: .field) != nil else {
      return nil
    }
    return NamedPlace(name: name, kind: .ambiguous(.token))
  }

  private mutating func list(_ span: JSONSpan, _ inherited: NamedPlace?, _ walk: inout Walk) {
    let about = aboutList(span, inherited, walk)
    var elements = walk.json.elements(of: span)
    var index = 0
    while !pseudonyms.isOverfull, let next = elements.next() {
      element(next, index, about, &walk)
      index += 1
    }
  }

  private mutating func element(
    _ element: JSONSpan,
    _ index: Int,
    _ about: AboutList,
    _ walk: inout Walk
  ) {
    walk.way.append(.index(index))
    if case .string = element {
      word(element, about, &walk)
    } else if !about.isOfPairs || !pair(element, &walk) {
      visit(element, about.inherited, &walk)
    }
    walk.way.removeLast()
  }

  /// Visits a string of a list. After a command's flag, it is the flag's value:
  /// `["--password", "…"]`.
  private mutating func word(_ element: JSONSpan, _ about: AboutList, _ walk: inout Walk) {
    guard about.inherited == nil, case .string(let range) = element else {
      return leaf(element, about.inherited, &walk)
    }
    let flag = about.flag ?? about.event
    about.flag = nil
    let word = walk.bytes[range].dropFirst().dropLast()
    if word.starts(with: "--".utf8) {
      let name = String(decoding: word.dropFirst(2), as: UTF8.self)
      about.flag = names.kind(of: name, in: .field).map { NamedPlace(name: name, kind: $0) }
    }
    leaf(element, flag, &walk)
  }

  private mutating func object(_ span: JSONSpan, _ inherited: NamedPlace?, _ walk: inout Walk) {
    let about = about(span, inherited, walk)
    if isLearning { learnReferences(in: about.members, walk) }
    var members = walk.json.members(of: span)
    while !pseudonyms.isOverfull, let member = members.next() {
      var next: NamedPlace?
      if enter(member, about, &next, &walk) { visit(member.value, next, &walk) }
      walk.way.removeLast()
    }
    walk.isTold = about.isTold
  }

  /// The maximum number of members that are evaluated to classify an object. An object with more
  /// members is a map by identifiers.
  private static let toldMembersMax = 65_536

  /// A member of an object with its decoded name.
  typealias Member = (name: String, value: JSONSpan)

  /// The properties of an object while its members are visited.
  private final class ObjectFacts {
    var pair: NamedPair?
    var inherited: NamedPlace?
    var isTold = false
    /// Whether the object is a key (RFC 7517 §4), some of whose members are public.
    var isKey = false
    /// Whether the object is a Kubernetes Secret, whose values are secrets regardless of their
    /// names.
    var isSecret = false
    /// Whether the object is a call of a login procedure, whose arguments have no names.
    var isLogin = false
    /// Whether a `key` in the object is a credential: the object is a login, or it contains the
    /// key's secret.
    var opens = false
    /// The neighbours according to the names of the members, computed on demand.
    lazy var neighbours = Neighbours(members.map(\.name))
    let members: [Member]

    init(_ members: [Member]) { self.members = members }
  }

  private func about(_ object: JSONSpan, _ inherited: NamedPlace?, _ walk: Walk) -> ObjectFacts {
    let members = walk.json.members(of: object).prefix(Self.toldMembersMax).map { member in
      Member(walk.text(member.name), member.value)
    }
    let isSchema = inherited != nil && Self.isSchema(members, walk)
    func has(_ names: Words, _ fits: (String) -> Bool) -> Bool {
      members.contains { name, value in
        names.contains(name) && value.range.count <= 80 && walk.string(value).map(fits) == true
      }
    }
    let about = ObjectFacts(members)
    about.pair = NamedPair(members, walk)
    about.inherited = isSchema ? nil : meaning(inherited, walk)
    about.isTold = walk.isTold || isSchema
    about.isKey = members.contains { $0.name == "kty" }
    about.isSecret = has(Self.kind) { $0 == "Secret" }
    about.isLogin =
      has(Self.method, Vocabulary.isLogin) || isAsked && has(Self.callNames, Vocabulary.isLogin)
    about.opens = about.isLogin || has(Self.opening) { _ in true }
    return about
  }

  // Stored, because every object is checked.
  private static let (kind, method): (Words, Words) = ("kind", "method")
  private static let opening: Words = "secret passphrase"

  /// The members with the name of a called procedure, in addition to JSON-RPC's `method`: in
  /// exchanges, SignalR and similar protocols.
  private static let callNames: Words = "op action event type target command cmd"

  /// Whether a member contains the arguments of a call: a list or a single word.
  private static func isCalledWith(_ key: String, _ value: JSONSpan) -> Bool {
    switch value {
    case .array, .string: ["params", "args", "arguments"].contains(key)
    default: false
    }
  }

  /// Processes the name of an object's member. Returns whether the value must still be visited, and
  /// sets what it inherits.
  private mutating func enter(
    _ member: (name: Range<Int>, value: JSONSpan),
    _ about: ObjectFacts,
    _ next: inout NamedPlace?,
    _ walk: inout Walk
  ) -> Bool {
    let key = walk.text(member.name)
    walk.isTold = about.isTold || Vocabulary.isTelling(key)
    let shown = shown(key, of: about.inherited, before: member.value, depth: walk.depth + 1)
    if shown != key { walk.replace(member.name, by: shown) }
    walk.way.append(.name(key))
    if let part = walk.part { log?.enter(shown, of: part) }
    if names.isKept(key) { return false }
    let pair = about.pair.flatMap { $0.holds((key, member.value), walk) ? $0 : nil }
    let name = pair?.name ?? key
    // The private members of keys (RFC 7518 §6.2.2, §6.3.2 and §6.4).
    let isPrivate = about.isKey && ["d", "p", "q", "dp", "dq", "qi", "k"].contains(key)
    var kind = isPrivate || pair?.isSecret == true ? .certain : names.kind(of: name, in: .field)
    if pair == nil, Pseudonyms.isRedacted(shown) { kind = nil }
    if kind == nil, about.opens, SecretNames.folded(name) == "key" { kind = .ambiguous(.token) }
    if kind != nil, case .string(let range) = member.value,
      let value = fieldValue(walk.text(range), name: name)
    {
      if value != walk.text(range) { walk.replace(range, by: value) }
      return false
    }
    if about.isSecret, ["data", "stringData"].contains(key) {
      next = NamedPlace(name: "secret", kind: .certain)
    } else if about.isLogin, Self.isCalledWith(key, member.value) {
      next = NamedPlace(name: "password", kind: .ambiguous(.near))
    } else if let kind, !(kind.isAmbiguous && about.inherited?.kind == .certain) {
      next = NamedPlace(name: name, kind: kind, neighbours: about.neighbours)
    } else if let own = about.inherited, !Vocabulary.about.contains(SecretNames.folded(key)) {
      next = own
      if shown == key { next?.name = key }
      next?.neighbours.formUnion(about.neighbours.intersection(.lexer))
      next?.isWithin = true
    }
    return true
  }

  /// Whether an object describes a value rather than containing one: a type, a format, a list of
  /// names.
  private static func isSchema(
    _ members: [Member],
    _ walk: Walk
  ) -> Bool {
    if members.contains(where: { ["value", "data", "content"].contains($0.name) }) { return false }
    return members.contains { name, value in
      let name = SecretNames.folded(name)
      if schemaNames.contains(name) { return true }
      guard ["type", "in", "datatype"].contains(name) else { return false }
      if case .array = value { return true }
      return walk.string(value).map { Vocabulary.schemaWords.contains($0.lowercased()) } ?? false
    }
  }

  private static let schemaNames: Words = """
    ref properties oneof anyof allof enum minlength maxlength valuefrom secretkeyref fngetatt
    """

  private func place(_ inherited: NamedPlace, _ walk: Walk) -> NamedPlace {
    var place = inherited
    place.isAsked = isAsked
    if walk.isTold { place.neighbours.insert(.told) }
    return place
  }

  private mutating func string(_ range: Range<Int>, _ inherited: NamedPlace?, _ walk: inout Walk) {
    if let inherited {
      let value = walk.text(range)
      let replaced = judged(value, place(inherited, walk))
      if replaced != value { return walk.replace(range, by: replaced) }
      if SecretNames.isPlain(value) { return }
    }
    let value = walk.json.meaning(range)
    let replaced = whole(value, depth: walk.depth + 1)
    if replaced != value { walk.replace(range, saying: value, by: replaced) }
  }

  /// Replaces a secret number. In a response, it becomes 0, because the client expects a number,
  /// which has no room for an ordinal.
  ///
  /// In a request, it becomes a pseudonym, which matches any number. It is a string if the body
  /// must stay JSON, or bare in a text within the body.
  private mutating func number(_ range: Range<Int>, _ inherited: NamedPlace?, _ walk: inout Walk) {
    let digits = Bytes(walk.bytes[range])
    guard digits != Bytes("0".utf8) else { return }
    var stand = echoes.stand(forNumber: digits)
    if let inherited, !inherited.isWithin,
      Judgement.isSecret(number: digits, place(inherited, walk))
    {
      let text = digits.text
      let row = inherited.kind == .told ? "told" : "field-name"
      // Such a number is often a count or an identifier.
      stand = self.stand(for: text, name: inherited.name, .likely, row)
    }
    guard let stand else { return }
    let replaced = !isAsked ? "0" : walk.depth == 0 ? "\"\(stand)\"" : stand
    walk.edits.append(Edit(range, Bytes(replaced.utf8)))
  }

  /// Whether every element of a list is a pair `["name", …]`.
  private static func isOfPairs(_ list: JSONSpan, _ json: JSONText) -> Bool {
    var elements = json.elements(of: list)
    guard let first = elements.next(), pair(first, json) != nil else { return false }
    return elements.allSatisfy { pair($0, json) != nil }
  }

  /// Returns the two elements of `["name", …]`; `nil` for other lists.
  private static func pair(
    _ element: JSONSpan,
    _ json: JSONText
  ) -> (key: Range<Int>, value: JSONSpan)? {
    var elements = json.elements(of: element)
    guard case .string(let key)? = elements.next(), let value = elements.next(),
      elements.next() == nil
    else { return nil }
    return (key, value)
  }

  /// Visits the second element of `["password", "…"]`; returns `false` if the first is not a
  /// secret's name.
  private mutating func pair(_ element: JSONSpan, _ walk: inout Walk) -> Bool {
    guard let (key, second) = Self.pair(element, walk.json) else { return false }
    let name = walk.text(key)
    guard let kind = names.kind(of: name, in: .field) else { return false }
    walk.way.append(.index(1))
    defer { walk.way.removeLast() }
    if case .string(let range) = second {
      let value = walk.text(range)
      if SecretNames.isWord(value) { return false }
      if let field = fieldValue(value, name: name) {
        if field != value { walk.replace(range, by: field) }
        return true
      }
    }
    visit(second, NamedPlace(name: name, kind: kind), &walk)
    return true
  }
}
