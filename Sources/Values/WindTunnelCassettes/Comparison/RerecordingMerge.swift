/// Recording anew onto a cassette that several share: each recording takes the place of what would
/// have been played for its request, and what was not asked for stays.
///
/// - An interaction that differs from the one in its place in volatile parts alone is the old one,
///   to the letter. What stands beside another by hand (`then`, notes, `critical` …) stays there.
/// - A place that was recorded in the same run is nobody else's: who says the same adds nothing,
///   and who says otherwise stands behind.
/// - Nothing takes the place of a pattern, or of a request for something else that the matcher
///   takes for the same.
/// - One that has no place of its own stands behind the one that was asked for before it, and
///   behind all that is played for its request.
package struct RerecordingMerge {
  /// The rule that requests are told apart by.
  private let rule: ReplacedPlaces.Rule
  /// Tells whether what was asked for is to stand in the order in which it was, in the places that
  /// it has.
  private let keepsOrder: Bool
  /// The day that new recordings bear; `nil`: they bear none.
  private let day: String?

  package init(rule: ReplacedPlaces.Rule, keepsOrder: Bool = false, day: String? = nil) {
    (self.rule, self.keepsOrder, self.day) = (rule, keepsOrder, day)
  }

  /// Returns the cassette's interactions with what was recorded anew, which comes in the order of
  /// the requests. What was recorded in this run is no old recording.
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

/// The recordings that one run has made onto a cassette. Tests that share a cassette write onto it
/// one after the other: what one of them has written is no old recording for the next.
package struct RunRecordings: Sendable {
  /// The number of times that each stands there, by what a recorder can know of it.
  private var counts: [Interaction: Int] = [:]

  /// Begins without any recordings.
  package init() {}

  /// Returns the places on a cassette where they stand.
  fileprivate func places(in interactions: [Interaction]) -> Set<Int> {
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

/// The fate of each interaction that was recorded anew, in the order of the requests.
private struct RerecordingSteps {
  private enum Way {
    /// The interaction takes a place.
    case takes(Int)
    /// The interaction is there already, in a place that was recorded in this run.
    case isThere(Int)
    /// The interaction stands in front of the next one of its group that takes a place, else behind
    /// the group.
    case further
    /// The interaction stands behind its group.
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
  /// The number of requests that each group has had.
  private var asked: [Int: Int] = [:]
  /// The last thing that each group was asked for.
  private var latest: [Int: Interaction] = [:]
  /// The groups with more than they had.
  private var grown: Set<Int> = []
  /// The interactions that stand in places by now.
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

  /// Tells whether it would be played without being there once more.
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

  /// Returns the cassette, and what of it was recorded in this run.
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

  /// Returns the gap that each step stands in: `2 * place` in front of a place, one more behind it.
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
  /// Returns the interaction with what was written by hand beside the one whose place it takes.
  fileprivate func carrying(_ old: Interaction) -> Interaction {
    var copy = self
    copy.then = then ?? old.then
    if notes.isEmpty { copy.notes = old.notes.filter { $0 != Interaction.incomplete } }
    copy.innerNotes = innerNotes.merging(old.innerNotes) { own, _ in own }
    copy.editResponse { $0.head.informational = old.response?.head.informational ?? [] }
    return copy
  }
}

/// The mapping of a new recording's placeholders to those of the old one for the same values.
///
/// A recording counts its secrets by itself, behind those that stand on the cassette. Where it says
/// what the cassette says already, it is to say it by the same ordinals.
private struct AlignedOrdinals {
  private var numbers: [Pseudonym: Int] = [:]
  private var taken: Set<Pseudonym> = []

  /// Compares an interaction with the one whose place it takes: if they have the same names in the
  /// same order, these are the same secrets.
  mutating func align(_ new: Interaction, with old: Interaction) {
    let here = Rerecording.recordable(new).orderedPseudonyms
    let there = Rerecording.recordable(old).orderedPseudonyms
    guard here.map(\.name) == there.map(\.name) else { return }
    for (own, known) in zip(here, there) where numbers[own] == nil {
      guard taken.insert(known).inserted else { continue }
      numbers[own] = known.ordinal
    }
  }

  /// Returns the interaction with the ordinals that are known by now.
  func renumbered(_ interaction: Interaction) -> Interaction {
    numbers.isEmpty ? interaction : interaction.renumbered { numbers[$0] ?? $0.ordinal }
  }
}
