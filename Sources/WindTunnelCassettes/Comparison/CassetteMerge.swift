/// Several cassettes made one.
public struct CassetteMerge: Sendable, Hashable {
  /// The interactions of the first, then those that the next ones add.
  public private(set) var cassette = Cassette()
  /// How many interactions were on an earlier cassette already, but for volatile parts.
  public private(set) var repeatedCount = 0

  /// Merges cassettes. What occurs twice on one cassette is a sequence and stays twice.
  ///
  /// Each cassette counted its secrets by itself, so where two of them have one pseudonym for values
  /// that may differ, the later one's is numbered anew. What the later one shares with an earlier one
  /// tells which of its pseudonyms are the same.
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
          throw MergeConflict(
            note: note.name.value,
            names: [origins[note.name.value] ?? "", name]
          )
        }
      }
    }
  }
}

/// Two cassettes that say different things of themselves.
public struct MergeConflict: Error, Sendable, Hashable, CustomStringConvertible {
  /// The name of the note.
  public var note: String
  /// The names of the cassettes.
  public var names: [String]

  /// Which note, where and what to do.
  public var description: String {
    """
    "\(note)" stands in \(names.joined(separator: " and in ")) with different values. \
    Make them the same, or remove one.
    """
  }
}
