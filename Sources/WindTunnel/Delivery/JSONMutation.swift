/// A JSON text in which some values are changed and all else stays as it was spelled.
struct JSONMutation {
  /// The changed text.
  private(set) var bytes: [UInt8]
  private let change: Mutation.Change
  private let path: JSONPath?
  private var way: [JSONPath.Step] = []
  private var spots: [Spot] = []

  /// A value that may be changed, and where it stands.
  private struct Spot {
    var value: JSONSpan
    /// What it is an element or a member of: the stretches of all of them, and its number.
    var siblings: [Range<Int>] = []
    var number = 0
  }

  /// Changes a text. What a path names within something that it names as well goes with that.
  init(
    _ change: Mutation.Change,
    _ place: Mutation.Place,
    of text: [UInt8]
  ) throws(Mutation.Misfit) {
    (bytes, self.change) = (text, change)
    path = if case .at(let path) = place { path } else { nil }
    guard let whole = JSONSpan(text) else {
      throw Mutation.Misfit("the body is no JSON object or list")
    }
    visit(Spot(value: whole), isMember: false)
    guard !spots.isEmpty else {
      let words = path.map { "at \($0)" } ?? "in it"
      throw Mutation.Misfit("the body has nothing \(words) that could be changed so")
    }
    switch place {
    case .at: break
    case .anywhere: spots = [spots[0]]
    case .drawn(let draw): spots = [spots[Mutation.index(of: draw, among: spots.count)]]
    }
    let edits = change == .missing ? removals : spots.flatMap { replacements(in: $0.value) }
    bytes = Edit.applied(edits, to: text)
  }

  /// Collects what is meant, in the order of the text.
  private mutating func visit(_ spot: Spot, isMember: Bool) {
    if let path {
      if path.covers(way) {
        if canChange(spot) { spots.append(spot) }
        return
      }
    } else if isMember || change == .extra, canChange(spot) {
      spots.append(spot)
    }
    switch spot.value {
    case .string, .number, .word: break
    case .array(let elements, _):
      let stretches = change == .missing ? elements.map(\.range) : []
      for (number, element) in elements.enumerated() {
        way.append(.index(number))
        visit(Spot(value: element, siblings: stretches, number: number), isMember: false)
        way.removeLast()
      }
    case .object(let members, _):
      let stretches =
        change == .missing ? members.map { $0.name.lowerBound..<$0.value.range.upperBound } : []
      for (number, member) in members.enumerated() {
        way.append(.name(path == nil ? "" : JSONSpan.text(member.name, of: bytes)))
        visit(Spot(value: member.value, siblings: stretches, number: number), isMember: true)
        way.removeLast()
      }
    }
  }

  private func canChange(_ spot: Spot) -> Bool {
    let isNull = bytes[spot.value.range.lowerBound] == UInt8(ascii: "n")
    return switch change {
    case .null: !isNull
    case .missing: !spot.siblings.isEmpty
    case .wrongType: path != nil || !isNull
    case .extra: if case .object = spot.value { true } else { false }
    }
  }

  private func replacements(in value: JSONSpan) -> [Edit] {
    let range = value.range
    let (first, last) = (
      range.lowerBound..<range.lowerBound + 1, range.upperBound - 1..<range.upperBound
    )
    switch (change, value) {
    case (.missing, _): return []
    case (.null, _): return [Edit(range, Array("null".utf8))]
    case (.extra, .object(let members, _)): return [addition(to: members, in: range)]
    case (.extra, _): return []
    case (.wrongType, .string): return [Edit(range, number(in: range))]
    case (.wrongType, .number), (.wrongType, .word):
      return [Edit(range, [UInt8(ascii: "\"")] + bytes[range] + [UInt8(ascii: "\"")])]
    case (.wrongType, .object):
      return [Edit(range, [UInt8(ascii: "[")] + bytes[range] + [UInt8(ascii: "]")])]
    case (.wrongType, .array(let elements, _)):
      let names = elements.enumerated().map { number, element in
        Edit(element.range.lowerBound..<element.range.lowerBound, Array("\"\(number)\":".utf8))
      }
      return [Edit(first, [UInt8(ascii: "{")])] + names + [Edit(last, [UInt8(ascii: "}")])]
    }
  }

  /// The number that a string spells, else 0.
  private func number(in range: Range<Int>) -> [UInt8] {
    let inner = Array(bytes[(range.lowerBound + 1)..<(range.upperBound - 1)])
    // What is no JSON at all is no number, whatever is wrong with it.
    guard case .number(let digits)? = try? JSONParser.parse(inner) else {
      return [UInt8(ascii: "0")]
    }
    return Array(digits.utf8)
  }

  /// One more member, spaced like the first.
  private func addition(
    to members: [(name: Range<Int>, value: JSONSpan)],
    in range: Range<Int>
  ) -> Edit {
    let names = members.map { JSONSpan.text($0.name, of: bytes) }
    var name = "unexpectedField"
    while names.contains(name) { name += "_" }
    guard let first = members.first, let last = members.last else {
      let place = range.lowerBound + 1
      return Edit(place..<place, Array("\"\(name)\":\"unexpected\"".utf8))
    }
    let space = bytes[range.lowerBound + 1..<first.name.lowerBound]
    let colon = bytes[first.name.upperBound..<first.value.range.lowerBound]
    let place = last.value.range.upperBound
    return Edit(
      place..<place,
      [UInt8(ascii: ",")] + space + Array("\"\(name)\"".utf8) + colon + Array("\"unexpected\"".utf8)
    )
  }

  /// What takes the spots out: what stands before the last that stays goes up to the next one, what
  /// stands behind it goes with the comma in front.
  private var removals: [Edit] {
    Dictionary(grouping: spots, by: \.siblings.first).values.flatMap { spots -> [Edit] in
      guard let siblings = spots.first?.siblings else { return [] }
      let gone = Set(spots.map(\.number))
      let last = siblings.indices.last { !gone.contains($0) } ?? -1
      var edits = gone.filter { $0 < last }.map { number in
        Edit(siblings[number].lowerBound..<siblings[number + 1].lowerBound, [])
      }
      if last + 1 < siblings.count {
        let start = last < 0 ? siblings[0].lowerBound : siblings[last].upperBound
        edits.append(Edit(start..<siblings[siblings.count - 1].upperBound, []))
      }
      return edits
    }
  }
}
