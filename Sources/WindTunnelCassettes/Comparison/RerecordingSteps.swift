/// What becomes of each interaction that was recorded anew, in the order of the requests.
struct RerecordingSteps {
  private enum Way {
    /// It takes a place.
    case takes(Int)
    /// It is there already, in a place that was recorded in this run.
    case isThere(Int)
    /// It stands in front of what next takes a place of its group, else behind the group.
    case further
    /// It stands behind its group.
    case beyond
  }

  private struct Step {
    var way: Way
    let group: Int
    var interaction: Interaction

    var place: Int? { if case .takes(let place) = way { place } else { nil } }
  }

  private let old: [Interaction]
  private let places: ReplacedPlaces
  private var steps: [Step] = []
  /// How many requests each group has had.
  private var asked: [Int: Int] = [:]
  /// What each group was asked for last.
  private var latest: [Int: Interaction] = [:]
  /// The groups with more than they had.
  private var grown: Set<Int> = []
  /// What stands in places by now.
  private var standing: [Int: Interaction] = [:]

  init(_ old: [Interaction], _ places: ReplacedPlaces) { (self.old, self.places) = (old, places) }

  mutating func add(_ new: Interaction, _ target: ReplacedPlaces.Target, group: Int) {
    defer {
      asked[group, default: 0] += 1
      latest[group] = new
    }
    switch target {
    case .place(let place):
      let agrees = Self.agree(new, old[place])
      standing[place] = new
      if !places.written.contains(place) {
        let interaction = agrees ? old[place] : new.carrying(old[place])
        steps.append(Step(way: .takes(place), group: group, interaction: interaction))
      } else if agrees, !grown.contains(group) {
        steps.append(Step(way: .isThere(place), group: group, interaction: new))
      } else {
        grow(by: new, .further, group)
      }
    case .further: grow(by: new, .further, group)
    case .beyond: if !isPlayedAgain(new, group) { grow(by: new, .beyond, group) }
    }
  }

  private mutating func grow(by new: Interaction, _ way: Way, _ group: Int) {
    steps.append(Step(way: way, group: group, interaction: new))
    grown.insert(group)
  }

  /// Whether it would be played without being there once more.
  private func isPlayedAgain(_ new: Interaction, _ group: Int) -> Bool {
    let all = places.groups[group].places
    switch places.end(of: group) {
    case .fail: return false
    case .repeat: return latest[group].map { Self.agree(new, $0) } ?? false
    case .cycle:
      guard !grown.contains(group), let count = asked[group], !all.isEmpty else { return false }
      return standing[all[count % all.count]].map { Self.agree(new, $0) } ?? false
    }
  }

  private static func agree(_ one: Interaction, _ other: Interaction) -> Bool {
    Rerecording.recordable(one) == Rerecording.recordable(other)
  }

  /// The same places, taken in their own order.
  mutating func putInOrder() {
    var places = steps.compactMap(\.place).sorted()[...]
    for index in steps.indices where steps[index].place != nil {
      if let place = places.popFirst() { steps[index].way = .takes(place) }
    }
  }

  /// The cassette, and what of it was recorded in this run.
  func assembled(day: String?) -> (interactions: [Interaction], recorded: [Interaction]) {
    func dated(_ interaction: Interaction) -> Interaction {
      guard let day else { return interaction }
      var dated = interaction
      dated.recordedAt = day
      return dated
    }
    var (taken, added) = ([Int: Interaction](), [Int: [Interaction]]())
    let gaps = gaps()
    var ended: Set<Int> = []
    for (step, gap) in zip(steps, gaps).reversed() {
      switch step.way {
      case .takes(let place): taken[place] = dated(step.interaction)
      case .isThere: break
      case .further, .beyond:
        var interaction = dated(step.interaction)
        // What ends the recordings of a request is said by the last of them.
        if let last = places.groups[step.group].places.last, gap > 2 * last,
          ended.insert(step.group).inserted
        {
          interaction.then = interaction.then ?? old[last].then
        }
        added[gap, default: []].append(interaction)
      }
    }
    var (interactions, recorded) = ([Interaction](), [Interaction]())
    for gap in 0...2 * old.count {
      let new = added[gap]?.reversed() ?? []
      interactions += new
      recorded += new
      // Behind an even gap stands a place.
      guard gap.isMultiple(of: 2), gap / 2 < old.count else { continue }
      let interaction = taken[gap / 2] ?? old[gap / 2]
      interactions.append(interaction)
      if taken[gap / 2] != nil || places.written.contains(gap / 2) { recorded.append(interaction) }
    }
    return (interactions, recorded)
  }

  /// Where each step stands: `2 * place` in front of a place, one more behind it.
  private func gaps() -> [Int] {
    // Behind all of a group, where that was played and where it stands now.
    var ends: [Int: Int] = [:]
    for (group, known) in places.groups.enumerated() {
      if let last = known.places.last { ends[group] = behind(last) }
    }
    for step in steps {
      if let place = step.place { ends[step.group] = max(ends[step.group] ?? 0, 2 * place + 1) }
    }
    // In front of what those stand that are followed by one with a place.
    var next: [Int: Int] = [:]
    var fronts: [Int?] = []
    for step in steps.reversed() {
      if let place = step.place { next[step.group] = 2 * place }
      if case .further = step.way { fronts.append(next[step.group]) } else { fronts.append(nil) }
    }
    fronts.reverse()
    let first = steps.lazy.compactMap { step -> Int? in
      switch step.way {
      case .takes(let place), .isThere(let place): 2 * place
      case .further, .beyond: nil
      }
    }.first
    var here: Int?
    return zip(steps, fronts).map { step, front in
      switch step.way {
      case .takes(let place), .isThere(let place):
        here = behind(place)
        return behind(place)
      case .further, .beyond:
        if let front {
          here = front
          return front
        }
        let end = ends[step.group]
        let gap = max(here ?? (end == nil ? first ?? 2 * old.count : 0), end ?? 0)
        here = gap
        ends[step.group] = gap
        return gap
      }
    }
  }

  /// Behind a place, and behind what was recorded in this run with it.
  private func behind(_ place: Int) -> Int {
    var last = place
    while places.written.contains(last), places.written.contains(last + 1) { last += 1 }
    return 2 * last + 1
  }
}

extension Interaction {
  /// The interaction with what was written by hand beside the one whose place it takes.
  fileprivate func carrying(_ old: Interaction) -> Interaction {
    var copy = self
    copy.then = then ?? old.then
    if notes.isEmpty { copy.notes = old.notes }
    copy.innerNotes = innerNotes.merging(old.innerNotes) { own, _ in own }
    return copy
  }
}
