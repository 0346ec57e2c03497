/// A cassette merged from several.
///
/// ```swift
/// let merge = try CassetteMerge([("users.json", users), ("home.json", home)])
/// ```
public struct CassetteMerge: Sendable, Hashable {
  /// The interactions of the first cassette, then those that the next ones add.
  public private(set) var cassette = Cassette()
  /// The number of interactions that an earlier cassette already had, without their volatile parts.
  public private(set) var repeatedCount = 0

  /// Merges cassettes. An interaction that occurs twice on one cassette is a sequence and stays
  /// twice.
  ///
  /// Each cassette numbers its secrets by itself, so that two of them may use one placeholder for
  /// different values; the later cassette's is then renumbered. Interactions that it shares with an
  /// earlier cassette show which of its placeholders mean the same.
  ///
  /// - Throws: `MergeConflict` where two of them have different notes of one name.
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
    "\(note)" stands in \(names.joined(separator: " and in ")) with different values. \
    Make them the same, or remove one.
    """
  }
}

/// The renumbering of placeholders that keeps those of several cassettes apart while they are
/// merged.
private struct MergedOrdinals {
  private typealias Numbers = [Pseudonym: Int]

  /// The new numbers of an interaction's pseudonyms, by the interaction as its cassette had it.
  private var known: [Interaction: Numbers] = [:]
  private var used: Set<Pseudonym> = []
  /// The new numbers of the pseudonyms of the cassette at hand.
  private var numbers: Numbers = [:]

  /// Goes on with the next cassette.
  mutating func begin() { numbers = [:] }

  /// Takes over the numbers of what an earlier cassette has as well: its pseudonyms stand for the
  /// same there.
  mutating func repeats(_ steady: Interaction) {
    guard let earlier = known[steady] else { return }
    numbers.merge(earlier) { first, _ in first }
  }

  /// Returns what the cassette at hand adds, with ordinals that no other has.
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
