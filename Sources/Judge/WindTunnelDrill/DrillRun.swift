internal import Foundation
@_spi(WindTunnel) internal import WindTunnelCore

/// One run of a drill in processes, with the state that its scenarios share.
struct DrillRun: Sendable {
  private let drill: ProcessDrill
  private let plan: DrillPlan
  /// Whether a cancelled run returns the calls that had ended, rather than an error.
  private let keepsPart: Bool
  private let progress: @Sendable (ProcessDrill.Progress) -> Void
  private let worlds = WorldLog()
  /// Whether the long-running program has responded in any scenario.
  private let hasAnswered = Locked(false)

  private var isStopped: Bool { keepsPart && Task.isCancelled }

  /// Creates the run of a drill's plan. If the plan needs results of calls without faults, those
  /// run first.
  init(
    _ drill: ProcessDrill,
    keepsPart: Bool,
    _ progress: @escaping @Sendable (ProcessDrill.Progress) -> Void
  ) async throws {
    (self.drill, self.keepsPart, self.progress) = (drill, keepsPart, progress)
    plan = try await drill.planned(keepingPart: keepsPart)
  }

  /// Runs all calls, and returns the report with the part of the drill that it covers.
  func run() async throws -> ProcessDrill.RunResult {
    let flown =
      drill.child.isInWorld
      ? try await runInWorlds()
      : try await plan.scenarios.flown(keepingPart: keepsPart) { try await run($0, false, $1) }
    let facts = worlds.facts(in: plan)
    let whole = flown.count(where: \.isWhole)
    if !keepsPart || whole == plan.scenarios.count {
      return ProcessDrill.RunResult(report: plan.report(flown.map(\.0), facts: facts), part: nil)
    }
    // A scenario in which the judged client makes no call has no result.
    let begun = flown.map(\.0).filter { $0.subjects.first?.name == plan.subjects.first }
    let part = ProcessDrill.RunResult.Part(
      scenarios: (whole, plan.scenarios.count),
      calls: begun.reduce(0) { $0 + ($1.subjects.first?.observations.count ?? 0) }
    )
    return ProcessDrill.RunResult(
      report: plan.report(begun, facts: facts + [Report.Fact(Report.interruption, part.words)]),
      part: part
    )
  }

  /// The result of a scenario, and whether all its calls ran.
  private typealias FlownScenario = (Report.ScenarioResult, isWhole: Bool)

  /// Runs each scenario in a world of its own. Scenarios whose time was not virtual run afterwards
  /// in real time, when no world uses the processors.
  private func runInWorlds() async throws -> [FlownScenario] {
    var flown = try await plan.scenarios.flown(by: plan.workers) { scenario -> FlownScenario? in
      do {
        if let reason = Targets.obstacleToWorld(of: scenario) {
          throw NotInVirtualTime(reason: reason)
        }
        return try await run(scenario, true) {}
      } catch let error as NotInVirtualTime {
        if isStopped { return nil }
        worlds.note(scenario, wasReal: error.reason)
        progress(.notVirtual(scenario: scenario.name, reason: error.reason))
        return nil
      }
    }
    for place in flown.indices where flown[place] == nil && !isStopped {
      flown[place] = try await run(plan.scenarios[place], false) {}
    }
    return flown.compactMap(\.self)
  }

  private func run(
    _ scenario: Scenario,
    _ isInWorld: Bool,
    _ allBegan: @escaping @Sendable () -> Void
  ) async throws -> FlownScenario {
    let stage = try plan.stage(of: scenario)
    let calls = plan.numbers(in: scenario).count * plan.subjects.count
    let beginnings = CallStarts(of: calls, then: allBegan)
    // Clients that mostly wait do not disturb each other.
    let rows = try await plan.subjects.flown(by: scenario.isIdle ? plan.subjects.count : 1) {
      try await row(of: $0, in: scenario, on: stage, isInWorld, beginnings)
    }
    try checkAddresses(in: scenario, rows)
    // In a sharded drill, a scenario may have no calls on this machine. The report then states
    // this.
    let isStopped = isStopped
    let flown = plan.flown(
      scenario,
      on: stage,
      rows.filter { !isStopped || !$0.observations.isEmpty }
    )
    progress(.judged(flown))
    return (
      flown, isWhole: rows.allSatisfy { $0.observations.count * plan.subjects.count == calls }
    )
  }

  /// Throws if the client appended a path to `{url}` in every call, because further scenarios would
  /// show the same.
  private func checkAddresses(in scenario: Scenario, _ rows: [Report.Row]) throws(DrillError) {
    let calls = rows.first?.observations ?? []
    guard plan.scenarios.count > 1, plan.command.contains(where: { $0.contains("{url}") }),
      let path = calls.first?.pathBeyondAddress,
      calls.allSatisfy({ $0.pathBeyondAddress != nil })
    else { return }
    throw .client(
      "\(scenario.name): in each call the client appends a path such as \(path) to {url}, which is "
        + "the whole URL of a call. Use {base} instead of {url}."
    )
  }

  private func row(
    of subject: String,
    in scenario: Scenario,
    on stage: Stage,
    _ isInWorld: Bool,
    _ beginnings: CallStarts
  ) async throws -> Report.Row {
    let workload = plan.workload(of: subject, on: stage, in: scenario)
    let name = scenario.name
    var process = drill.child
    process.isInWorld = isInWorld
    var run = ScenarioRun(
      job: drill.job(plan, scenario, subject, stage),
      scenario: scenario,
      workload: workload,
      process: process
    ) { [calls = plan.numbers(in: scenario).count] done in
      progress(.calls(scenario: name, subject: subject, done: done, of: calls))
    }
    (run.hasAnswered, run.keepsPart) = (hasAnswered, keepsPart)
    run.receives = { message in
      switch message {
      case .attempt(let call, let attempt):
        progress(.attempt(scenario: name, subject: subject, call: call, attempt))
      case .began(let call, _): beginnings.note(call, of: subject)
      default: break
      }
    }
    let words = plan.command.isEmpty ? nil : CommandWords(plan.command)
    if drill.tellsCalls {
      run.ended = { observation in
        let masked = words.map { observation.masked(by: $0) }
        guard let told = masked ?? [observation].withKeysMasked().first else { return }
        progress(.ended(scenario: name, subject: subject, told))
      }
    }
    if let grace = drill.grace { run.grace = grace }
    defer { run.job.clearUp() }
    let observations = try await run.run()
    worlds.note(run.virtualTime)
    try StoryCheck(scenario: scenario, seed: plan.seed, workload: workload).check(observations)
    progress(.finished(scenario: name, subject: subject))
    return Report.Row(
      subject,
      words.map { words in observations.map { $0.masked(by: words) } }
        ?? observations.withKeysMasked(),
      of: subject != DrillPlan.execSubject
        ? .library : plan.command.isService ? .service : .program,
      plannedFaults: scenario.faultNames,
      traffic: run.traffic.withLock { $0 },
      screens: plan.screens(in: scenario)
    )
  }
}
