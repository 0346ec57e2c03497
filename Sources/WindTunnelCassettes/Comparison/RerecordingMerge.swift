/// Recording anew onto a cassette that several share: each recording takes the place of what would
/// have been played for its request, and what was not asked for stays.
///
/// - An interaction that differs from the one in its place in volatile parts alone is the old one, to
///   the letter. What stands beside another by hand (`then`, notes) stays there.
/// - A place that was recorded in the same run is nobody else's: who says the same adds nothing, and
///   who says otherwise stands behind.
/// - Nothing takes the place of a pattern, or of a request for something else that the matcher takes
///   for the same.
/// - One that has no place of its own stands behind the one that was asked for before it, and behind
///   all that is played for its request.
package struct RerecordingMerge {
  /// What requests are told apart by.
  package let rule: ReplacedPlaces.Rule
  /// Whether what was asked for is to stand in the order in which it was, in the places that it has.
  package var keepsOrder = false
  /// What new recordings bear as their day; `nil`: they bear none.
  package var day: String?

  package init(rule: ReplacedPlaces.Rule, keepsOrder: Bool = false, day: String? = nil) {
    (self.rule, self.keepsOrder, self.day) = (rule, keepsOrder, day)
  }

  /// The cassette's interactions with what was recorded anew, which comes in the order of the requests.
  /// What was recorded in this run is no old recording.
  package func callAsFunction(
    _ new: [Interaction],
    in old: [Interaction],
    beside run: inout RunRecordings
  ) -> [Interaction] {
    var places = ReplacedPlaces(of: old, written: run.places(in: old), by: rule)
    let found = new.map { places.find($0) }
    var ordinals = AlignedOrdinals()
    for (interaction, found) in zip(new, found) {
      switch found.target {
      case .place(let place): ordinals.align(interaction, with: old[place])
      case .beyond where places.end(of: found.group) == .repeat:
        guard let last = places.groups[found.group].places.last else { break }
        ordinals.align(interaction, with: old[last])
      case .beyond, .further: break
      }
    }
    var steps = RerecordingSteps(old, places)
    for (interaction, found) in zip(new, found) {
      steps.add(ordinals.renumbered(interaction), found.target, group: found.group)
    }
    if keepsOrder { steps.putInOrder() }
    let (interactions, recorded) = steps.assembled(day: day)
    run = RunRecordings()
    run.add(recorded)
    return interactions
  }
}
