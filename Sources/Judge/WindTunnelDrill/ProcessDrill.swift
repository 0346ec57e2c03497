internal import Dispatch
public import Foundation
@_spi(WindTunnel) internal import WindTunnelCore
internal import WindTunnelServer
internal import WindTunnelSymptoms

/// A drill whose subjects each fly in a process of their own.
///
/// ```swift
/// // Started with this argument, the executable calls `await ProcessDrill.runAsSubject()`.
/// let drill = try ProcessDrill(plan, executable: executable, arguments: ["subject"])
/// let report = try await drill.run()
/// ```
///
/// The process is the same executable, started once more, so that a crash or a hang of a subject is
/// a row of the report and not the end of the drill.
public struct ProcessDrill: Sendable {
  /// The plan that is flown.
  public let plan: DrillPlan
  private var child: ChildProcess
  private let authority: AuthorityFile.Kind
  /// The time for which a subject's process may tell nothing, beyond its calls' own patience.
  var grace: ChildProcess.Patience?
  /// Tells whether somebody is told of each call that has ended: nobody else pays for its words.
  package var tellsCalls = false

  /// An event in the course of a drill.
  public enum Progress: Sendable {
    /// A subject has made this number of its calls in a scenario.
    case calls(scenario: String, subject: String, done: Int, of: Int)
    /// An attempt of a call has reached the deck.
    case attempt(scenario: String, subject: String, call: Int, Observation.Attempt)
    /// A call of a subject has ended, with its attempts and without secrets.
    case ended(scenario: String, subject: String, Observation)
    /// A subject has finished a scenario.
    case finished(scenario: String, subject: String)
    /// All subjects have finished a scenario, which is judged.
    case judged(Report.ScenarioResult)
    /// A scenario runs again in real time, for a reason in half a sentence.
    case notVirtual(scenario: String, reason: String)
  }

  /// Creates a drill whose subjects run in processes of their own.
  ///
  /// - Parameters:
  ///   - plan: The plan.
  ///   - subjects: The clients that the plan can name.
  ///   - executable: The program of the processes.
  ///   - arguments: The arguments with which it calls ``runAsSubject(of:)`` with the same subjects.
  /// - Throws: `DrillError` if the plan cannot be carried out.
  public init(
    _ plan: DrillPlan,
    of subjects: [DrillSubject] = subjects,
    executable: URL,
    arguments: [String]
  ) throws {
    try self.init(
      plan,
      of: subjects.map(\.client),
      executable: executable,
      arguments: arguments,
      tracesPrograms: false
    )
  }

  /// Creates a drill of clients of this package.
  init(
    _ plan: DrillPlan,
    of clients: [any Subject],
    executable: URL,
    arguments: [String],
    tracesPrograms: Bool
  ) throws {
    var plan = plan
    plan.clients = clients.map(PlannedClient.init)
    plan.nameCritical()
    if !tracesPrograms { try plan.refuseWorlds() }
    self.plan = plan.withoutIdleSubjects
    child = ChildProcess(executable: executable, arguments: arguments)
    child.isInWorld = plan.isInWorlds
    try plan.validate()
    for scenario in plan.scenarios { _ = try plan.stage(of: scenario) }
    authority = plan.isProgram ? AuthorityFile.kind : .none
    if case .missing(let reason) = authority, plan.command.contains(where: { $0.contains("{ca}") })
    {
      throw DrillError.plan("{ca} stands for an authority's file, and none can be made. \(reason)")
    }
  }

  /// The subjects of a drill that names no others: a bare `URLSession`, and any program.
  public static let subjects: [DrillSubject] = [.urlSession, .program]

  /// Runs this process as one of the subjects, which reads its jobs from standard input.
  public static func runAsSubject(of subjects: [DrillSubject] = subjects) async -> Never {
    await SubjectProcess.main(subjects: subjects.map(\.client))
  }

  /// Makes all calls and folds the observations into a report.
  public func run(progress: @escaping @Sendable (Progress) -> Void = { _ in }) async throws
    -> Report
  {
    try await run(keepingPart: false, progress: progress).report
  }

  /// A flight that was stopped, or came to its end.
  package struct Flown: Sendable {
    /// The report of the calls that ended.
    package let report: Report
    /// The extent to which it was flown; `nil` where that is all.
    package let part: Part?

    /// The part of a drill that was flown.
    package struct Part: Sendable {
      /// The number of scenarios that were flown to their end, of all.
      package let scenarios: (flown: Int, all: Int)
      /// The number of calls that the judged subject made.
      package let calls: Int
    }
  }

  /// Makes all calls, or as many as end before the task is cancelled: then no further one begins,
  /// and what was started is ended.
  ///
  /// - Parameters:
  ///   - keepsPart: A cancellation leaves the report of what was flown, and is not thrown.
  ///   - progress: Told of each event.
  /// - Returns: The report, and how much of the drill it is about.
  /// - Throws: `DrillError` where the plan cannot be carried out, `CancellationError` where nothing
  ///   is kept.
  package func run(
    keepingPart keepsPart: Bool,
    progress: @escaping @Sendable (Progress) -> Void
  ) async throws -> Flown {
    let plan = try await planned(keepingPart: keepsPart)
    let firstAnswer = FirstAnswer()
    let worlds = WorldLog()
    let run:
      @Sendable (Scenario, _ inWorld: Bool, @escaping @Sendable () -> Void) async throws
        -> FlownScenario
    run = { scenario, isInWorld, allBegan in
      let stage = try plan.stage(of: scenario)
      let calls = plan.numbers(in: scenario).count * plan.subjects.count
      let beginnings = Beginnings(of: calls, then: allBegan)
      // Whoever waits does not disturb the others, who wait for the same.
      let rows = try await plan.subjects.map(atOnce: scenario.isIdle ? plan.subjects.count : 1) {
        try await self.run(
          $0,
          plan,
          in: scenario,
          on: stage,
          isInWorld,
          beginnings,
          firstAnswer,
          keepingPart: keepsPart,
          worlds,
          progress
        )
      }
      // A part of a drill on several machines has no call in some scenarios, and says so.
      let isStopped = keepsPart && Task.isCancelled
      let flown = plan.flown(
        scenario,
        on: stage,
        rows.filter { !isStopped || !$0.observations.isEmpty }
      )
      progress(.judged(flown))
      return (
        flown,
        isWhole: rows.allSatisfy { $0.observations.count * plan.subjects.count == calls }
      )
    }
    let flown =
      child.isInWorld
      ? try await flyInWorlds(plan, keepingPart: keepsPart, worlds, progress) {
        try await run($0, $1) {}
      } : try await plan.scenarios.flown(keepingPart: keepsPart) { try await run($0, false, $1) }
    return Self.flown(flown, of: plan, keepingPart: keepsPart, facts: worlds.facts(in: plan))
  }

  /// Returns the report of the scenarios that ran, and how much of the drill it is about.
  private static func flown(
    _ flown: [FlownScenario],
    of plan: DrillPlan,
    keepingPart keepsPart: Bool,
    facts: [Report.Fact]
  ) -> Flown {
    let whole = flown.count(where: \.isWhole)
    if !keepsPart || whole == plan.scenarios.count {
      return Flown(report: plan.report(flown.map(\.0), facts: facts), part: nil)
    }
    // The judged one flies first.
    let begun = flown.map(\.0).filter { $0.subjects.first?.name == plan.subjects.first }
    let part = Flown.Part(
      scenarios: (whole, plan.scenarios.count),
      calls: begun.reduce(0) { $0 + ($1.subjects.first?.observations.count ?? 0) }
    )
    return Flown(
      report: plan.report(begun, facts: facts + [Report.Fact(Report.interruption, part.words)]),
      part: part
    )
  }

  /// A scenario that ran, and whether all its calls did.
  private typealias FlownScenario = (Report.ScenarioResult, isWhole: Bool)

  /// Runs each scenario in a world of its own, and afterwards in real time the scenarios whose time
  /// was not virtual: no world takes the processors from them.
  private func flyInWorlds(
    _ plan: DrillPlan,
    keepingPart keepsPart: Bool,
    _ worlds: WorldLog,
    _ progress: @escaping @Sendable (Progress) -> Void,
    _ run: @escaping @Sendable (Scenario, _ inWorld: Bool) async throws -> FlownScenario
  ) async throws -> [FlownScenario] {
    var flown = try await plan.scenarios.map(atOnce: plan.workers) { scenario -> FlownScenario? in
      do {
        if let reason = Targets.obstacleToWorld(of: scenario) {
          throw NotInVirtualTime(reason: reason)
        }
        return try await run(scenario, true)
      } catch let error as NotInVirtualTime {
        if keepsPart, Task.isCancelled { return nil }
        worlds.note(scenario, wasReal: error.reason)
        progress(.notVirtual(scenario: scenario.name, reason: error.reason))
        return nil
      }
    }
    for place in flown.indices where flown[place] == nil && !(keepsPart && Task.isCancelled) {
      flown[place] = try await run(plan.scenarios[place], false)
    }
    return flown.compactMap(\.self)
  }

  private func run(
    _ subject: String,
    _ plan: DrillPlan,
    in scenario: Scenario,
    on stage: Stage,
    _ isInWorld: Bool,
    _ beginnings: Beginnings,
    _ firstAnswer: FirstAnswer,
    keepingPart keepsPart: Bool,
    _ worlds: WorldLog,
    _ progress: @escaping @Sendable (Progress) -> Void
  ) async throws -> Report.Row {
    let workload = plan.workload(of: subject, on: stage, in: scenario)
    var process = child
    process.isInWorld = isInWorld
    var run = ScenarioRun(
      job: job(plan, scenario, subject, stage),
      scenario: scenario,
      workload: workload,
      process: process
    ) { [calls = plan.numbers(in: scenario).count] done in
      progress(.calls(scenario: scenario.name, subject: subject, done: done, of: calls))
    }
    run.firstAnswer = firstAnswer
    run.keepsPart = keepsPart
    run.met = { call, attempt in
      progress(.attempt(scenario: scenario.name, subject: subject, call: call, attempt))
    }
    let words = plan.command.isEmpty ? nil : CommandWords(plan.command)
    if tellsCalls {
      run.ended = { observation in
        let masked = words.map { observation.masked(by: $0) }
        guard let told = masked ?? [observation].withKeysMasked().first else { return }
        progress(.ended(scenario: scenario.name, subject: subject, told))
      }
    }
    run.began = { beginnings.note($0, of: subject) }
    let traffic = Locked(ClientRun.Traffic())
    run.seen = { part in traffic.withLock { $0.merge(part) } }
    if let grace { run.grace = grace }
    defer { run.job.clearUp() }
    let observations = try await run.run()
    worlds.note(run.virtualTime)
    try StoryCheck(scenario: scenario, seed: plan.seed, workload: workload).check(observations)
    progress(.finished(scenario: scenario.name, subject: subject))
    return Report.Row(
      subject,
      words.map { words in observations.map { $0.masked(by: words) } }
        ?? observations.withKeysMasked(),
      of: plan.kind(of: subject),
      plannedFaults: scenario.faultNames,
      traffic: traffic.withLock { $0 },
      screens: plan.screens(in: scenario)
    )
  }

  /// Returns the plan with what calls without faults show, before anything is reported.
  ///
  /// If the load is to follow it, they show how many programs this machine starts in a second. If
  /// the plan has no scenario without faults, they show how long a call of a program takes.
  private func planned(keepingPart keepsPart: Bool) async throws -> DrillPlan {
    var plan = plan
    let isTrial = plan.needsTrial
    // In virtual time no start takes time.
    let named =
      plan.followsCalm && !plan.isInWorlds ? plan.scenarios.first { $0.name == "calm" } : nil
    guard let calm = isTrial ? Scenario.calm : named else { return plan }
    let cores = ProcessInfo.processInfo.activeProcessorCount
    // A program that lives answers one line after the other.
    let atOnce = !isTrial ? cores : plan.isProgramACall ? Self.trialCalls : 1
    var shown = plan
    shown.load = .closedLoop(concurrency: atOnce)
    var job = job(shown, calm, DrillPlan.execSubject, try plan.stage(of: calm))
    let most = isTrial ? Self.trialCalls : min(Self.shownMax, 2 * cores)
    job.calls = Array(plan.numbers(in: calm).prefix(most))
    if isTrial { job.deadlineMilliseconds = min(job.deadlineMilliseconds, Self.trialMilliseconds) }
    defer { job.clearUp() }
    var run = ScenarioRun(
      job: job,
      scenario: calm,
      workload: plan.workload(of: DrillPlan.execSubject, on: .onTheWire, in: calm),
      process: child
    ) { _ in }
    (run.isTrial, run.keepsPart) = (isTrial, keepsPart)
    let calls = try await run.run()
    if isTrial { plan.trial = calls }
    guard !isTrial, let possible = DrillPlan.starts(calls) else { return plan }
    (plan.load, plan.shownStarts) = (DrillPlan.load(startingAtMost: possible), possible)
    return plan
  }

  /// As many programs show how fast a machine starts them.
  private static let shownMax = 16
  /// The number of calls without faults that run before a drill that has none.
  private static let trialCalls = 3
  /// The deadline of such a call. One that takes longer is no success, and shows nothing.
  private static let trialMilliseconds = 2000

  private func job(
    _ plan: DrillPlan,
    _ scenario: Scenario,
    _ subject: String,
    _ stage: Stage
  ) -> WorkerJob {
    WorkerJob(
      subject: subject,
      cassetteFile: plan.cassetteFile?.path,
      cassette: plan.cassetteFile == nil ? plan.cassette.data() : Data(),
      scenario: scenario.data(),
      stage: stage.rawValue,
      errors: plan.errors.rawValue,
      seed: plan.seed,
      calls: plan.numbers(in: scenario),
      load: plan.load,
      mix: plan.asked.shares.map(\.text),
      isReadOnly: plan.asked.isReadOnly,
      coveringCalls: plan.coveringCalls(in: scenario),
      ignoredQuery: plan.ignoredQuery.map(\.description),
      elapsedMilliseconds: plan.elapsed?.inMilliseconds,
      authorityFile: authority == .there ? TemporaryPlace.new("pem").path : nil,
      command: plan.command,
      deadlineMilliseconds: Int(plan.deadline(in: scenario).inMilliseconds),
      attemptTimeoutMilliseconds: Int(plan.attemptTimeout(in: scenario).inMilliseconds),
      epochNanoseconds: DispatchTime.now().uptimeNanoseconds
    )
  }
}

extension ProcessDrill.Flown.Part {
  /// The part in words, such as `after 1 of 2 scenarios, with 80 calls made`.
  package var words: String {
    "after \(scenarios.flown) of \(scenarios.all) scenarios, with \(calls) "
      + "\(calls == 1 ? "call" : "calls") made"
  }
}

extension Sequence where Element: Sendable {
  /// Makes something of each element, so many at once, and returns it in their order.
  fileprivate func map<Made: Sendable>(
    atOnce most: Int,
    _ make: @escaping @Sendable (Element) async throws -> Made
  ) async throws -> [Made] {
    try await withThrowingTaskGroup(of: (Int, Made).self) { group in
      var made: [Int: Made] = [:]
      for (place, element) in enumerated() {
        if place >= most, let (done, result) = try await group.next() { made[done] = result }
        group.addTask { (place, try await make(element)) }
      }
      for try await (place, result) in group { made[place] = result }
      return made.sorted { $0.key < $1.key }.map(\.value)
    }
  }
}

extension DrillPlan {
  /// Returns the kind of client that a subject is.
  fileprivate func kind(of subject: String) -> ClientRun.Client {
    guard subject == Self.execSubject else { return .library }
    return command.isService ? .service : .program
  }

  /// Creates the plan of the default drill: the shipped cassette and scenarios, and a bare
  /// `URLSession`.
  public init() throws {
    self.init(try Shipped.cassette(), in: try Shipped.scenarios(named: Shipped.drill))
    subjects = [URLSessionSubject().name]
  }
}

/// The file that tells programs whom to trust: it holds the certificate of an authority that is
/// made for one subject in one scenario, and goes when that is over.
enum AuthorityFile {
  /// The availability of such a file.
  enum Kind: Sendable, Hashable {
    /// The programs need no file.
    case none
    /// The file is there.
    case there
    /// The file is needed and cannot be written, for this reason, a sentence.
    case missing(String)
  }

  /// Tells whether this machine can make authorities.
  static var kind: Kind {
    do throws(ServerError) {
      _ = try CertificateAuthority()
      return .there
    } catch {
      return .missing("\(error)")
    }
  }
}
