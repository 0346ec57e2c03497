/// The data of an interaction for which HAR has no fields: the value of "_windtunnel".
enum HARAddition {
  static let key = "_windtunnel"

  /// Whether a note would be misread or lost at its usual position.
  static func isAmbiguous(_ note: JSON.Member) -> Bool {
    note.value == .null || note.name.value == key
  }

  /// Returns the addition to "log": the version, and the notes that cannot be stored directly in
  /// "log".
  static func ofLog(_ notes: [JSON.Member]) -> JSON {
    let isOdd = notes.contains(where: isAmbiguous)
    return .object([JSON.Member("version", .number(CassetteFormat.version))] + (isOdd ? notes : []))
  }

  /// Returns the notes of a cassette.
  ///
  /// - Throws: `FormatError` if the version of these keys is newer.
  static func notes(ofLog log: JSON, source: String) throws(FormatError) -> [JSON.Member] {
    var notes = HAREntryReader.notes(log, but: [key])
    guard let json = log.present(key) else { return notes }
    var object = try ObjectReader(json, source: source, path: "log.\(key)")
    try CassetteFormat.checkVersion(&object, key: "version", noun: "HAR of windtunnel's")
    try object.refuseUnknownKeys()
    if !object.notes.isEmpty { notes = object.notes }
    return notes
  }

  /// Returns the members that must be added to an entry that is read as `read`; `nil` if there are
  /// none.
  static func of(_ interaction: Interaction, readAs read: Interaction?) -> JSON? {
    let wanted = members(interaction)
    let found = read.map { members($0) } ?? []
    let notesDiffer = interaction.notes != read?.notes ?? []
    let added = wanted.compactMap { member -> JSON.Member? in
      if member.name.value.hasPrefix("_") { return notesDiffer ? member : nil }
      let other = found.first { $0.name == member.name }
      guard other?.value != member.value else { return nil }
      return hasBody(member) ? withoutBody(member, of: other?.value) : member
    }
    return added.isEmpty ? nil : .object(added)
  }

  /// Returns the original interaction of an entry: the data read from the standard fields,
  /// completed by the addition.
  ///
  /// - Throws: `FormatError` if the addition is invalid.
  static func applied(
    _ addition: JSON,
    to read: Interaction?,
    source: String,
    path: String
  ) throws(FormatError) -> Interaction {
    let place = "\(path).\(key)"
    let object = try ObjectReader(addition, source: source, path: place)
    let added = addition.members
    var members = read.map { self.members($0) } ?? []
    if !object.notes.isEmpty { members.removeAll { $0.name.value.hasPrefix("_") } }
    for member in added {
      guard let index = members.firstIndex(where: { $0.name == member.name }) else {
        members.append(member)
        continue
      }
      members[index] = hasBody(member) ? withBody(member, of: members[index].value) : member
    }
    do {
      return try Interaction(onCassette: .object(members), source: source, path: place) { _ in
        throw FormatError(source: source, place: place, problem: "a HAR has no side files")
      }
    } catch {
      throw error as? FormatError ?? FormatError(source: source, place: place, problem: "\(error)")
    }
  }

  private static func members(_ interaction: Interaction) -> [JSON.Member] {
    // There are no side files, so this cannot fail.
    let json = try? InteractionWriter(sideFile: { _ in nil }).json(interaction)
    return json?.members ?? []
  }

  private static let bodyKeys: Set<String> = ["json", "layout", "text", "base64", "file", "gzip"]

  private static func body(of value: JSON) -> [JSON.Member] {
    value.members.filter { bodyKeys.contains($0.name.value) }
  }

  private static func hasBody(_ member: JSON.Member) -> Bool {
    ["request", "response"].contains(member.name.value)
  }

  /// Returns a message without its body if the other message has the same body.
  private static func withoutBody(_ member: JSON.Member, of other: JSON?) -> JSON.Member {
    guard let other, body(of: member.value) == body(of: other) else { return member }
    let head = member.value.members.filter { !bodyKeys.contains($0.name.value) }
    return JSON.Member(member.name, .object(head))
  }

  /// Returns a message with the body of another message if it has none itself.
  private static func withBody(_ member: JSON.Member, of other: JSON) -> JSON.Member {
    body(of: member.value).isEmpty
      ? JSON.Member(member.name, member.value.adding(body(of: other))) : member
  }
}
