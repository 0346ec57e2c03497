/// Tests that run their mutants themselves and write the log: Swift tests with cassettes, and
/// pytest.
struct LoggedSuite {
  let order: MutateOrder
  let log: MutationLogFile
  /// The folder of the plug-in's task.
  let folder: URL
  /// The server of the tests; `nil` if they play cassettes themselves.
  let served: ServedCassette?

  /// The maximum number of restarts of the command after a crash.
  private static let restartsMax = 20

  /// Runs the command, and again after each crash or hang without the mutants in progress.
  ///
  /// Then it runs each of these mutants alone.
  ///
  /// - Returns: The end of the first run.
  /// - Throws: `CancellationError` if this process is interrupted.
  func run() async throws -> ClientCommand.Exit {
    let (start, first) = (ContinuousClock.now, try await run(order.plan))
    var (plan, stuck, end) = (order.plan, try log.load().open, first)
    var (known, hangs) = (Set<MutantRun>(), HungOperators())
    for _ in 0..<Self.restartsMax where !stuck.isEmpty {
      for run in stuck where known.insert(run).inserted && end == .hung { hangs.add(run.mutant) }
      let names = order.plan.operators ?? MutationOperator.all.map(\.name)
      plan.operators = names.filter { !hangs.contains($0) }
      if plan.operators == [] { break }
      plan.budget = order.plan.budget.map { max(.zero, $0 - (.now - start)) }
      try log.append([.plan(plan)])
      end = try await run(plan)
      let open = try log.load().open
      if open == stuck { break }
      stuck = open
    }
    plan = order.plan
    plan.budget = nil
    var hung: [String] = []
    for suspect in stuck where hung.count(where: { $0 == suspect.mutant }) < HungOperators.max {
      if try log.load().results[suspect] != nil { continue }
      plan.run = suspect
      try log.append([.plan(plan)])
      if try await run(plan) == .hung { hung.append(suspect.mutant) }
    }
    return first
  }

  /// Runs the command once.
  ///
  /// Mutants whose run ended in a crash or a hang, and that are not repeated, get their results
  /// here.
  private func run(_ plan: MutationPlan) async throws -> ClientCommand.Exit {
    var variables = variables(log)
    let events = try log.load()
    var plugin: PluginLog?
    if let served {
      served.play([])
      let lines = try PluginLog(in: folder)
      let done = events.results.keys + (plan.run == nil ? events.open : [])
      let task = served.task(lines.file, plan, done: done)
      let file = folder.appending(path: "plan.json")
      try FileError.writing(Data(task.bytes()), to: file)
      variables["WINDTUNNEL_MUTATE_PLAN"] = file.path
      variables.merge(try PytestPlugin.install(in: folder)) { $1 }
      plugin = lines
    }
    let words = plan.run == nil ? [] : ["--no-parallel", "--skip-build"]
    let shown = CommandOutput(isShown: true)
    let end = try await order.run(served, variables, adding: words, into: shown) {
      [plugin] in await isStuck(since: events.count, plugin)
    }
    try await plugin?.move(to: log)
    let news = try log.load().dropFirst(events.count)
    // Tests run again one after another, in the order of their last mutants.
    if news.open.isEmpty { try log.accuse(news.unfinished.prefix(1), end) }
    if let run = plan.run, try log.load().results[run] == nil { try log.accuse([run], end) }
    return end
  }

  /// Returns the environment variables by which tests find a log, and the folder for decks.
  func variables(_ log: MutationLogFile) -> [String: String] {
    ["WINDTUNNEL_MUTATE": log.file.path, "WINDTUNNEL_MUTATE_DECKS": folder.path]
  }

  /// Returns `true` if the log does not grow for too long during a mutant, or a test after its
  /// mutants.
  private func isStuck(since first: Int, _ plugin: PluginLog?) async -> Bool {
    var (bytes, since) = (log.bytes, ContinuousClock.now)
    // The time until the log is read; `nil` until it grows.
    var limit: Duration? = order.limit(.zero)
    // Only a cancellation ends the sleep early. An unreadable log is reported at the end.
    while (try? await Task.sleep(for: .milliseconds(100))) != nil {
      // The same error is thrown when the command has ended.
      try? await plugin?.move(to: log)
      if log.bytes != bytes { (bytes, since, limit) = (log.bytes, .now, order.limit(.zero)) }
      guard let quiet = limit, .now - since > quiet, let events = try? log.load() else { continue }
      let slowest = events.tests.map(\.duration).max() ?? .zero
      let (news, next) = (events.dropFirst(first), order.limit(slowest))
      let isBusy = !news.open.isEmpty || !news.unfinished.isEmpty
      if isBusy, next <= quiet { return true }
      limit = isBusy ? next : nil
    }
    // A later run resumes from the lines of an interrupted one. An error is thrown again otherwise.
    try? await plugin?.move(to: log)
    return false
  }
}

/// The operators that hung so often that they are skipped: a client may retry without a limit.
struct HungOperators {
  private var counts: [String: Int] = [:]
  /// The number of hung runs after which an operator is skipped.
  static let max = 3

  func contains(_ name: String) -> Bool { counts[name, default: 0] >= Self.max }

  /// Counts a hung run, and reports an operator that is skipped afterwards.
  mutating func add(_ name: String) {
    counts[name, default: 0] += 1
    if counts[name] == Self.max {
      Terminal.complain("\(name) hung \(Self.max) times and is skipped from now on.\n")
    }
  }
}

extension MutateOrder {
  /// Returns the time without activity after which a mutant, or a run without one, counts as hung.
  func limit(_ plain: Duration, isMutated: Bool = true) -> Duration {
    (isMutated ? timeout : nil) ?? max(.seconds(10), plain * 10)
  }

  /// Runs the command once. Throws `CancellationError` if this process is interrupted.
  func run(
    _ served: ServedCassette?,
    _ variables: [String: String] = [:],
    adding words: [String] = [],
    into output: CommandOutput = CommandOutput(isShown: false),
    until isStuck: @escaping @Sendable () async -> Bool
  ) async throws -> ClientCommand.Exit {
    var variables = variables.merging(served?.variables ?? [:]) { own, _ in own }
    // Sets have the same order in each run. The trace of a crash takes seconds and is not used.
    variables["PYTHONHASHSEED"] = "0"
    variables["SWIFT_BACKTRACE"] = "enable=no"
    return try await command.run(
      url: served?.url,
      adding: isSwiftTest ? words : [],
      with: variables,
      into: output,
      until: isStuck
    )
  }
}
