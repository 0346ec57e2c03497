/// Mutants for parts of tests that run once in a process (`withCassette` and `withDeck`).
///
/// The command runs once for each mutant of a part; different parts share a run. A mutant survives
/// only if the whole command succeeds.
struct PartMutation {
  private let suite: LoggedSuite
  /// The start of the budget.
  private let start: ContinuousClock.Instant
  /// The parts that run the same way twice, by their identifiers.
  private var parts: [String: MutatedTest] = [:]
  private var duration: Duration
  private var order: MutateOrder
  private var hangs = HungOperators()

  init(_ suite: LoggedSuite, since start: ContinuousClock.Instant, _ duration: Duration) {
    (self.suite, self.start, self.duration, order) = (suite, start, duration, suite.order)
  }

  /// Returns the program that played all parts, if it runs in this folder.
  ///
  /// It starts sooner than the command, which may build it. If the parts had several programs, the
  /// result is `nil`.
  private func program() throws -> ClientCommand? {
    let names = try FileManager.default.contentsOfDirectory(atPath: suite.folder.path)
      .filter { $0.hasPrefix("program-") }
    guard names.count == 1 else { return nil }
    let file = suite.folder.appending(path: names[0])
    let json = try JSON(parsing: Data(contentsOf: file), source: file.relativePath)
    let words = json.elements.compactMap(\.stringValue)
    let folder = ToolEnvironment.current.folder?.path ?? FileManager.default.currentDirectoryPath
    // The command builds a program that was removed.
    return words.first == folder ? try? ClientCommand(Array(words.dropFirst())) : nil
  }

  /// A run of the command: its log, and the functions of XCTest that ended and failed.
  private typealias Run = (
    command: CommandRun, log: MutationLog, ends: [Substring: Int], failed: Set<Substring>
  )

  /// Runs the command once more without mutants, with each of them, and without them again.
  mutating func run() async throws {
    let known = try suite.log.load().tests.filter(\.isPart)
    if known.isEmpty { return }
    // A script may set variables, or check more than its program does.
    if order.isSwiftTest, let program = try program() { order.start(program) }
    var plain = try await play([])
    if plain.command.end != .exited(0), order.isSwiftTest != suite.order.isSwiftTest {
      order = suite.order
      plain = try await play([])
    }
    duration = plain.command.duration
    for var part in known {
      let isSame = plain.log.tests.first { $0.id == part.id }?.recordings == part.recordings
      part.plain = plain.command.end != .exited(0) ? .red : isSame ? .green : .unsteady
      parts[part.id] = part.plain == .green ? part : nil
      try suite.log.append([.test(part)])
    }
    if parts.isEmpty { return }
    try await mutate()
    let isGreen = try await play([]).command.end == .exited(0)
    try suite.log.append(parts.keys.sorted().map { .after(test: $0, isGreen: isGreen) })
    Terminal.progress("")
  }

  private mutating func mutate() async throws {
    let results = try suite.log.load().results
    let mutants = try parts.values.sorted { $0.id < $1.id }.map { part in
      let interactions = try CassetteFile.read(part.cassette).interactions
      let mutants = Mutants(of: interactions, by: order.plan)
      return Set(part.recordings).sorted().flatMap { mutants[$0] }.map { $0.run(of: part.id) }
        .filter { results[$0] == nil }
    }
    for mutation in MutationOperator.all {
      let runs = mutants.map { $0.filter { $0.mutant == mutation.name } }
      // The first mutant of each part, then the second of each, and so on.
      for place in 0..<(runs.map(\.count).max() ?? 0) {
        try await attempt(runs.compactMap { $0.dropFirst(place).first })
      }
    }
  }

  /// Runs the command with mutants of different parts.
  ///
  /// Mutants without a certain result run again in smaller groups.
  private mutating func attempt(_ group: [MutantRun]) async throws {
    guard let name = group.first?.mutant, !hangs.contains(name) else { return }
    if let budget = order.plan.budget, .now - start > budget { return }
    Terminal.progress("\(name), parts: \(group.count)")
    var all = try await play(group)
    let isLost = all.command.end != .exited(0) && all.log.results[group[0]] == nil
    if group.count == 1, isLost || all.command.isFatal { all = try await play(group) }
    if group.count == 1, all.command.isFatal {
      if all.command.end == .hung { hangs.add(name) }
      return try suite.log.accuse(group, all.command.end)
    }
    let open = try group.filter { run in
      guard !all.command.isFatal, let result = result(of: run, among: group, all) else {
        return true
      }
      try suite.log.append([.end(run, result)])
      return false
    }
    if open.count < group.count { return try await attempt(open) }
    try await attempt(Array(open.prefix(open.count / 2)))
    try await attempt(Array(open.dropFirst(open.count / 2)))
  }

  /// Returns the result of a mutant; `nil` if another one of its group may be the reason.
  private func result(of run: MutantRun, among group: [MutantRun], _ all: Run) -> MutantResult? {
    func function(_ run: MutantRun) -> Substring {
      (parts[run.test]?.name.split(separator: ".").last ?? "").prefix { $0 != "(" }
    }
    let (isGreen, name, names) = (all.command.end == .exited(0), function(run), group.map(function))
    // A part may be played by a helper of any test.
    let hasFailed =
      all.failed.contains(name) && names.count { $0 == name } == 1
      && names.allSatisfy { all.ends[$0] == 1 }
    let plainAsked = parts[run.test]?.recordings.count { $0 == run.recording } ?? 0
    switch all.log.results[run] {
    case .noRoom(let reason): return .noRoom(reason: reason)
    case .survived(let asked, _) where isGreen:
      return .survived(asked: asked, plainAsked: plainAsked)
    // The test has caught the error of the part.
    case .killed where isGreen: return .survived(asked: plainAsked, plainAsked: plainAsked)
    case let result where !isGreen && group.count > 1 && (result == nil || !hasFailed): return nil
    case .killed(let killer, let message): return .killed(by: killer, message: message)
    case .survived: return .killed(by: .assertion, message: "\(name) failed")
    case nil where !isGreen: return .crashed
    case .notReached, .crashed, .hung, nil: return .notReached
    }
  }

  /// Runs the command once with mutants, and a log of its own.
  private func play(_ runs: [MutantRun]) async throws -> Run {
    var plan = order.plan
    plan.isOfParts = true
    let own = MutationLogFile(at: suite.folder.appending(path: "parts.jsonl"))
    let lines = ([.plan(plan)] + runs.map { MutationEvent.begin($0) }).map { "\($0.line)\n" }
    try FileError.writing(Data(lines.joined().utf8), to: own.file)
    // `--timeout` does not end a program that needs longer without mutants.
    let limit = max(order.limit(duration, isMutated: !runs.isEmpty), duration * 2)
    let output = try CommandOutput()
    let served = suite.served
    served?.play([])
    let variables = suite.variables(own)
    let command = try await CommandRun(order, served) { [order] in
      try await order.run(served, variables, adding: ["--skip-build"], into: output) {
        // Only a cancellation ends the sleep early.
        (try? await Task.sleep(for: limit)) != nil
      }
    }
    let (texts, isCut) = try output.texts(isShown: false)
    let cases = texts.joined().matches(of: /Test Case '[^']*?(\w+)\]?' (passed|failed)/)
    let ends = isCut ? [:] : Dictionary(grouping: cases, by: \.1).mapValues(\.count)
    let failed = Set(cases.filter { $0.2 == "failed" }.map(\.1))
    return (command, MutationLog(try own.load()), ends, failed)
  }
}
