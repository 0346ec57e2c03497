/// What differs between two cassettes but for volatile parts, interaction by interaction.
///
/// The recordings of one method and address are a sequence and are compared as one; the order among
/// different addresses is not looked at, since no player looks at it.
public struct CassetteDifference: Sendable, Hashable {
  /// One interaction that is not as it was. Numbers count from one.
  public enum Change: Sendable, Hashable {
    /// It is new.
    case added(Interaction, number: Int)
    /// It is gone.
    case removed(Interaction, number: Int)
    /// It says something else.
    case changed(Interaction, from: Int, to: Int, [PartDifference])
    /// It stands elsewhere in its sequence.
    case moved(Interaction, from: Int, to: Int)
  }

  /// What changed, in the order of the new cassette.
  public private(set) var changes: [Change] = []
  /// What changed in the notes of the cassette itself.
  public private(set) var notes: [PartDifference] = []
  /// How many interactions are the same.
  public private(set) var sameCount = 0

  /// Whether there is no difference.
  public var isEmpty: Bool { changes.isEmpty && notes.isEmpty }

  /// Compares two cassettes.
  ///
  /// - Parameters:
  ///   - old: What was said.
  ///   - new: What is said.
  ///   - names: Header fields that change from one recording to the next, beside those that always do.
  public init(from old: Cassette, to new: Cassette, volatile names: [String] = []) {
    notes = PartDifference.notes(old.notes, new.notes, place: "")
    var forms = Forms(volatile: Set(names.map { $0.lowercased() }))
    let there = forms.numbered(old)
    let here = forms.numbered(new)
    let addresses = Set(there.keys).union(here.keys)
    for address in addresses { compare(there[address] ?? [], here[address] ?? []) }
    changes.sort { $0.place < $1.place }
  }

  /// One interaction of a sequence: its number and what it says, as a number, too.
  private struct Take {
    var number: Int
    var form: Int
    var steady: Interaction
  }

  /// Numbers what is said, so that sequences are compared by numbers.
  private struct Forms {
    let volatile: Set<String>
    private var known: [Interaction: Int] = [:]

    init(volatile: Set<String>) { self.volatile = volatile }

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
}

extension CassetteDifference.Change {
  /// Where it stands in the new cassette, what is gone behind what stands there now.
  fileprivate var place: (Int, Int) {
    switch self {
    case .added(_, let number), .changed(_, _, let number, _), .moved(_, _, let number):
      (number, 0)
    case .removed(_, let number): (number, 1)
    }
  }
}
