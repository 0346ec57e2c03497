extension CassetteDifference {
  /// The difference for a program, under a title such as the name of the file:
  ///
  ///     { "title": "a.json", "same": 7, "notes": [], "changes": [
  ///       { "change": "changed", "request": "GET https://a.test/a", "from": 1, "to": 2,
  ///         "parts": [{ "part": "response.status", "old": "200", "new": "404" }] }] }
  ///
  /// `from` is the number on the old cassette and `to` that on the new one, `null` where it is on none.
  package func json(title: String) -> JSON {
    [
      "title": .text(title), "same": .number(sameCount), "notes": .array(notes.map(\.json)),
      "changes": .array(changes.map(\.json)),
    ]
  }
}

extension PartDifference {
  fileprivate var json: JSON {
    [
      "part": .text(part), "old": old.map { .text($0) } ?? .null,
      "new": new.map { .text($0) } ?? .null,
    ]
  }
}

extension CassetteDifference.Change {
  fileprivate var json: JSON {
    let (interaction, from, to): (Interaction, Int?, Int?) =
      switch self {
      case .added(let interaction, let number): (interaction, nil, number)
      case .removed(let interaction, let number): (interaction, number, nil)
      case .changed(let interaction, let from, let to, _),
        .moved(let interaction, let from, let to):
        (interaction, from, to)
      }
    return [
      "change": .text(verb),
      "request": .text("\(interaction.request.method) \(interaction.request.url)"),
      "from": from.map { .number($0) } ?? .null, "to": to.map { .number($0) } ?? .null,
      "parts": .array(parts.map(\.json)),
    ]
  }
}
