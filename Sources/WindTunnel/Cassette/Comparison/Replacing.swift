/// Recording anew onto a cassette that several share: each recording takes the place of what would
/// have been played for its request, and what was not asked for stays.
///
/// An interaction that differs from the one in its place in volatile parts alone is the old one, to
/// the letter. One that has no place of its own stands behind the one that was asked for before it.
struct Replacing {
  /// What recordings are played by.
  let matcher: Matcher
  /// What is played when the recordings of a request are used up.
  let then: EndPolicy
  /// Whether what was asked for is to stand in the order in which it was, in the places that it has.
  let keepsOrder: Bool
  /// What new recordings bear as their day; `nil`: they bear none.
  let day: String?

  /// The cassette's interactions with what was recorded anew, which comes in the order of the requests.
  func callAsFunction(_ new: [Interaction], in old: [Interaction]) -> [Interaction] {
    var ordinals = AlignedOrdinals()
    let places = places(of: new, in: old)
    for (interaction, place) in zip(new, places) {
      if let place { ordinals.align(interaction, with: old[place]) }
    }
    let new = new.map(ordinals.renumbered)

    var claims: [Int: Int] = [:]
    var steps: [Step] = []
    for (index, place) in places.enumerated() {
      guard let place else {
        steps.append(Step(place: nil, interaction: dated(new[index])))
        continue
      }
      if let first = claims[place] {
        // Played once more, and once more the same: nothing to add.
        if Self.agree(new[index], new[first]) { continue }
        steps.append(Step(place: nil, interaction: dated(new[index])))
        continue
      }
      claims[place] = index
      let kept = Self.agree(new[index], old[place]) ? old[place] : new[index]
      steps.append(Step(place: place, interaction: dated(kept)))
    }
    return assembled(keepsOrder ? inOrder(steps) : steps, old)
  }

  /// One interaction, and the place that it takes.
  private struct Step {
    var place: Int?
    var interaction: Interaction
  }

  /// Where the cassette would have answered each from, asked in this order.
  private func places(of new: [Interaction], in old: [Interaction]) -> [Int?] {
    let deck = Deck(Cassette(old), matcher: matcher, then: then)
    return new.map { interaction in
      let outcome = deck.decide(interaction.request)
      deck.finished(outcome)
      guard case .recording(_, let place) = outcome.source else { return nil }
      return place
    }
  }

  private static func agree(_ one: Interaction, _ other: Interaction) -> Bool {
    Rerecording.recordable(one) == Rerecording.recordable(other)
  }

  private func dated(_ interaction: Interaction) -> Interaction {
    guard let day else { return interaction }
    var dated = interaction
    dated.recordedAt = day
    return dated
  }

  /// The same places, taken in their own order.
  private func inOrder(_ steps: [Step]) -> [Step] {
    var places = steps.compactMap(\.place).sorted()[...]
    return steps.map { step in
      var step = step
      if step.place != nil { step.place = places.popFirst() }
      return step
    }
  }

  private func assembled(_ steps: [Step], _ old: [Interaction]) -> [Interaction] {
    var replaced = old
    /// By the place that they stand behind; -1 for those in front of everything that has one.
    var added: [Int: [Interaction]] = [:]
    var last = -1
    for step in steps {
      if let place = step.place {
        replaced[place] = step.interaction
        last = place
      } else {
        added[last, default: []].append(step.interaction)
      }
    }
    let first = steps.lazy.compactMap(\.place).first ?? old.endIndex
    var result: [Interaction] = []
    for (place, interaction) in replaced.enumerated() {
      if place == first { result += added[-1] ?? [] }
      result.append(interaction)
      result += added[place] ?? []
    }
    if first == old.endIndex { result += added[-1] ?? [] }
    return result
  }
}
