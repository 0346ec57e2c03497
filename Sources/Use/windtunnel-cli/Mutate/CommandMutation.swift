/// Mutants for a command without support for them.
///
/// The command runs once for each mutant. Mutants of responses that no test uses together share a
/// run.
struct CommandMutation {
  private let order: MutateOrder
  private let log: MutationLogFile
  private let served: ServedCassette
  private let mutants: Mutants
  private let start = ContinuousClock.now
  /// The run without a mutant.
  private let plain: CommandRun
  /// The tests that pass without a mutant.
  private var green: Set<String> = []
  /// The tests that judge the mutants of a recording.
  private var judges: [Int: [String]] = [:]
  private var hangs = HungOperators()

  /// Creates the runs that follow a first one without a mutant.
  init(_ order: MutateOrder, _ log: MutationLogFile, _ served: ServedCassette, _ plain: CommandRun)
  {
    (self.order, self.log, self.served, self.plain) = (order, log, served, plain)
    mutants = Mutants(of: served.interactions, by: order.plan)
  }

  /// Runs the command without a mutant, then with each, and then without one again.
  mutating func run() async throws {
    let count = try log.load().count
    let second = try await run([])
    green = plain.passed.intersection(second.passed)
    let isSteady = second.asked == plain.asked && !green.isEmpty
    if isSteady { try await findJudges() }
    for test in plain.cases.values.sorted(by: { $0.id < $1.id }) where !test.isSkipped {
      try note(test, !green.contains(test.id) ? .red : isSteady ? .green : .unsteady)
    }
    if order.junit != nil, isSteady { try note(.init(id: order.command.name), .green) }
    let results = try log.load().results
    for mutation in MutationOperator.all {
      let mutants = judges.keys.sorted().map { recording in
        self.mutants[recording].filter { mutant in
          mutant.operator == mutation && runs(of: mutant).contains { results[$0] == nil }
        }
      }
      // The first mutant of each recording, then the second of each, and so on.
      for place in 0..<(mutants.map(\.count).max() ?? 0) {
        for group in groups(mutants.compactMap { $0.dropFirst(place).first }) {
          try await attempt(group)
        }
      }
    }
    let last = try await run([])
    if last.isFatal {
      return try log.accuse(log.load().dropFirst(count).unfinished.suffix(1), last.end)
    }
    try log.append(
      log.load().tests.filter { $0.plain == .green && !$0.isPart }
        .map { .after(test: $0.id, isGreen: last.failure(of: tests($0.id)) == nil) }
    )
    Terminal.progress("")
  }

  /// Whether the time budget for mutants is used up.
  private var isOver: Bool { order.plan.budget.map { .now - start > $0 } ?? false }

  private func run(_ mutants: [Mutant]) async throws -> CommandRun {
    served.play(mutants)
    let limit = order.limit(plain.duration, isMutated: !mutants.isEmpty)
    return try await CommandRun(order, served) {
      // Only a cancellation ends the sleep early.
      try await order.run(served) { (try? await Task.sleep(for: limit)) != nil }
    }
  }

  // MARK: - The tests of a recording

  /// Finds the tests of each recording by breaking its connection.
  ///
  /// If no test fails, all tests together count as its test.
  private mutating func findJudges() async throws {
    let resets = Mutants(of: served.interactions, by: MutationPlan(operators: ["reset"]))
    for recording in plain.asked.keys.sorted() where !mutants[recording].isEmpty {
      judges[recording] = [order.command.name]
      let reset = resets[recording]
      guard order.junit != nil, !reset.isEmpty, !isOver else { continue }
      let broken = try await run(reset)
      if broken.isFatal { continue }
      let failed = green.filter { broken.failure(of: [$0]) != nil }.sorted()
      if !failed.isEmpty { judges[recording] = failed }
    }
  }

  /// Returns the tests of a name. The name of the command stands for all of them.
  private func tests(_ name: String) -> Set<String> { name == order.command.name ? green : [name] }

  private func note(_ test: JUnitResults.TestCase, _ state: MutatedTest.Plain) throws {
    let recordings = judges.filter { $0.value.contains(test.id) }.map(\.key).sorted()
    var line = MutatedTest()
    line.isSuite = order.junit != nil && test.id == order.command.name
    if line.isSuite, recordings.isEmpty { return }
    (line.id, line.name, line.file, line.line) = (test.id, test.id, test.file, test.line)
    (line.cassette, line.plain) = (served.path, state)
    (line.duration, line.recordings) = (plain.duration, recordings)
    try log.append([.test(line)])
  }

  // MARK: - The mutants

  /// Returns groups of mutants that no test shares.
  private func groups(_ mutants: [Mutant]) -> [[Mutant]] {
    var groups: [(mutants: [Mutant], tests: Set<String>)] = []
    for mutant in mutants {
      let tests = Set((judges[mutant.recording] ?? []).flatMap { self.tests($0) })
      let place = groups.firstIndex { $0.tests.isDisjoint(with: tests) } ?? groups.count
      if place == groups.count { groups.append(([], [])) }
      groups[place].mutants.append(mutant)
      groups[place].tests.formUnion(tests)
    }
    return groups.map(\.mutants)
  }

  private func runs(of mutant: Mutant) -> [MutantRun] {
    (judges[mutant.recording] ?? []).map { mutant.run(of: $0) }
  }

  /// Runs the command with some mutants.
  ///
  /// Each mutant whose result may be caused by the others runs again alone.
  private mutating func attempt(_ group: [Mutant]) async throws {
    let name = group[0].operator.name
    if isOver || hangs.contains(name) { return }
    let numbers = group.map { "\($0.recording)" }.joined(separator: ", ")
    Terminal.progress("\(name), recording \(numbers)")
    try log.append(group.flatMap { runs(of: $0) }.map { .begin($0) })
    let all = try await run(group)
    let uses = group.map { served.use(of: $0) }
    for (mutant, use) in zip(group, uses) {
      var results = runs(of: mutant).map { result(of: $0, mutant, use, in: all) }
      var end = all.end
      let isShared = group.count > 1 && mutant.operator.expectation == .noticed
      let hasSurvivor = results.contains { if case .survived = $0 { true } else { false } }
      if all.isFatal || isShared && hasSurvivor {
        let alone = try await run([mutant])
        end = alone.end
        results = runs(of: mutant).map { result(of: $0, mutant, served.use(of: mutant), in: alone) }
      }
      if end == .hung { hangs.add(name) }
      try log.append(zip(runs(of: mutant), results).map { .end($0, $1) })
    }
  }

  private func result(
    of run: MutantRun,
    _ mutant: Mutant,
    _ use: MutantUse,
    in all: CommandRun
  ) -> MutantResult {
    if all.end == .hung { return .hung }
    if all.isCrash { return .crashed }
    return use.result(
      failure: all.failure(of: tests(run.test)),
      plainAsked: plain.asked[mutant.recording] ?? 0
    )
  }
}

/// A run of a command with some mutants.
struct CommandRun {
  let end: ClientCommand.Exit
  let duration: Duration
  /// The number of requests for each recording.
  let asked: [Int: Int]
  /// The test cases, or the command as the only one if it writes no JUnit XML.
  let cases: [String: JUnitResults.TestCase]

  /// Runs a command by a function that returns its end.
  init(
    _ order: MutateOrder,
    _ served: ServedCassette?,
    _ run: () async throws -> ClientCommand.Exit
  ) async throws {
    // A file of an earlier run must not be mistaken for this one's.
    if let junit = order.junit, unlink(junit.path) != 0, errno != ENOENT {
      throw FileError.refused(junit)
    }
    let start = ContinuousClock.now
    end = try await run()
    (duration, asked) = (.now - start, served?.asked ?? [:])
    if let junit = order.junit {
      // After a crash the file is missing or incomplete.
      cases = (try? JUnitResults.read(junit)) ?? [:]
    } else {
      let failure = end.complaint.map { MutantResult.killed(by: .error, message: $0) }
      cases = [order.command.name: .init(id: order.command.name, failure: failure)]
    }
  }

  var passed: Set<String> { Set(cases.filter { $1.failure == nil && !$1.isSkipped }.keys) }

  /// Returns the first failure of some tests. A missing test has failed, and a skipped one has not.
  func failure(of tests: Set<String>) -> MutantResult? {
    let failed = tests.filter { cases[$0].map { $0.failure != nil } ?? true }.min()
    return failed.map { cases[$0]?.failure ?? .killed(by: .error, message: "\($0) did not run") }
  }

  /// Whether the command hung or crashed.
  var isFatal: Bool { end == .hung || isCrash }

  /// Whether the command crashed, as its end or the exit code of its shell shows, or wrote no
  /// results.
  var isCrash: Bool {
    switch end {
    case .signalled: true
    // The exit codes of a shell whose command was ended by a signal.
    case .exited(let status): 129...159 ~= status || cases.isEmpty
    case .interrupted, .hung: false
    }
  }
}
