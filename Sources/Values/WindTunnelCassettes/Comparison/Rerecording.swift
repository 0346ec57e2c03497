/// The handling of old interactions when a cassette is recorded again.
package enum Rerecording {
  /// Returns the new interactions, with each replaced by the old one that differs only in volatile
  /// parts.
  ///
  /// The old interaction keeps its handwritten parts: `then`, notes and other keys that no recorder
  /// writes. Concurrent requests are recorded in an arbitrary order. If all results for a method
  /// and a path are equal to the old ones in the old order, they are put back into their old
  /// positions. A player only depends on the order within a sequence.
  package static func keepingOld(
    _ old: [Interaction],
    under new: [Interaction],
    volatile: Set<String> = []
  ) -> [Interaction] {
    guard !old.isEmpty, !new.isEmpty else { return new }
    // The first of equal interactions is used first.
    var places: [Interaction: [Int]] = [:]
    for (index, interaction) in old.enumerated().reversed() {
      places[recordable(interaction, volatile), default: []].append(index)
    }
    var origins = new.map { places[recordable($0, volatile)]?.popLast() }
    let sequences = Dictionary(grouping: new.indices) {
      [new[$0].request.method, new[$0].request.url.path.canonicalPath]
    }
    let steady = sequences.values.filter { indices in
      let found = indices.compactMap { origins[$0] }
      return found.count == indices.count && zip(found, found.dropFirst()).allSatisfy { $0 < $1 }
    }
    let free = steady.joined().sorted()
    for (index, origin) in zip(free, free.compactMap { origins[$0] }.sorted()) {
      origins[index] = origin
    }
    return zip(new, origins).map { new, i in i.map { old[$0].preceded(as: new, volatile) } ?? new }
  }

  /// Returns the interaction reduced to the parts that every recorder can produce.
  static func recordable(_ interaction: Interaction, _ volatile: Set<String> = []) -> Interaction {
    var steady = interaction.steady(without: volatile)
    steady.then = nil
    steady.notes = []
    steady.innerNotes = [:]
    steady.editResponse { $0.head.informational = [] }
    return steady
  }
}

extension Interaction {
  /// Returns the interaction with the interim responses of an equal recording.
  ///
  /// They are unchanged if the recording has none, because a recorder within the client receives
  /// none, or if they differ only in volatile fields.
  func preceded(as new: Interaction, _ volatile: Set<String> = []) -> Interaction {
    func steady(_ one: Interaction) -> [ResponseHead]? {
      one.steady(without: volatile).response?.head.informational
    }
    let heads = new.response?.head.informational ?? []
    guard !heads.isEmpty, steady(new) != steady(self) else { return self }
    var copy = self
    copy.editResponse { $0.head.informational = heads }
    return copy
  }
}
