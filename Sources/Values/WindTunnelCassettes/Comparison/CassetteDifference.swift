internal import WindTunnelSymptoms

/// The differences between two cassettes by interaction, ignoring volatile parts.
///
/// ```swift
/// let difference = CassetteDifference(from: old, to: new)
/// print(difference.text(title: "users.json"))
/// ```
///
/// The recordings with the same method and URL are compared as a sequence. The order among
/// different URLs is ignored, because no player depends on it.
public struct CassetteDifference: Sendable, Hashable {
  /// A change of one interaction, with numbers that count from 1.
  public enum Change: Sendable, Hashable {
    /// An interaction that only the new cassette has.
    case added(Interaction, number: Int)
    /// An interaction that only the old cassette has.
    case removed(Interaction, number: Int)
    /// An interaction with changed content.
    case changed(Interaction, from: Int, to: Int, [PartDifference])
    /// An interaction at another position of its sequence.
    case moved(Interaction, from: Int, to: Int)
  }

  /// The changes, in the order of the new cassette.
  public private(set) var changes: [Change] = []
  /// The changes in the notes of the cassette itself.
  public private(set) var notes: [PartDifference] = []
  /// The number of interactions that are equal.
  public private(set) var sameCount = 0

  /// Whether the cassettes are equal.
  public var isEmpty: Bool { changes.isEmpty && notes.isEmpty }

  /// Compares two cassettes.
  ///
  /// - Parameters:
  ///   - old: The earlier cassette.
  ///   - new: The later cassette.
  ///   - names: Additional header fields that are volatile.
  public init(from old: Cassette, to new: Cassette, volatile names: [String] = []) {
    notes = PartDifference.notes(old.notes, new.notes, place: "")
    var forms = Forms(volatile: Set(names.map { $0.lowercased() }))
    let there = forms.numbered(old)
    let here = forms.numbered(new)
    let addresses = Set(there.keys).union(here.keys)
    for address in addresses { compare(there[address] ?? [], here[address] ?? []) }
    changes.sort { $0.place < $1.place }
  }

  /// One interaction of a sequence: its number, its steady content, and a number for that content.
  private struct Take {
    var number: Int
    var form: Int
    var steady: Interaction
  }

  /// A numbering of interactions by content, so that sequences are compared by numbers.
  private struct Forms {
    let volatile: Set<String>
    var known: [Interaction: Int] = [:]

    mutating func numbered(_ cassette: Cassette) -> [String: [Take]] {
      var sequences: [String: [Take]] = [:]
      for (index, interaction) in cassette.interactions.enumerated() {
        let steady = interaction.steady(without: volatile)
        let form = known[steady] ?? known.count
        known[steady] = form
        let request = interaction.request
        sequences["\(request.method) \(request.url)", default: []].append(
          Take(number: index + 1, form: form, steady: steady)
        )
      }
      return sequences
    }
  }

  private mutating func compare(_ old: [Take], _ new: [Take]) {
    var (removed, added): ([Take], [Take]) = ([], [])
    for step in new.map(\.form).difference(from: old.map(\.form)) {
      switch step {
      case .remove(let offset, _, _): removed.append(old[offset])
      case .insert(let offset, _, _): added.append(new[offset])
      }
    }
    removed.sort { $0.number < $1.number }
    added.sort { $0.number < $1.number }
    sameCount += new.count - added.count
    added.removeAll { take in
      guard let index = removed.firstIndex(where: { $0.form == take.form }) else { return false }
      let from = removed.remove(at: index).number
      changes.append(.moved(take.steady, from: from, to: take.number))
      return true
    }
    for (before, after) in zip(removed, added) {
      let parts = PartDifference.of(before.steady, after.steady)
      changes.append(.changed(after.steady, from: before.number, to: after.number, parts))
    }
    let pairs = min(removed.count, added.count)
    changes += removed.dropFirst(pairs).map { .removed($0.steady, number: $0.number) }
    changes += added.dropFirst(pairs).map { .added($0.steady, number: $0.number) }
  }

  /// Returns the differences for a terminal, with a title such as the name of the file; empty if
  /// there are none.
  public func text(title: String) -> String {
    guard !isEmpty else { return "" }
    var text = "\(title): \(summary)\n"
    text += notes.map { "  \($0.line)\n" }.joined()
    for change in changes {
      text += "\(change.row.sign) \(change.words)\n"
      text += change.parts.map { "    \($0.line)\n" }.joined()
    }
    return text
  }

  /// Returns the differences for a comment on a pull request; empty if there are none.
  public func markdown(title: String) -> String {
    guard !isEmpty else { return "" }
    var text = "### \(Self.code(title)): \(summary)\n\n"
    let notes = notes.map { "  - \(Self.code($0.line))\n" }.joined()
    if !notes.isEmpty { text += "- the cassette's notes\n\(notes)" }
    for change in changes {
      text += "- **\(change.verb)** \(Self.code(change.words))\n"
      text += change.parts.map { "  - \(Self.code($0.line))\n" }.joined()
    }
    return text
  }

  /// The number of changes of each kind, such as `1 changed, 2 added, 7 the same`.
  public var summary: String {
    let verbs = ["changed", "moved", "added", "removed"]
    let counts = verbs.map { verb in (changes.count { $0.verb == verb }, verb) }
      .filter { $0.0 > 0 }.map { "\($0.0) \($0.1)" }
    let own = notes.isEmpty ? [] : ["notes changed"]
    return (own + counts + ["\(sameCount) the same"]).joined(separator: ", ")
  }

  /// Returns the differences for a program, with a title such as the name of the file:
  ///
  ///     { "title": "a.json", "same": 7, "notes": [], "changes": [
  ///       { "change": "changed", "request": "GET https://a.test/a", "from": 1, "to": 2,
  ///         "parts": [{ "part": "response.status", "old": "200", "new": "404" }] }] }
  ///
  /// `from` is the number on the old cassette and `to` the number on the new one; each is `null` if
  /// the interaction is missing there.
  package func json(title: String) -> JSON {
    [
      "title": .text(title), "same": .number(sameCount), "notes": .array(notes.map(\.json)),
      "changes": .array(changes.map(\.json)),
    ]
  }

  /// Returns a code span in Markdown for any text, including backticks and line ends (CommonMark
  /// §6.1).
  private static func code(_ text: String) -> String {
    let line = text.split { $0.isNewline }.joined(separator: " ").visibleInLine
    let longest = line.split { $0 != "`" }.map(\.count).max() ?? 0
    let fence = String(repeating: "`", count: longest + 1)
    let space = line.hasPrefix("`") || line.hasSuffix("`") ? " " : ""
    return fence + space + line + space + fence
  }
}

extension CassetteDifference.Change {
  fileprivate typealias Row = (
    verb: String, sign: String, interaction: Interaction, from: Int?, to: Int?,
    parts: [PartDifference]
  )

  fileprivate var row: Row {
    switch self {
    case .added(let interaction, let number): ("added", "+", interaction, nil, number, [])
    case .removed(let interaction, let number): ("removed", "-", interaction, number, nil, [])
    case .changed(let interaction, let from, let to, let parts):
      ("changed", "~", interaction, from, to, parts)
    case .moved(let interaction, let from, let to): ("moved", ">", interaction, from, to, [])
    }
  }

  /// The sort key by position in the new cassette. A removed interaction follows the interaction
  /// that is now at its position.
  fileprivate var place: (Int, Int) { (row.to ?? row.from ?? 0, row.to == nil ? 1 : 0) }

  fileprivate var verb: String { row.verb }

  fileprivate var words: String {
    let (_, _, interaction, from, to, _) = row
    let told = if case .changed = self { Self.request(interaction) } else { Self.told(interaction) }
    return "\(Self.number(from, to)) \(told)"
  }

  fileprivate var parts: [PartDifference] { row.parts }

  fileprivate var json: JSON {
    [
      "change": .text(verb), "request": .text(Self.request(row.interaction)),
      "from": .orNull(row.from), "to": .orNull(row.to), "parts": .array(parts.map(\.json)),
    ]
  }

  private static func number(_ from: Int?, _ to: Int?) -> String {
    guard let from, let to, from != to else { return "#\(from ?? to ?? 0)" }
    return "#\(from) → #\(to)"
  }

  private static func request(_ interaction: Interaction) -> String {
    "\(interaction.request.method) \(interaction.request.url)"
  }

  private static func told(_ interaction: Interaction) -> String {
    let status = interaction.response.map { "\($0.status)" }
    let end = [status, interaction.failure?.symptom.rawValue].compactMap { $0 }
    return "\(request(interaction)) → \(end.joined(separator: ", then "))"
  }
}

extension PartDifference {
  /// The difference in one line, such as `response.status: 200 → 404`.
  fileprivate var line: String { "\(part): \(old ?? "–") → \(new ?? "–")" }

  fileprivate var json: JSON {
    ["part": .text(part), "old": .orNull(old), "new": .orNull(new)]
  }
}
