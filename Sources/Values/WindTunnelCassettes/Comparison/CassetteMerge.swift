/// A cassette merged from several cassettes.
///
/// ```swift
/// let merge = try CassetteMerge([("users.json", users), ("home.json", home)])
/// ```
public struct CassetteMerge: Sendable, Hashable {
  /// The interactions of the first cassette, followed by the additional ones of the other
  /// cassettes.
  public private(set) var cassette = Cassette()
  /// The number of omitted interactions that an earlier cassette already contains, ignoring
  /// volatile parts.
  public private(set) var repeatedCount = 0

  /// Merges cassettes. An interaction that occurs twice on one cassette is a sequence and is kept
  /// twice.
  ///
  /// Each cassette numbers its secrets independently, so two cassettes may use one placeholder for
  /// different values. Then the placeholder of the later cassette is renumbered. Interactions that
  /// both cassettes contain show which placeholders have the same value.
  ///
  /// - Throws: `MergeConflict` if two cassettes have different notes with the same name.
  public init(_ cassettes: [(name: String, cassette: Cassette)]) throws(MergeConflict) {
    var counts: [Interaction: Int] = [:]
    var origins: [String: String] = [:]
    var numbering = MergedOrdinals()
    for (name, next) in cassettes {
      var own: [Interaction: Int] = [:]
      var added: [Interaction] = []
      numbering.begin()
      for interaction in next.interactions {
        let steady = interaction.steady
        own[steady, default: 0] += 1
        guard own[steady, default: 0] > counts[steady, default: 0] else {
          repeatedCount += 1
          numbering.repeats(steady)
          continue
        }
        counts[steady, default: 0] += 1
        added.append(interaction)
      }
      cassette.interactions += numbering.renumbered(added)
      for note in next.notes {
        guard let known = cassette.notes.first(where: { $0.name.value == note.name.value }) else {
          cassette.notes.append(note)
          origins[note.name.value] = name
          continue
        }
        guard known.value == note.value else {
          throw MergeConflict(note: note.name.value, names: [origins[note.name.value] ?? "", name])
        }
      }
    }
  }
}

/// The error of cassettes whose notes contradict each other.
public struct MergeConflict: Error, Sendable, Hashable, CustomStringConvertible {
  /// The name of the note.
  public var note: String
  /// The names of the cassettes.
  public var names: [String]

  /// The note, the cassettes and the fix, in sentences.
  public var description: String {
    """
    "\(note)" has different values in \(names.joined(separator: " and in ")). \
    Make the values equal, or remove one.
    """
  }
}

/// A renumbering of placeholders that keeps the placeholders of merged cassettes distinct.
private struct MergedOrdinals {
  private typealias Numbers = [Pseudonym: Int]

  /// The new numbers of an interaction's pseudonyms, by the interaction before renumbering.
  private var known: [Interaction: Numbers] = [:]
  private var used: Set<Pseudonym> = []
  /// The new numbers of the current cassette's pseudonyms.
  private var numbers: Numbers = [:]

  /// Starts the next cassette.
  mutating func begin() { numbers = [:] }

  /// Adopts the numbers of an interaction that an earlier cassette also contains: its pseudonyms
  /// have the same values there.
  mutating func repeats(_ steady: Interaction) {
    guard let earlier = known[steady] else { return }
    numbers.merge(earlier) { first, _ in first }
  }

  /// Returns the added interactions of the current cassette, with ordinals that no other cassette
  /// uses.
  mutating func renumbered(_ added: [Interaction]) -> [Interaction] {
    let found = added.map(\.pseudonyms)
    let all = found.reduce(into: Set<Pseudonym>()) { $0.formUnion($1) }
    var highest: [String: Int] = [:]
    for one in used.union(all) {
      highest[one.name] = max(highest[one.name] ?? 0, one.ordinal)
    }
    for one in all.sorted() where numbers[one] == nil {
      guard used.contains(one), let last = highest[one.name] else {
        numbers[one] = one.ordinal
        continue
      }
      highest[one.name] = last + 1
      numbers[one] = last + 1
    }
    used.formUnion(numbers.map { Pseudonym(name: $0.key.name, ordinal: $0.value) })
    return zip(added, found).map { interaction, pseudonyms in
      guard !pseudonyms.isEmpty else { return interaction }
      let own = numbers.filter { pseudonyms.contains($0.key) }
      known[interaction.steady] = own
      return own.allSatisfy { $0.key.ordinal == $0.value }
        ? interaction : interaction.renumbered { own[$0] ?? $0.ordinal }
    }
  }
}
