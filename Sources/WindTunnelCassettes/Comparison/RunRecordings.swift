/// The recordings that one run has made onto a cassette. Tests that share a cassette write onto it one
/// after the other: what one of them has written is no old recording for the next.
package struct RunRecordings: Sendable {
  /// The number of times that each stands there, by what a recorder can know of it.
  private var counts: [Interaction: Int] = [:]

  /// Begins with nothing.
  package init() {}

  /// Returns the places on a cassette where they stand.
  func places(in interactions: [Interaction]) -> Set<Int> {
    guard !counts.isEmpty else { return [] }
    var left = counts
    var places: Set<Int> = []
    for (place, interaction) in interactions.enumerated() {
      let known = Rerecording.recordable(interaction)
      guard let count = left[known], count > 0 else { continue }
      left[known] = count - 1
      places.insert(place)
    }
    return places
  }

  package mutating func add(_ interactions: [Interaction]) {
    for interaction in interactions { counts[Rerecording.recordable(interaction), default: 0] += 1 }
  }
}
