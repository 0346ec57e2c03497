extension Edit {
  /// Returns the edits that turn one text into another.
  ///
  /// There is one edit for each pseudonym if nothing else differs; otherwise one edit from the
  /// first to the last difference.
  package static func between(_ old: Bytes, _ new: Bytes) -> [Edit] {
    let edits = byPseudonym(old, new)
    if let edits, applied(edits, to: old) == new { return edits }
    let beginning = zip(old, new).prefix { $0 == $1 }.count
    let most = min(old.count, new.count) - beginning
    let end = zip(old.reversed(), new.reversed()).prefix(most).prefix { $0 == $1 }.count
    let range = beginning..<old.count - end
    return range.isEmpty && old.count == new.count
      ? [] : [Edit(range, Bytes(new[beginning..<new.count - end]))]
  }

  private static func byPseudonym(_ old: Bytes, _ new: Bytes) -> [Edit]? {
    guard let text = RedactedText(String(decoding: new, as: UTF8.self)), !text.isPacked,
      let values = text.shape.values(in: String(decoding: old, as: UTF8.self))
    else { return nil }
    var place = 0
    var edits: [Edit] = []
    for (index, value) in values.enumerated() {
      place += text.shape.literals[index].utf8.count
      let end = place + value.utf8.count
      guard end <= old.count else { return nil }
      let stand = Bytes(text.stands[index].utf8)
      if !old[place..<end].elementsEqual(stand) { edits.append(Edit(place..<end, stand)) }
      place = end
    }
    return edits
  }
}

extension EscapedText {
  /// Returns the original text with the replacements of its decoded text applied; all else keeps
  /// its spelling.
  package func original(meaning replaced: Bytes, spell: (String) -> String) -> Bytes {
    let edits = Edit.between(bytes, replaced).map {
      Edit($0.range, Bytes(spell(String(decoding: $0.bytes, as: UTF8.self)).utf8))
    }
    return Edit.applied(inOriginal(edits), to: original)
  }
}
