/// Several cassettes made one.
public struct CassetteMerge: Sendable, Hashable {
  /// The interactions of the first, then those that the next ones add.
  public private(set) var cassette = Cassette()
  /// How many interactions were on an earlier cassette already, but for volatile parts.
  public private(set) var repeatedCount = 0

  /// Merges cassettes. What occurs twice on one cassette is a sequence and stays twice.
  ///
  /// - Throws: `MergeConflict` where two of them have different notes of one name.
  public init(_ cassettes: [(name: String, cassette: Cassette)]) throws(MergeConflict) {
    var counts: [Interaction: Int] = [:]
    var origins: [String: String] = [:]
    for (name, next) in cassettes {
      var own: [Interaction: Int] = [:]
      for interaction in next.interactions {
        let steady = interaction.steady
        own[steady, default: 0] += 1
        guard own[steady, default: 0] > counts[steady, default: 0] else {
          repeatedCount += 1
          continue
        }
        counts[steady, default: 0] += 1
        cassette.interactions.append(interaction)
      }
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
