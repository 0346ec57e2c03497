extension Redaction {
  /// The facts that a value inherits from the secret's name above it.
  struct Inherited {
    var name: String
    var kind: SecretNames.Kind
    /// The kinds of members beside the one that has the name.
    var neighbours: Neighbours = []
    /// Tells whether an object is between the name and the value: its numbers tell about the
    /// secret.
    var isWithin = false
    /// Tells whether it is one of a list.
    var isListed = false
  }

  /// Returns a JSON text without secrets, in its own layout; `nil` for what is no JSON object or
  /// array.
  mutating func json(_ bytes: Bytes, depth: Int) -> Bytes? {
    guard let text = JSONText(bytes) else { return nil }
    var walk = Walk(json: text, depth: depth, part: log?.part)
    visit(text.whole, nil, &walk)
    walk.part.map { log?.part = $0 }
    return walk.edits.isEmpty ? bytes : Edit.applied(walk.edits, to: bytes)
  }

  /// The place where a walk through a JSON text is, and what it has replaced.
  struct Walk {
    let json: JSONText
    let depth: Int
    let part: String?
    var way: [JSONPath.Step] = []
    var edits: [Edit] = []
    /// Tells whether it is among messages and labels, which tell about a secret by its name.
    var isTold = false

    var bytes: Bytes { json.bytes }

    /// Returns the meaning of a string, without its quotes and escapes.
    func text(_ range: Range<Int>) -> String { json.text(range) }

    func meaning(_ range: Range<Int>) -> Bytes { json.meaning(range) }

    mutating func replace(_ range: Range<Int>, by text: String) {
      edits.append(Edit(range, Bytes("\"\(JSON.escaped(text))\"".utf8)))
    }

    /// Replaces a part of what a string says; the rest stays as it is spelled.
    mutating func replace(_ range: Range<Int>, saying old: Bytes, by new: Bytes) {
      let inside = range.lowerBound + 1..<range.upperBound - 1
      let written = Bytes(bytes[inside])
      guard let text = EscapedText(written, .json) ?? EscapedText(written, .plain),
        text.bytes == old
      else { return replace(range, by: String(decoding: new, as: UTF8.self)) }
      edits.append(Edit(inside, text.original(meaning: new, spell: JSON.escaped)))
    }
  }

  // A text may nest as deep as the parser lets it, and a thread of Darwin's has 512 KiB. So
  // whatever is on the way down leaves to others what needs room, and keeps one reference for a
  // level.
  mutating func visit(_ span: JSONSpan, _ inherited: Inherited?, _ walk: inout Walk) {
    switch span {
    case .array: list(span, inherited, &walk)
    case .object: object(span, inherited, &walk)
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
    if !keptPaths.isEmpty, keptPaths.contains(where: { $0.leads(to: walk.way) }) {
      return nil
    }
    guard !rules.paths.isEmpty, rules.paths.contains(where: { $0.leads(to: walk.way) })
    else { return inherited }
    return Inherited(name: Self.name(walk.way), kind: .told)
  }

  /// The known facts of a list while its elements are visited.
  private final class AboutList {
    let inherited: Inherited?
    let isOfPairs: Bool
    /// The flag that the element before is, whose value is the next.
    var flag: Inherited?
    /// The meaning of its strings where the first is an event's name: `["login", "ada", "…"]`.
    let event: Inherited?

    init(_ inherited: Inherited?, isOfPairs: Bool, event: Inherited?) {
      (self.inherited, self.isOfPairs, self.event) = (inherited, isOfPairs, event)
    }
  }

  private func aboutList(_ list: JSONSpan, _ inherited: Inherited?, _ walk: Walk) -> AboutList {
    var inherited = meaning(inherited, walk)
    inherited?.isListed = true
    return AboutList(
      inherited,
      isOfPairs: inherited == nil && Self.isOfPairs(list, walk.json),
      event: walk.way.isEmpty ? event(list, walk) : nil
    )
  }

  /// Returns the meaning of the strings of a list that is the name of an event and what belongs to
  /// it: somebody logs in by it, or it is a secret and its value, which has to look like one.
  private func event(_ list: JSONSpan, _ walk: Walk) -> Inherited? {
    guard case .string(let range)? = walk.json.elements(of: list).first(where: { _ in true }),
      range.count <= 80
    else { return nil }
    let name = walk.text(range)
    if isAsked, Vocabulary.isLogin(name) {
      return Inherited(name: "password", kind: .ambiguous(.near))
    }
    guard Self.pair(list, walk.json) != nil, names.kind(of: name, in: .field) != nil else {
      return nil
    }
    return Inherited(name: name, kind: .ambiguous(.token))
  }

  private mutating func list(_ span: JSONSpan, _ inherited: Inherited?, _ walk: inout Walk) {
    if numbers(span, &walk) { return }
    let about = aboutList(span, inherited, walk)
    var elements = walk.json.elements(of: span)
    var index = 0
    while let next = elements.next() {
      element(next, index, about, &walk)
      index += 1
    }
  }

  /// Bytes that are written as a list of numbers: those of an echo become 0. Tells whether there
  /// was one.
  private mutating func numbers(_ list: JSONSpan, _ walk: inout Walk) -> Bool {
    guard !echoes.isEmpty else { return false }
    var bytes: Bytes = []
    var places: [Range<Int>] = []
    for element in walk.json.elements(of: list) {
      guard case .number(let range) = element, range.count <= 3, bytes.count < Self.listBytesMax,
        let byte = UInt8(String(decoding: walk.bytes[range], as: UTF8.self))
      else { return false }
      bytes.append(byte)
      places.append(range)
    }
    guard bytes.count >= Self.listBytesMin else { return false }
    let edits = echoes.found(in: bytes)
    for index in edits.flatMap(\.range) { walk.edits.append(Edit(places[index], [0x30])) }
    return !edits.isEmpty
  }

  /// The least and the greatest number of elements of a list that may be the bytes of a text.
  private static let listBytesMin = 8
  private static let listBytesMax = 65_536

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

  /// A string of a list; behind the flag of a command it is what the flag says:
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
      about.flag = names.kind(of: name, in: .field).map { Inherited(name: name, kind: $0) }
    }
    leaf(element, flag, &walk)
  }

  private static func name(_ way: [JSONPath.Step]) -> String {
    for case .name(let name) in way.reversed() { return name }
    return "value"
  }

  private mutating func object(_ span: JSONSpan, _ inherited: Inherited?, _ walk: inout Walk) {
    let about = about(span, inherited, walk)
    var members = walk.json.members(of: span)
    while let next = members.next() { member(next, about, &walk) }
    walk.isTold = about.isTold
  }

  /// The number of members that are asked what they tell about an object: one of more is a map by
  /// ids, and no record, and what stands behind them says nothing about the others.
  private static let toldMembersMax = 65_536

  /// The known facts of an object while its members are visited.
  private final class About {
    let pair: NamedPair?
    let inherited: Inherited?
    let isTold: Bool
    /// Tells whether it is a key (RFC 7517 §4): some of its members are public.
    let isKey: Bool
    /// Tells whether it is a Secret of Kubernetes, whose values are secrets by any name.
    let isSecret: Bool
    /// Tells whether it calls a procedure by which somebody logs in; what it takes has no names.
    let isLogin: Bool
    /// Tells whether a `key` in it opens something: it logs in, or has the key's other half.
    let opens: Bool
    /// The neighbours by the names of the members, once somebody asks.
    private let names: () -> Neighbours
    private(set) lazy var neighbours = names()

    init(
      pair: NamedPair?,
      inherited: Inherited?,
      isKey: Bool,
      isSecret: Bool,
      isLogin: Bool,
      opens: Bool,
      isTold: Bool,
      names: @escaping () -> Neighbours
    ) {
      (self.pair, self.inherited, self.isTold, self.names) = (pair, inherited, isTold, names)
      (self.isKey, self.isSecret, self.isLogin, self.opens) = (isKey, isSecret, isLogin, opens)
    }
  }

  private func about(_ object: JSONSpan, _ inherited: Inherited?, _ walk: Walk) -> About {
    let members = Array(walk.json.members(of: object).prefix(Self.toldMembersMax))
    Work.read(members.count)
    let isSchema = inherited != nil && Self.isSchema(members, walk)
    let isKey = members.contains { walk.text($0.name) == "kty" }
    let json = walk.json
    func has(_ name: StaticString, _ fits: (String) -> Bool) -> Bool {
      members.contains { member in
        guard case .string(let range) = member.value, range.count <= 80,
          member.name.count == name.utf8CodeUnitCount + 2,
          walk.text(member.name) == "\(name)"
        else { return false }
        return fits(walk.text(range))
      }
    }
    let isLogin =
      has("method", Vocabulary.isLogin)
      || isAsked && Self.callNames.contains { has($0, Vocabulary.isLogin) }
    return About(
      pair: NamedPair(members, walk),
      inherited: isSchema ? nil : meaning(inherited, walk),
      isKey: isKey,
      isSecret: has("kind") { $0 == "Secret" },
      isLogin: isLogin,
      opens: isLogin || has("secret") { _ in true } || has("passphrase") { _ in true },
      isTold: walk.isTold || isSchema,
      names: { Neighbours(members.map { json.text($0.name) }, except: "") }
    )
  }

  /// The members that name what a message calls, beside JSON-RPC's `method`: with exchanges,
  /// SignalR and the like.
  private static let callNames: [StaticString] = [
    "op", "action", "event", "type", "target", "command", "cmd",
  ]

  /// Tells whether a member holds what is called with: a list, or its one word.
  private static func isCalledWith(_ key: String, _ value: JSONSpan) -> Bool {
    guard ["params", "args", "arguments"].contains(key) else { return false }
    switch value {
    case .array, .string: return true
    default: return false
    }
  }

  private mutating func member(
    _ member: (name: Range<Int>, value: JSONSpan),
    _ about: About,
    _ walk: inout Walk
  ) {
    var next: Inherited?
    if enter(member, about, &next, &walk) { visit(member.value, next, &walk) }
    walk.way.removeLast()
  }

  /// Sees to the name of an object's member and to what it says of the value; whether that is left
  /// to be visited, and what it inherits.
  private mutating func enter(
    _ member: (name: Range<Int>, value: JSONSpan),
    _ about: About,
    _ next: inout Inherited?,
    _ walk: inout Walk
  ) -> Bool {
    let key = walk.text(member.name)
    walk.isTold = about.isTold || Vocabulary.isTelling(key)
    if let replaced = echoes.replaced(in: Bytes(key.utf8), .name) {
      walk.replace(member.name, by: String(decoding: replaced, as: UTF8.self))
    }
    walk.way.append(.name(key))
    if let part = walk.part { log?.enter(key, of: part) }
    if names.isKept(key) { return false }
    let pair = about.pair.flatMap { $0.holds(member.value, in: key, walk) ? $0 : nil }
    let name = pair?.name ?? key
    // RFC 7518 §6.2.2, §6.3.2 and §6.4.
    let isPrivate = about.isKey && ["d", "p", "q", "dp", "dq", "qi", "k"].contains(key)
    var kind = isPrivate || pair?.isSecret == true ? .certain : names.kind(of: name, in: .field)
    if kind == nil, about.opens, SecretNames.folded(name) == "key" { kind = .ambiguous(.token) }
    if kind != nil, case .string(let range) = member.value,
      let value = fieldValue(walk.text(range), name: name)
    {
      if value != walk.text(range) { walk.replace(range, by: value) }
      return false
    }
    if about.isSecret, ["data", "stringData"].contains(key) {
      next = Inherited(name: "secret", kind: .certain)
    } else if about.isLogin, Self.isCalledWith(key, member.value) {
      next = Inherited(name: "password", kind: .ambiguous(.near))
    } else if let kind, !(kind.isAmbiguous && about.inherited?.kind == .certain) {
      next = Inherited(name: name, kind: kind, neighbours: about.neighbours)
    } else if let own = about.inherited, !Vocabulary.about.contains(SecretNames.folded(key)) {
      next = Inherited(
        name: key,
        kind: own.kind,
        neighbours: own.neighbours,
        isWithin: true,
        isListed: own.isListed
      )
    }
    return true
  }

  /// Tells whether an object tells what a value may be, and holds none: a type, a format, a list of
  /// names.
  private static func isSchema(
    _ members: [(name: Range<Int>, value: JSONSpan)],
    _ walk: Walk
  ) -> Bool {
    if members.contains(where: { ["value", "data", "content"].contains(walk.text($0.name)) }) {
      return false
    }
    return members.contains { member in
      switch SecretNames.folded(walk.text(member.name)) {
      case "ref", "properties", "oneof", "anyof", "allof", "enum", "minlength", "maxlength",
        "valuefrom",
        "secretkeyref", "fngetatt":
        return true
      case "type", "in", "datatype":
        guard case .string(let range) = member.value else {
          if case .array = member.value { return true }
          return false
        }
        return Vocabulary.schemaWords.contains(walk.text(range).lowercased())
      default: return false
      }
    }
  }

  private func place(_ inherited: Inherited, _ walk: Walk) -> NamedPlace {
    var neighbours = inherited.neighbours
    if walk.isTold { neighbours.insert(.told) }
    return NamedPlace(
      name: inherited.name,
      kind: inherited.kind,
      neighbours: neighbours,
      isAsked: isAsked
    )
  }

  private mutating func string(
    _ range: Range<Int>,
    _ inherited: Inherited?,
    _ walk: inout Walk
  ) {
    if let inherited {
      let value = walk.text(range)
      let replaced = judged(value, place(inherited, walk))
      if replaced != value { return walk.replace(range, by: replaced) }
      if SecretNames.isPlain(value) { return }
    }
    let value = walk.meaning(range)
    let replaced = whole(value, depth: walk.depth + 1)
    if replaced != value { walk.replace(range, saying: value, by: replaced) }
  }

  /// A secret number is 0 afterwards where clients read it: it has no room for an ordinal, and they
  /// want a number. In a request nobody reads it again, so it becomes a pseudonym, which matches
  /// any number: as a string where that keeps the body JSON, bare in a text within it.
  private mutating func number(
    _ range: Range<Int>,
    _ inherited: Inherited?,
    _ walk: inout Walk
  ) {
    let digits = Bytes(walk.bytes[range])
    guard digits != Bytes("0".utf8) else { return }
    let stand: String
    if let inherited, !inherited.isWithin,
      Judgement.isSecret(number: digits, place(inherited, walk))
    {
      stand = self.stand(
        for: String(decoding: digits, as: UTF8.self),
        name: inherited.name,
        // A count or an id as often as not.
        .likely,
        inherited.kind == .told ? "told" : "field-name"
      )
    } else if let echo = echoes.stand(forNumber: digits) {
      stand = echo
    } else {
      return
    }
    let replaced = !isAsked ? "0" : walk.depth == 0 ? "\"\(stand)\"" : stand
    walk.edits.append(Edit(range, Bytes(replaced.utf8)))
  }

  /// Tells whether every element is `["name", …]`.
  private static func isOfPairs(_ list: JSONSpan, _ json: JSONText) -> Bool {
    var isEmpty = true
    for element in json.elements(of: list) {
      guard pair(element, json) != nil else { return false }
      isEmpty = false
    }
    return !isEmpty
  }

  /// Returns the two elements of `["name", …]`.
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

  /// The second of `["password", "…"]`; `false` where the first is no secret's name.
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
    visit(second, Inherited(name: name, kind: kind), &walk)
    return true
  }
}

/// An object that is a name and its value: `{"name": "Authorization", "value": "…"}`,
/// `{"id": "token", "content": "…"}`.
struct NamedPair {
  /// The name of the value.
  let name: String
  /// Tells whether the object says itself that its value is secret: `"sensitive": true`.
  let isSecret: Bool
  /// The member that holds it; `nil` where several may.
  private let valueKey: String?

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
    if let (name, key) = Self.prefixed(members, walk) {
      (self.name, isSecret, valueKey) = (name, false, key)
      return
    }
    // The attributes of a random password, as Terraform's state has them.
    if members.contains(where: { isNamed($0.name, Self.result) }),
      members.contains(where: { isNamed($0.name, Self.special) })
    {
      (name, isSecret, valueKey) = ("password", true, "result")
      return
    }
    guard members.contains(where: { isNamed($0.name, Self.values) }) else { return nil }
    let isPlainPair = members.contains { isNamed($0.name, ["\"value\""]) }
    isSecret =
      isPlainPair
      && members.contains { member in
        guard case .word(let range) = member.value, walk.bytes[range].elementsEqual("true".utf8)
        else { return false }
        return isNamed(member.name, Self.flags)
      }
    if isSecret || isPlainPair && text(["\"keyName\""]) != nil {
      (name, valueKey) = (isSecret ? text(Self.names) ?? "value" : "accessKey", "value")
      return
    }
    if isPlainPair, let name = text(Self.names) {
      (self.name, valueKey) = (name, "value")
      return
    }
    // Most of what stands under "id" is one, and no name.
    guard let name = text(Self.otherNames), Self.mayBeName(name) else { return nil }
    (self.name, valueKey) = (name, nil)
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

  private static let result: [StaticString] = ["\"result\""]
  private static let special: [StaticString] = ["\"special\""]

  /// The members by which Terraform, GitLab, Bitbucket and Azure say that a value is secret.
  private static let flags: [StaticString] = [
    "\"sensitive\"", "\"masked\"", "\"secured\"", "\"isSecret\"", "\"is_secret\"",
  ]

  private static func mayBeName(_ text: String) -> Bool {
    text.utf8.count <= 40 && text.utf8.count { $0.isASCIIDigit } <= 1
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

  /// Tells whether a member holds the value. Under other labels than `name` and `value` what reads
  /// like a label or a sentence is one: `{"id": "password", "text": "Your password"}`.
  func holds(_ value: JSONSpan, in key: String, _ walk: Redaction.Walk) -> Bool {
    if let valueKey { return key == valueKey }
    guard Self.valueKeys.contains(key), case .string(let range) = value else { return false }
    let text = walk.text(range)
    // `{"label": "API key", "value": "api_key"}` has two names.
    if SecretNames.folded(text) == SecretNames.folded(name) { return false }
    if Vocabulary.ambiguous[SecretNames.folded(name)] != nil { return Looks.isDrawn(text) }
    guard Prose.isPlain(text) else { return true }
    let isSpoken = text.contains(" ") || text.first?.isUppercase == true
    return !isSpoken && !SecretNames.isWord(text)
  }
}
