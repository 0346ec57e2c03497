/// Recording anew over what stands on a cassette already.
package enum Rerecording {
  /// Returns the new interactions, and the old one in the place of each that differs from it in
  /// volatile parts alone. What is written by hand beside a recording (`then`, notes and further
  /// keys that no recorder writes) stays with it.
  ///
  /// Requests that run beside each other are recorded in the order of that day. Where all answers
  /// for a method and a path are the old ones in the old order, they go back to their old places
  /// among each other: a player looks at the order within a sequence only.
  package static func keepingOld(
    _ old: [Interaction],
    under new: [Interaction],
    volatile: Set<String> = []
  ) -> [Interaction] {
    guard !old.isEmpty, !new.isEmpty else { return new }
    // The first of equal ones is taken first.
    var places: [Interaction: [Int]] = [:]
    for (index, interaction) in old.enumerated().reversed() {
      places[recordable(interaction, volatile), default: []].append(index)
    }
    var origins = new.map { places[recordable($0, volatile)]?.popLast() }
    let sequences = Dictionary(grouping: new.indices) { Sequence(new[$0].request) }
    let steady = sequences.values.filter { indices in
      let found = indices.compactMap { origins[$0] }
      return found.count == indices.count && zip(found, found.dropFirst()).allSatisfy { $0 < $1 }
    }
    let free = steady.joined().sorted()
    for (index, origin) in zip(free, free.compactMap { origins[$0] }.sorted()) {
      origins[index] = origin
    }
    return zip(new, origins).map { interaction, origin in origin.map { old[$0] } ?? interaction }
  }

  private struct Sequence: Hashable {
    let method: String
    let path: String

    init(_ request: Request) {
      method = request.method
      path = request.url.path.canonicalPath
    }
  }

  /// Returns the interaction with no more than a recorder can know of it.
  static func recordable(_ interaction: Interaction, _ volatile: Set<String> = []) -> Interaction {
    var steady = interaction.steady(without: volatile)
    steady.then = nil
    steady.notes = []
    steady.innerNotes = [:]
    steady.editResponse { $0.head.informational = [] }
    return steady
  }
}
