internal import Foundation
package import WindTunnelCommandLine
internal import WindTunnelVirtualTime

/// A drill as a program: its name, its clients and its flags.
package struct DrillProgram: Sendable {
  /// The name as a user types it, such as `windtunnel drill`.
  let name: String
  /// The clients that can run. The first is judged, the others run beside it, and some run only if
  /// they are named.
  let subjects: [any Subject]
  /// Whether the program runs any command in virtual time by a hidden word.
  private let tracesPrograms: Bool
  /// Whether a run that names no client judges every client, in virtual time if possible.
  private let judgesAll: Bool

  /// Creates a program.
  ///
  /// - Parameters:
  ///   - name: The name as a user types it.
  ///   - subjects: The clients; the first is judged.
  ///   - isTool: Whether it is the tool's own drill: it judges every client unless one is named,
  ///     and has virtual time for programs.
  package init(name: String, subjects: [DrillSubject], isTool: Bool = false) {
    (self.name, self.subjects) = (name, subjects.map(\.client))
    (tracesPrograms, judgesAll) = (isTool, isTool)
  }

  /// The first argument of a client process, which is this program started again.
  private static let subjectWord = "fly-as-subject"

  /// The name before the program's messages: the first word.
  var speaker: String { name.split(separator: " ").first.map(String.init) ?? name }

  /// The clients that run by default.
  var flown: [String] {
    subjects.filter { !$0.runsOnlyIfNamed }.map(\.name)
  }

  /// The clients that run only if the flags name them, such as a client with another engine.
  private var variants: [String] {
    subjects.filter(\.runsOnlyIfNamed).map(\.name).filter { $0 != DrillPlan.execSubject }
  }

  package static let summary =
    "Run clients against simulated network faults and report what they do wrong."
  package static let synopsis =
    "[--cassette FILE] [--scenario NAME …] [--gate EXPR …] [--report FILE] [-- CMD …]"
  package var example: String { "\(name) --scenario rate-limited --calls 200 --report drill.json" }

  /// The maximum number of threads that run in virtual time.
  private static let workersMax = 256

  /// The flags of the drill.
  package var flags: [Flag] {
    DrillFlags.all(defaults: flown, variants: variants, isVirtual: judgesAll)
  }

  /// Runs the program with the words of its command line.
  func run(_ words: [String]) async -> ExitCode {
    if HelpText.isAsked(by: words) {
      Terminal.answer(
        HelpText.text(
          Self.summary,
          usage: "\(name) \(Self.synopsis)",
          flags: flags,
          example: example
        )
      )
      return .done
    }
    do {
      return try await run(Arguments(words, flags: flags, operandsMax: 0, takesCommand: true))
    } catch {
      return Terminal.refuse(CommandError(error), as: speaker, helpFor: name)
    }
  }

  /// Runs the drill, prints the report, writes it to files, and returns the exit code of its
  /// verdict.
  package func run(_ arguments: Arguments) async throws -> ExitCode {
    if let again = try arguments.value("--again") {
      return try await FlyingAgain.run(again, arguments, in: self)
    }
    var plan = try plan(arguments)
    let policy = try VerdictPolicy(arguments)
    // Reports errors of these flags before the drill, not after it.
    let files = try ReportFiles(arguments)
    let baselineFile = try arguments.value("--baseline")
    let baseline = try baselineFile.map { try Report(contentsOf: URL(typed: $0)) }
    try ToolEnvironment.needProcess()
    await chooseClock(of: &plan, arguments, besides: baseline)
    var drill = try drill(plan)
    drill.tellsCalls = arguments.has("--console")
    // Scenarios of the default set were not selected by name, so skipping one is not reported.
    if arguments.has("--scenario") {
      for scenario in plan.leftOut {
        Terminal.complain("\(speaker): not run: \(scenario.reason)\n")
      }
    }
    if arguments.has("--console"), plan.time == .virtualTime {
      throw CommandError.usage(
        "--console shows a drill in real time, but --clock virtual ends at once."
      )
    }
    let console = arguments.has("--console") ? try await DrillConsole(plan) : nil
    if let console { Terminal.complain("console: \(console.url)\n") }
    if let bound = plan.timeBoundWords { Terminal.complain("\(speaker): \(bound)\n") }
    let end = try await end(of: drill, console)
    var report = end.report
    if let signal = end.signal {
      Terminal.progress("")
      Terminal.complain("\(speaker): \(signal.words(end.part, arguments.all("--report")))\n")
      // An empty report would overwrite an existing file.
      if report.scenarios.isEmpty {
        await console?.end(nil)
        return signal.code
      }
      report.environment.append(Report.Fact(Report.signal, "\(signal.number)"))
    }
    if let baseline { report = report.compared(to: baseline) }
    report.environment += try facts(plan, arguments, baselineFile)
    report.policy = policy
    await console?.end(report.verdict)
    try show(report, arguments, files)
    return end.signal?.code ?? ExitCode(report.verdict)
  }

  private func chooseClock(
    of plan: inout DrillPlan,
    _ arguments: Arguments,
    besides baseline: Report?
  ) async {
    let isReal = baseline.map { $0.fact(Report.clock) == nil }
    // Both reports of a comparison use the same clock, unless another is requested.
    if !arguments.has("--clock"), plan.isInWorlds, isReal == true { plan.time = .realTime }
    await plan.leaveWorlds(ifNeedBe: obstacleToWorlds, speaker)
    if let isReal, isReal != (plan.time == .realTime) {
      Terminal.complain("\(speaker): the baseline has another clock: times are not compared\n")
    }
  }

  /// Keeps a report for the next run, prints it and writes it to its files.
  private func show(_ report: Report, _ arguments: Arguments, _ files: ReportFiles) throws {
    var report = report
    // A report with a file of its own is not overwritten by the next run.
    let named = arguments.all("--report").first { $0.hasSuffix(".json") }
    report.file = named ?? LastReport.path
    if !LastReport.keep(report, as: speaker), named == nil { report.file = nil }
    // Printed before it is written: a full disk must not lose the result of minutes.
    let isJSON = arguments.has("--json")
    if isJSON {
      Terminal.answer(json: report.data())
    } else {
      Terminal.answer(report: report.text(form(arguments)))
    }
    try files.write(report)
    report.complain(as: speaker, isShown: !isJSON)
  }

  /// Returns the facts about the run that are known only from its command line.
  private func facts(
    _ plan: DrillPlan,
    _ arguments: Arguments,
    _ baselineFile: String?
  ) throws -> [Report.Fact] {
    // A baseline has one judged client.
    let judgesOthers = isDefault(arguments) && baselineFile == nil
    let also = judgesOthers ? plan.subjects.dropFirst().joined(separator: ", ") : ""
    // A name may repeat a secret of the command.
    let told = try arguments.value("--name") ?? ""
    let name = told.isRandomWord ? CommandSecrets.redacted : told
    let facts = [
      ("name", CommandWords(plan.command).masked(name)), (Report.baselineFile, baselineFile ?? ""),
      (Report.alsoJudged, also), ("windtunnel", Build.version),
      ("date", Self.date.formatted(.iso8601)),
    ]
    return facts.filter { !$0.1.isEmpty }.map { Report.Fact($0.0, $0.1) }
  }

  /// The date of a report: today, unless the environment sets another date
  /// (reproducible-builds.org, SOURCE_DATE_EPOCH).
  private static var date: Date {
    let epoch = ToolEnvironment.current.variables["SOURCE_DATE_EPOCH"].flatMap { Double($0) }
    return epoch.map { Date(timeIntervalSince1970: $0) } ?? .now
  }

  /// Returns the form of the report on the terminal.
  private func form(_ arguments: Arguments) -> TextForm {
    var form = TextForm(inColour: Terminal.showsColour)
    form.isShort = !arguments.has("--all")
    form.program = name
    if isDefault(arguments) { form.next = "\(name) -- ./my-client {url}" }
    return form
  }

  /// Runs the clients in processes of their own, or in virtual time in this process.
  private func end(
    of drill: ProcessDrill,
    _ console: DrillConsole?
  ) async throws -> InterruptibleFlight.DrillEnd {
    let began = ContinuousClock.now
    let end = try await InterruptibleFlight(plan: drill.plan).run {
      guard drill.plan.usesProcesses else {
        let report = try await Drill.run(subjects, drill.plan) { done, all in
          Terminal.progress(done == all ? "" : "\(done) of \(all) parts")
        }
        return ProcessDrill.RunResult(report: report, part: nil)
      }
      return try await drill.run(keepingPart: true) { progress in
        show(progress, of: drill.plan)
        console?.take(progress)
      }
    }
    if drill.plan.isInWorlds, let seconds = end.report.fact(WorldLog.seconds) {
      let took = JSON.number((ContinuousClock.now - began).inMilliseconds / 1000, places: 1)
      Terminal.progress("")
      Terminal.complain(
        "clock: virtual, \(seconds) s in \(took) s; --clock real runs in real time\n"
      )
    }
    return end
  }

  /// Returns the reason why programs do not run in virtual time, as a clause.
  func obstacleToWorlds() async -> String? {
    guard tracesPrograms else { return "only windtunnel drill has virtual time for programs" }
    guard VirtualWorld.isSupported else { return "virtual time needs Linux on x86-64" }
    guard let executable = Bundle.main.executableURL else { return "this program was not found" }
    return await WorldCheck.obstacle(by: executable)
  }

  /// Returns the default plan, with the clients that run by default.
  func plan(_ scenarios: [String] = Shipped.drill) throws -> DrillPlan {
    var plan = DrillPlan(try Shipped.cassette(), in: try Shipped.scenarios(named: scenarios))
    (plan.clients, plan.subjects) = (subjects.map(PlannedClient.init), flown)
    return plan
  }

  /// Returns whether the arguments select neither a client nor a command.
  private func isDefault(_ arguments: Arguments) -> Bool {
    judgesAll && arguments.command.isEmpty && !arguments.has("--subject")
  }

  /// The flags that need real time or select the clock.
  private static let realTimeFlags = ["--clock", "--console", "--shard"]

  private func plan(_ arguments: Arguments) throws -> DrillPlan {
    let stage = try arguments.value("--stage") ?? "auto"
    let isVirtual =
      isDefault(arguments) && VirtualTime.isSupported && stage != "wire"
      && !Self.realTimeFlags.contains { arguments.has($0) }
    if isVirtual {
      // A scenario that is selected by name and needs sockets runs in real time.
      do {
        var plan = try plan(arguments, in: .virtualTime)
        let names = plan.leftOut.map(\.name).joined(separator: ", ")
        if !names.isEmpty { plan.leftOut = [.init(name: names, reason: "\(names) (--stage wire)")] }
        return plan
      } catch is DrillError {}
    }
    let isInWorlds =
      tracesPrograms && !arguments.command.isEmpty && VirtualWorld.isSupported
      && !arguments.has("--console")
    var plan = try plan(arguments, in: isInWorlds ? .virtualTime : .realTime)
    let isWhole = ["--scenario", "--cassette", "--stage", "--clock", "--shard"].contains {
      arguments.has($0)
    }
    if isDefault(arguments), !isVirtual, !isWhole { plan.keepShort() }
    return plan
  }

  private func plan(_ arguments: Arguments, in time: DrillClock) throws -> DrillPlan {
    // Parsing all of the default drill takes longer than many a drill of one scenario.
    var plan = try plan(arguments.has("--scenario") ? [] : Shipped.drill)
    if isDefault(arguments) { plan.subjects.reverse() }
    if let path = try arguments.value("--cassette") {
      let file = URL(typed: path)
      try plan.apply(cassette: file)
      plan.cassetteFile = plan.cassetteFile.map(arguments.fromStart)
    }
    let group = try plan.apply(scenarios: arguments, speaker)
    if !arguments.has("--cassette"), plan.scenarios.allSatisfy({ $0.startup != nil }) {
      plan.cassette = try Shipped.startup()
    }
    try plan.apply(subject: arguments, variants)
    plan.gates = try arguments.all("--gate").map { try Gate($0) }
    plan.bars = try Bars(arguments)
    plan.allowed = try AllowedRule.all(in: arguments)
    try plan.apply(load: arguments)
    plan.deadline = try arguments.duration("--timeout") ?? plan.deadline
    plan.seed = UInt64(try arguments.int("--seed", in: 0...Int.max) ?? Int(plan.seed))
    plan.stage = try arguments.choice("--stage", DrillFlags.stages) ?? nil
    plan.httpVersions = try arguments.httpVersions()
    plan.errors = try arguments.choice("--errors", DrillFlags.errors) ?? plan.errors
    plan.time = try arguments.choice("--clock", DrillFlags.times) ?? time
    try apply(workers: arguments, to: &plan)
    try plan.leaveOut(among: group)
    if !arguments.has("--baseline"), let gate = plan.gates.first(where: \.needsBaseline) {
      throw CommandError.usage(
        "gate \"\(gate)\": the limit is another report's; pass it by --baseline FILE."
      )
    }
    return plan
  }

  /// Sets the number of threads that run in virtual time. Only the judged client runs then, because
  /// a comparison client whose sessions have their own threads would take most of the time.
  private func apply(workers arguments: Arguments, to plan: inout DrillPlan) throws {
    let asked = try arguments.int("--workers", in: 1...Self.workersMax)
    guard plan.time == .virtualTime else {
      guard asked != nil else { return }
      throw CommandError.usage(
        "--workers requires --clock virtual; in real time use --rate and --concurrency."
      )
    }
    if !isDefault(arguments) { plan.subjects = Array(plan.subjects.prefix(1)) }
    let judged = subjects.filter { plan.subjects.contains($0.name) }
    guard plan.isInWorlds || judged.allSatisfy(\.canBeMadeAnew) else {
      guard let asked, asked > 1 else { return }
      throw CommandError.usage(
        "--workers: \(plan.subjects.first ?? "the client") is one client for all its calls, so "
          + "several threads cannot run it. Omit the flag."
      )
    }
    plan.workers = asked ?? min(ProcessInfo.processInfo.activeProcessorCount, Self.workersMax)
  }

  private func show(_ progress: ProcessDrill.Progress, of plan: DrillPlan) {
    switch progress {
    case .calls(let scenario, let subject, let done, let count):
      let place = (plan.scenarios.firstIndex { $0.name == scenario } ?? 0) + 1
      Terminal.progress(
        "\(place) of \(plan.scenarios.count): \(scenario), \(subject): \(done) of \(count) calls"
      )
    case .judged(let flown):
      // The report of a single scenario follows at once.
      guard plan.scenarios.count > 1 else { break }
      for finding in flown.findings
      where finding.finding.severity == .error && finding.allowance == nil {
        Terminal.progress("")
        Terminal.complain("found: \(finding)\n")
      }
    case .notVirtual(let scenario, let reason):
      Terminal.progress("")
      Terminal.complain("\(speaker): \(scenario) runs in real time: \(reason)\n")
    case .attempt, .ended: break
    // The progress line is cleared, so that a log is as short as the terminal's final output.
    case .finished: Terminal.progress("")
    }
  }

  /// Returns a drill of these clients. Each runs in a process that is this program started again.
  func drill(_ plan: DrillPlan) throws -> ProcessDrill {
    guard let executable = Bundle.main.executableURL else { throw CommandError.selfNotFound }
    return try ProcessDrill(
      plan,
      of: subjects,
      executable: executable,
      arguments: [Self.subjectWord],
      tracesPrograms: tracesPrograms
    )
  }

  /// Runs as a client process, if this program was started as one.
  package func flyIfAsked(_ words: [String]) async {
    if words.first == WorldCheck.word { await WorldCheck.main() }
    guard words.first == Self.subjectWord else { return }
    await SubjectProcess.main(subjects: subjects)
  }
}
