// What only a HAR says of an exchange: pages, the times of name look-up and connection, addresses,
// versions and reasons of the protocol, header fields that were taken away because they did not fit
// the body. Nobody plays it, so a recording has no place for it; whoever wants a HAR back as it was
// converts with its secrets kept, and then it stands in a note, "_har", of the cassette and of each
// interaction: the members of the original that the HAR which is written from the rest has otherwise
// or not at all.
//
// It is put back where the entry then says the same as the interaction. Where somebody has changed
// the interaction since, the interaction is right, and what was said of the changed part goes (see
// ``HARPart``).

/// What stands in an original and not in what is written in its place.
enum HAROverlay {
  static let key: JSON.Text = "_har"

  /// The members of an object that another one has otherwise or not at all, down to the lists, which
  /// are taken whole; `nil` if there are none. What may not stand in a HAR is none.
  static func difference(_ original: JSON, from written: JSON, as name: String) -> JSON? {
    guard let original = HARSanitizer.object(original, of: name),
      case .object(let members) = original, case .object = written
    else { return nil }
    return difference(members, from: written)
  }

  /// What is said of the text beside it; where an original does not say it, a null stands for that.
  private static let codings = ["encoding", "_encoding"]

  private static func difference(_ members: [JSON.Member], from written: JSON) -> JSON? {
    var other = members.compactMap { member -> JSON.Member? in
      guard let there = written[member.name.value] else { return member }
      guard !there.says(member.value) else { return nil }
      guard case .object(let inner) = member.value, case .object = there else { return member }
      return difference(inner, from: there).map { JSON.Member(member.name, $0) }
    }
    let names = Set(members.map(\.name.value))
    other += codings.filter { written[$0] != nil && !names.contains($0) }.map {
      JSON.Member(JSON.Text($0), .null)
    }
    return other.isEmpty ? nil : .object(other)
  }

  /// An object with the members of another one put in.
  static func applied(_ overlay: JSON, to written: JSON) -> JSON {
    guard case .object(let members) = overlay, case .object(var result) = written else {
      return overlay
    }
    for member in members {
      let isMissing = member.value == .null && codings.contains(member.name.value)
      guard let index = result.firstIndex(where: { $0.name.value == member.name.value }) else {
        if !isMissing { result.append(member) }
        continue
      }
      guard !isMissing else {
        result.remove(at: index)
        continue
      }
      result[index].value = applied(member.value, to: result[index].value)
    }
    return .object(result)
  }

  /// The overlay among some notes, if there is one.
  static func of(_ notes: [JSON.Member]) -> JSON? { notes.first(where: isOverlay)?.value }

  /// The notes without it.
  static func without(_ notes: [JSON.Member]) -> [JSON.Member] {
    notes.filter { !isOverlay($0) }
  }

  static func isOverlay(_ note: JSON.Member) -> Bool {
    guard note.name == key, case .object = note.value else { return false }
    return true
  }

  /// An object without the members of some names.
  static func removing(_ names: Set<String>, from json: JSON) -> JSON {
    guard case .object(let members) = json else { return json }
    return .object(members.filter { !names.contains($0.name.value) })
  }
}

extension JSON {
  /// An entry whose form has a text beside its fields: some readers know no form without one, and an
  /// empty one says nothing.
  var withTextOfForm: JSON {
    guard let post = self["request"]?.present("postData"), case .object = post, post["text"] == nil
    else { return self }
    return HAROverlay.applied(["request": ["postData": ["text": ""]]], to: self)
  }
}

extension Interaction {
  /// Notes what its entry says and what is written for it does not, unless something of that name is
  /// noted already.
  mutating func keepOverlay(of entry: JSON) {
    guard !notes.contains(where: { $0.name.value == HAROverlay.key.value }) else { return }
    var writer = HAREntryWriter()
    let written = writer.entry(self)
    // What is ours among it is written again where it is needed.
    let original = HAROverlay.removing([HARAddition.key], from: entry)
    guard let overlay = HAROverlay.difference(original, from: written, as: "entry") else { return }
    notes.append(JSON.Member(HAROverlay.key, HARPart.marked(overlay, of: self)))
  }
}

extension Cassette {
  /// The cassette without what only a HAR says.
  var withoutOverlays: Cassette {
    var cassette = self
    cassette.notes = HAROverlay.without(notes)
    for index in interactions.indices {
      cassette.interactions[index].notes = HAROverlay.without(interactions[index].notes)
    }
    return cassette
  }
}
