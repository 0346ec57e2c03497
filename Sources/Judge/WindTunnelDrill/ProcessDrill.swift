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
  let child: ChildProcess
  /// Whether programs get the file of the authority that issues the run's certificates.
  let hasAuthority: Bool
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
    var child = ChildProcess(executable: executable, arguments: arguments)
    child.isInWorld = plan.isInWorlds
    self.child = child
    try plan.validate()
    for scenario in plan.scenarios { _ = try plan.stage(of: scenario) }
    do throws(ServerError) {
      if plan.isProgram { _ = try CertificateAuthority() }
      hasAuthority = plan.isProgram
    } catch {
      hasAuthority = false
      guard !plan.command.contains(where: { $0.contains("{ca}") }) else {
        throw DrillError.plan(
          "{ca} stands for an authority's file, and none can be made. \(error)"
        )
      }
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
    try await DrillRun(self, keepsPart: keepsPart, progress).run()
  }

  /// Returns the plan with what calls without faults show, before anything is reported.
  ///
  /// If the load is to follow it, they show how many programs this machine starts in a second. If
  /// the plan has no scenario without faults, they show how long a call of a program takes.
  func planned(keepingPart keepsPart: Bool) async throws -> DrillPlan {
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

  func job(
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
      authorityFile: hasAuthority ? TemporaryPlace.new("pem").path : nil,
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

extension DrillPlan {
  /// Creates the plan of the default drill: the shipped cassette and scenarios, and a bare
  /// `URLSession`.
  public init() throws {
    self.init(try Shipped.cassette(), in: try Shipped.scenarios(named: Shipped.drill))
    subjects = [URLSessionSubject().name]
  }
}
