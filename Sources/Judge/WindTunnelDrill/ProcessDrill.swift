internal import Dispatch
public import Foundation
internal import WindTunnelServer
internal import WindTunnelSymptoms

/// A drill that runs each client in a process of its own.
///
/// ```swift
/// // Started with this argument, the executable calls `await ProcessDrill.runAsSubject()`.
/// let drill = try ProcessDrill(plan, executable: executable, arguments: ["subject"])
/// let report = try await drill.run()
/// ```
///
/// The process runs the same executable, started once more. A crash or a hang of a client is then a
/// row of the report, and does not end the drill.
public struct ProcessDrill: Sendable {
  /// The plan of the drill.
  public let plan: DrillPlan
  let child: ChildProcess
  /// Whether programs receive the file of the authority that issues the run's certificates.
  let hasAuthority: Bool
  /// The time for which a client's process may be silent, in addition to the time that its calls
  /// may take.
  var grace: ChildProcess.Patience?
  /// Whether each finished call is reported. Off by default, because formatting costs time.
  package var tellsCalls = false

  /// An event during a drill.
  public enum Progress: Sendable {
    /// A client has made this number of its calls in a scenario.
    case calls(scenario: String, subject: String, done: Int, of: Int)
    /// An attempt of a call has reached the deck.
    case attempt(scenario: String, subject: String, call: Int, Observation.Attempt)
    /// A call of a client has ended. The observation has its attempts and no secrets.
    case ended(scenario: String, subject: String, Observation)
    /// A client has finished a scenario.
    case finished(scenario: String, subject: String)
    /// All clients have finished a scenario, and it was judged.
    case judged(Report.ScenarioResult)
    /// A scenario runs again in real time. The reason is a clause, not a whole sentence.
    case notVirtual(scenario: String, reason: String)
  }

  /// Creates a drill that runs clients in processes of their own.
  ///
  /// - Parameters:
  ///   - plan: The plan.
  ///   - subjects: The clients that the plan can name.
  ///   - executable: The program of the processes.
  ///   - arguments: The arguments with which the program calls ``runAsSubject(of:)`` with the same
  ///     clients.
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

  /// Creates a drill of the clients in this package.
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
          "{ca} is the file of an authority, which could not be created. \(error)"
        )
      }
    }
  }

  /// The clients of a drill that names no others: a bare `URLSession`, and any program.
  public static let subjects: [DrillSubject] = [.urlSession, .program]

  /// Runs this process as one of the clients, which reads its jobs from standard input.
  public static func runAsSubject(of subjects: [DrillSubject] = subjects) async -> Never {
    await SubjectProcess.main(subjects: subjects.map(\.client))
  }

  /// Runs all calls, and returns the report.
  public func run(progress: @escaping @Sendable (Progress) -> Void = { _ in }) async throws
    -> Report
  {
    try await run(keepingPart: false, progress: progress).report
  }

  /// The result of a drill that finished or was stopped.
  package struct RunResult: Sendable {
    /// The report of the calls that ended.
    package let report: Report
    /// The part of the drill that ran, or `nil` if all of it did.
    package let part: Part?

    /// The part of a drill that ran.
    package struct Part: Sendable {
      /// The number of finished scenarios, and the number of all scenarios.
      package let scenarios: (flown: Int, all: Int)
      /// The number of calls that the judged client made.
      package let calls: Int
    }
  }

  /// Runs all calls, or the calls that end before the task is cancelled. After a cancellation, no
  /// further call begins, and the started processes are ended.
  ///
  /// - Parameters:
  ///   - keepsPart: Whether a cancellation returns the report of the finished calls rather than
  ///     throwing.
  ///   - progress: Receives each event.
  /// - Returns: The report, and the part of the drill that it covers.
  /// - Throws: `DrillError` if the plan cannot be carried out. `CancellationError` if the task is
  ///   cancelled and `keepsPart` is `false`.
  package func run(
    keepingPart keepsPart: Bool,
    progress: @escaping @Sendable (Progress) -> Void
  ) async throws -> RunResult {
    try await DrillRun(self, keepsPart: keepsPart, progress).run()
  }

  /// Returns the plan with the results of calls without faults, which run before any progress is
  /// reported.
  ///
  /// If the load follows `calm`, the calls show the number of programs that this machine starts per
  /// second. If the plan has no scenario without faults, they show the time that a call of a
  /// program takes.
  func planned(keepingPart keepsPart: Bool) async throws -> DrillPlan {
    var plan = plan
    let isTrial = plan.needsTrial
    // In virtual time, starting a program takes no time.
    let named =
      plan.followsCalm && !plan.isInWorlds ? plan.scenarios.first { $0.name == "calm" } : nil
    guard let calm = isTrial ? Scenario.calm : named else { return plan }
    let cores = ProcessInfo.processInfo.activeProcessorCount
    // A long-running program handles one line after the other.
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

  /// The maximum number of programs that show how fast a machine starts them.
  private static let shownMax = 16
  /// The number of calls without faults that run before a drill in which all scenarios have faults.
  private static let trialCalls = 3
  /// The deadline of such a call in milliseconds. A call that takes longer does not succeed, and is
  /// not used.
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
      httpVersions: plan.httpVersions.rawValue,
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

extension ProcessDrill.RunResult.Part {
  /// The part as text, such as `after 1 of 2 scenarios, with 80 calls made`.
  package var words: String {
    "after \(scenarios.flown) of \(scenarios.all) scenarios, with "
      + "\(calls.counted("call")) made"
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
