/// Finds out which pseudonyms of a new recording stand for what the old one has other pseudonyms for.
///
/// A recording counts its secrets by itself, behind those that stand on the cassette. Where it says
/// what the cassette says already, it is to say it by the same ordinals.
struct AlignedOrdinals {
  private var numbers: [Pseudonym: Int] = [:]
  private var taken: Set<Pseudonym> = []

  /// Compares an interaction with the one whose place it takes: if they have the same names in the
  /// same order, these are the same secrets.
  mutating func align(_ new: Interaction, with old: Interaction) {
    let (here, there) = (Self.found(in: new), Self.found(in: old))
    guard here.map(\.name) == there.map(\.name) else { return }
    for (own, known) in zip(here, there) where numbers[own] == nil {
      guard taken.insert(known).inserted else { continue }
      numbers[own] = known.ordinal
    }
  }

  /// The interaction with the ordinals that are known by now.
  func renumbered(_ interaction: Interaction) -> Interaction {
    numbers.isEmpty ? interaction : interaction.renumbered { numbers[$0] ?? $0.ordinal }
  }

  /// In the order in which they stand there.
  private static func found(in interaction: Interaction) -> [Pseudonym] {
    var found: [Pseudonym] = []
    _ = Rerecording.recordable(interaction).renumbered { pseudonym in
      found.append(pseudonym)
      return pseudonym.ordinal
    }
    return found
  }
}
