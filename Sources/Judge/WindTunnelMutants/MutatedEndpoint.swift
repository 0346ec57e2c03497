/// The parts of an endpoint's responses that a suite of tests checks.
package struct MutatedEndpoint: Sendable {
  /// The verdict on one level, with its sign in a table.
  package enum Column: String, Sendable {
    /// A test failed under every operator of the level.
    case noticed = "✓"
    /// At least one operator is a blind spot.
    case blind = "✗"
    /// An operator was not noticed, but a rule or an accepted entry excuses it.
    case excused = "~"
    /// No operator was tried, or none had room.
    case untried = "–"
  }

  /// A reason why a recording's survivors are no blind spots, in the words before the endpoint.
  package enum Excuse: String, Sendable, CaseIterable {
    case unawaited = "no test waits for"
    case fallback = "a fallback hides errors of"
    case uncheckedStatus = "the status alone is not checked at"
  }

  /// The levels that have a column.
  package static let levels = MutationOperator.Level.allCases.filter { $0 != .none }

  /// The method and the folded path, such as `GET /users/{id}`.
  package let name: String
  package let outcomes: [MutantOutcome]
  /// The outcomes of operators that a test has to notice, and that a test met.
  let decided: [MutantOutcome]
  /// The operators that no test noticed and no rule excuses, without the accepted ones.
  package let blindSpots: Set<MutationOperator>
  /// The operators under which a test hung, without the accepted ones.
  package let hangs: Set<MutationOperator>
  /// The operators of both kinds that an entry of the accept file covers.
  package let accepted: Set<MutationOperator>
  package let excuses: Set<Excuse>
  /// A digest of each recording that the tests use.
  package let digests: [String]
  /// The identities of the tests that use it.
  package let tests: [String]

  /// Judges the outcomes of an endpoint.
  ///
  /// An operator is a blind spot if no recording of the endpoint was noticed under it and at least
  /// one survivor has no excuse.
  init(_ name: String, _ outcomes: [MutantOutcome], accepted entries: AcceptedSurvivors) {
    (self.name, self.outcomes) = (name, outcomes)
    let recordings = outcomes.grouped(by: \.recording).map { $0.all[0].interaction }
    digests = recordings.map { interaction in
      String(SHA256.hexadecimal(Cassette([interaction]).data()).prefix(12))
    }.sorted()
    tests = Set(outcomes.flatMap(\.runs).map(\.test.identity)).sorted()
    let expected = outcomes.filter { $0.expectation == .noticed }
    decided = expected.filter { $0.verdict != .undecided }
    var (accused, excuses) = (Set<MutationOperator>(), Set<Excuse>())
    for (_, all) in expected.grouped(by: \.recording) {
      accused.formUnion(Self.survivors(of: all, &excuses))
    }
    self.excuses = excuses
    accused.subtract(decided.filter { $0.verdict == .noticed }.map(\.mutant.operator))
    let valid = entries.all.filter { [digests, tests] entry in
      // A new recording or test may make the reason wrong.
      entry.endpoint == name && Set(digests).isSubset(of: entry.recordings)
        && Set(tests).isSubset(of: entry.tests)
    }
    let hung = Set(outcomes.filter(\.hasHung).map(\.mutant.operator))
    // A column does not cover hangs, because its other faults are not tried for hangs again.
    let named = hung.filter { fault in valid.contains { $0.faults.contains(fault.name) } }
    accepted = named.union(accused.filter { fault in valid.contains { $0.covers(fault) } })
    (blindSpots, hangs) = (accused.subtracting(accepted), hung.subtracting(accepted))
  }

  /// The faults to accept.
  var faults: Set<MutationOperator> { blindSpots.union(hangs) }

  package func column(_ level: MutationOperator.Level) -> Column {
    let all = decided.filter { $0.mutant.operator.level == level }.grouped(by: \.mutant.operator)
    if all.contains(where: { blindSpots.contains($0.key) }) { return .blind }
    let isNoticed = all.allSatisfy { $0.all.contains { $0.verdict == .noticed } }
    return all.isEmpty ? .untried : isNoticed ? .noticed : .excused
  }

  /// Returns the operators that a recording survives without an excuse.
  private static func survivors(
    of outcomes: [MutantOutcome],
    _ excuses: inout Set<Excuse>
  ) -> Set<MutationOperator> {
    var survivors = Set(outcomes.filter { $0.verdict == .survived }.map(\.mutant.operator))
    let noticed = Set(outcomes.filter { $0.verdict == .noticed }.map(\.mutant.operator.name))
    let errors = survivors.filter { $0.level <= .status }
    // An empty list has no values to change, and another body has some.
    let hasValues = outcomes.contains { $0.mutant.operator.name == "values" }
    var deciding = [hasValues ? "values" : "other-body"]
    if let write = outcomes.first?.interaction.request, !["GET", "HEAD"].contains(write.method) {
      if noticed.isEmpty, errors.contains(where: { $0.level == .answer }) {
        excuses.insert(.unawaited)
        return []
      }
      // The body of a response to a write is rarely used.
      survivors = errors
      deciding.append("reset")
    }
    // An untried operator may excuse the others.
    if outcomes.contains(where: { deciding.contains($0.mutant.operator.name) && $0.isOpen }) {
      return []
    }
    if noticed.contains(deciding[0]), !errors.isEmpty {
      // A server seldom sends an error over a good body, and another body is noticed.
      let isStatusAlone = errors.allSatisfy { $0.name == "status-only" }
      excuses.insert(isStatusAlone ? .uncheckedStatus : .fallback)
      if !isStatusAlone { return [] }
      survivors.subtract(errors)
    }
    // A list that is a small part of the body is often not used. If changed values are noticed,
    // the other body happens to have the same ones.
    let hasLists = outcomes.first?.interaction.isMostlyLists ?? false
    let ignoresValues = survivors.contains { $0.name == "values" }
    return survivors.filter {
      $0.name == "lists-empty" ? hasLists : $0.name == "other-body" ? ignoresValues : true
    }
  }
}

extension MutatedTest {
  /// The identifier without secrets, and without its line, which other changes move.
  ///
  /// The identifier of a part contains folders of this machine, so its name is used.
  package var identity: String {
    (isPart ? name : id.replacing(/\.swift:\d+:\d+/, with: ".swift", maxReplacements: 1))
      .withoutSecrets
  }
}

extension Interaction {
  /// Whether lists are more than half of the response's JSON body.
  fileprivate var isMostlyLists: Bool {
    guard let body = response?.content, let json = JSONText(Bytes(body)) else { return false }
    let lists = EmptiedJSON.lists(in: json.whole, of: json)
    return lists.reduce(0) { $0 + $1.range.count } * 2 > json.whole.range.count
  }
}
