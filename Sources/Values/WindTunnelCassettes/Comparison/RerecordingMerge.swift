/// The merge of new recordings into a cassette shared by several tests.
///
/// Each recording replaces the interaction that would have been played for its request.
/// Interactions without a new request are kept.
///
/// - A recording that differs from the replaced one only in volatile parts leaves it unchanged. A
///   replaced interaction's handwritten parts (`then`, notes, `critical` …) are kept.
/// - A position that was recorded in the same run is not replaced again: an equal recording adds
///   nothing, and a different one is inserted after it.
/// - A pattern is never replaced, nor is a different request that the matcher treats as equal.
/// - A recording without a position is inserted after the previously requested interaction, and
///   after all recordings for its request.
package struct RerecordingMerge {
  /// The rule that distinguishes requests.
  private let rule: ReplacedPlaces.Rule
  /// Whether the positions are reassigned in the order of the requests.
  private let keepsOrder: Bool
  /// The date of new recordings; `nil` for no date.
  private let day: String?

  package init(rule: ReplacedPlaces.Rule, keepsOrder: Bool = false, day: String? = nil) {
    (self.rule, self.keepsOrder, self.day) = (rule, keepsOrder, day)
  }

  /// Returns the cassette's interactions merged with new recordings, which are in the order of
  /// their requests.
  ///
  /// Interactions that were recorded in this run do not count as old.
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

/// The recordings that one run has added to a cassette.
///
/// Tests that share a cassette write to it one after the other. The recordings of one test are not
/// old recordings for the next.
package struct RunRecordings: Sendable {
  /// The number of occurrences of each interaction, reduced to the parts that a recorder can
  /// produce.
  private var counts: [Interaction: Int] = [:]

  /// Creates an empty set of recordings.
  package init() {}

  /// Returns the positions of these recordings on a cassette.
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

/// The action for each new recording, in the order of the requests.
private struct RerecordingSteps {
  private enum Way {
    /// Replaces the interaction at a position.
    case takes(Int)
    /// Already at a position that was recorded in this run.
    case isThere(Int)
    /// Inserted before the next interaction of its group with a position, or else after the group.
    case further
    /// Inserted after its group.
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
  /// The number of requests to each group.
  private var asked: [Int: Int] = [:]
  /// The last recording of each group.
  private var latest: [Int: Interaction] = [:]
  /// The groups with added interactions.
  private var grown: Set<Int> = []
  /// The new interactions by position.
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
        let interaction = agrees ? old[place].preceded(as: new) : new.carrying(old[place])
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

  /// Whether the cassette would already play this recording without another copy.
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

  /// Assigns the same positions in ascending order.
  mutating func putInOrder() {
    var places = steps.compactMap(\.place).sorted()[...]
    for index in steps.indices where steps[index].place != nil {
      if let place = places.popFirst() { steps[index].way = .takes(place) }
    }
  }

  /// Returns the merged cassette, and its interactions that were recorded in this run.
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
        // The policy after the last recording belongs to the last recording.
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
      // An even gap precedes a position.
      guard gap.isMultiple(of: 2), gap / 2 < old.count else { continue }
      let interaction = taken[gap / 2] ?? old[gap / 2]
      interactions.append(interaction)
      if taken[gap / 2] != nil || places.written.contains(gap / 2) { recorded.append(interaction) }
    }
    return (interactions, recorded)
  }

  /// Returns the gap of each step: `2 * place` is before a position, and one more is after it.
  private func gaps() -> [Int] {
    // For each group, the gap after its last recording at the old and at the new positions.
    var ends: [Int: Int] = [:]
    for (group, known) in places.groups.enumerated() {
      if let last = known.places.last { ends[group] = behind(last) }
    }
    for step in steps {
      if let place = step.place { ends[step.group] = max(ends[step.group] ?? 0, 2 * place + 1) }
    }
    // For each inserted step, the gap before the next step of its group with a position.
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

  /// Returns the gap after a position and after the directly following positions of this run.
  private func behind(_ place: Int) -> Int {
    var last = place
    while places.written.contains(last), places.written.contains(last + 1) { last += 1 }
    return 2 * last + 1
  }
}

extension Interaction {
  /// Returns the interaction with the handwritten parts of the replaced one.
  fileprivate func carrying(_ old: Interaction) -> Interaction {
    var copy = self
    copy.then = then ?? old.then
    if notes.isEmpty { copy.notes = old.notes.filter { $0 != Interaction.incomplete } }
    copy.innerNotes = innerNotes.merging(old.innerNotes) { own, _ in own }
    let isPreceded = response?.head.informational.isEmpty == false
    return isPreceded ? copy : copy.preceded(as: old)
  }
}

/// The mapping of a new recording's placeholders to the old ones with the same values.
///
/// A recording numbers its secrets independently, after those on the cassette. Parts that equal the
/// cassette must have the same ordinals.
private struct AlignedOrdinals {
  private var numbers: [Pseudonym: Int] = [:]
  private var taken: Set<Pseudonym> = []

  /// Compares an interaction with the replaced one. If they contain the same names in the same
  /// order, the secrets are the same.
  mutating func align(_ new: Interaction, with old: Interaction) {
    let here = Rerecording.recordable(new).orderedPseudonyms
    let there = Rerecording.recordable(old).orderedPseudonyms
    guard here.map(\.name) == there.map(\.name) else { return }
    for (own, known) in zip(here, there) where numbers[own] == nil {
      guard taken.insert(known).inserted else { continue }
      numbers[own] = known.ordinal
    }
  }

  /// Returns the interaction with all ordinals that are known so far.
  func renumbered(_ interaction: Interaction) -> Interaction {
    numbers.isEmpty ? interaction : interaction.renumbered { numbers[$0] ?? $0.ordinal }
  }
}
