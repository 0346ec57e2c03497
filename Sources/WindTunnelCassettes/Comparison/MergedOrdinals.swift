/// Keeps the pseudonyms of several cassettes apart while they are made one.
struct MergedOrdinals {
  private typealias Numbers = [Pseudonym: Int]

  /// What the pseudonyms of an interaction became, by the interaction as its cassette had it.
  private var known: [Interaction: Numbers] = [:]
  private var used: Set<Pseudonym> = []
  /// What the pseudonyms of the cassette at hand become.
  private var numbers: Numbers = [:]

  /// Goes on with the next cassette.
  mutating func begin() { numbers = [:] }

  /// What an earlier cassette has as well: there its pseudonyms stand for the same.
  mutating func repeats(_ steady: Interaction) {
    guard let earlier = known[steady] else { return }
    numbers.merge(earlier) { first, _ in first }
  }

  /// What the cassette at hand adds, with ordinals that no other has.
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
