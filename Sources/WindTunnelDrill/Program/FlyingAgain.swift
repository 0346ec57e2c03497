internal import Foundation
internal import WindTunnel
internal import WindTunnelCommandLine
internal import WindTunnelSymptoms

/// `drill --again drill.json#metro/payments/17`: one call of a report, flown by itself. It meets
/// the same decisions as it did among the others, on another machine, too, and its story is told as
/// it happens.
struct FlyingAgain {
  private let program: DrillProgram
  private var plan: DrillPlan
  private let before: Observation

  /// Reads `FILE#SCENARIO/…/CALL`; what stands between is for people, and has to be right all the
  /// same.
  init(_ text: String, _ arguments: Arguments, in program: DrillProgram) throws {
    for flag in program.flags.map(\.name) where !Self.flags.contains(flag) && arguments.has(flag) {
      throw Refusal.notWithAgain(flag)
    }
    let (file, rest) = try Self.parts(text)
    let report = try Report(contentsOf: URL(typed: file))
    // The longest, since a name may have a slash and another's in front of it.
    let flown = report.scenarios.filter { rest.hasPrefix("\($0.name)/") }
      .max { $0.name.count < $1.name.count }
    guard let flown else {
      let name = rest.split(separator: "/").first.map(String.init) ?? rest
      throw Refusal.choice("--again", name, among: report.scenarios.map(\.name))
    }
    let words = rest.dropFirst(flown.name.count + 1).split(separator: "/").map(String.init)
    guard let call = words.last.flatMap({ Int($0) }) else { throw Self.unreadable(text) }
    let subject = try arguments.value("--subject") ?? flown.subjects.first?.name ?? ""
    guard let row = flown.subjects.first(where: { $0.name == subject }) else {
      throw Refusal.choice("--subject", subject, among: flown.subjects.map(\.name))
    }
    guard let before = row.observations.first(where: { $0.call == call }) else {
      throw Refusal.noSuchCall(call, of: subject, in: flown.name)
    }
    let name = words.dropLast().joined(separator: "/")
    guard name.isEmpty || name == Observation.word(of: before.endpoint) else {
      throw Refusal.otherEndpoint(name, before)
    }
    (self.program, self.before) = (program, before)
    var plan = try RecordedPlan(report: report, file: file, flown: flown).plan(
      try program.plan(),
      subject,
      arguments
    )
    (plan.onlyCall, plan.elapsed) = (call, row.elapsed(at: before))
    plan.calls = max(plan.scenarios.first.map { plan.calls(in: $0) } ?? 0, call + 1)
    self.plan = plan
  }

  /// The flags that go with it.
  private static let flags = ["--again", "--cassette", "--scenario", "--subject", "--timeout"]

  /// Returns the file and what stands behind it; a file's name may have a `#`, too.
  private static func parts(_ text: String) throws -> (file: String, rest: String) {
    let places = text.indices.filter { text[$0] == "#" }
    let there = places.first {
      FileManager.default.fileExists(atPath: URL(typed: String(text[..<$0])).path)
    }
    guard let place = there ?? places.first else { throw unreadable(text) }
    let rest = String(text[text.index(after: place)...])
    guard rest.contains("/"), place > text.startIndex else { throw unreadable(text) }
    return (String(text[..<place]), rest)
  }

  private static func unreadable(_ text: String) -> Refusal {
    .value("--again", text, shouldBe: "a report, a scenario and a call, as in drill.json#metro/17,")
  }

  /// Flies it and says how it went; found, where it failed again.
  mutating func run() async throws -> ExitCode {
    try ToolEnvironment.needProcess()
    await plan.leaveWorlds(ifNeedBe: program.obstacleToWorlds, program.speaker)
    let drill = try program.drill(plan)
    Terminal.answer(line: "\(before.endpoint), call \(before.call) in \(plan.scenarios[0].name)")
    let report: Report
    if plan.time == .realTime {
      report = try await drill.fly { progress in
        guard case .attempt(_, _, _, let attempt) = progress else { return }
        Terminal.answer(line: "  \(Self.line(attempt))")
      }
    } else {
      report =
        plan.isInWorlds
        ? try await drill.fly() : try await Drill.fly(program.subjects, plan)
      // It is over before anybody could have read a line.
      for attempt in report.scenarios.first?.subjects.first?.observations.first?.allAttempts ?? [] {
        Terminal.answer(line: "  \(Self.line(attempt))")
      }
    }
    guard let row = report.scenarios.first?.subjects.first, let now = row.observations.first else {
      throw Refusal.selfNotFound
    }
    let milliseconds = Int(now.latency.inMilliseconds.rounded())
    Terminal.answer(
      line: "  \(milliseconds) ms: \(Self.words(now.ending)); before: \(Self.words(before.ending))"
    )
    let (met, had) = (now.allAttempts.map(\.decision), before.allAttempts.map(\.decision))
    let common = min(met.count, had.count)
    let isSame = met.prefix(common) == had.prefix(common)
    let same = "the same as before, as far as both went: \(common) of \(had.count) attempts"
    Terminal.answer(
      isSame
        ? "  It met \(same).\n"
        : "  It met something else than before\(plan.scenarios[0].followsClock ? Self.clock : "").\n"
    )
    if let asked = now.notOnCassette {
      Terminal.answer("  It asked for what is not on the cassette: \(asked)\n")
      return .inconclusive
    }
    switch now.ending {
    case .succeeded: return isSame ? .done : .found
    case .failed: return .found
    case .crashed, .hung: return .fell
    }
  }

  private static func line(_ attempt: Observation.Attempt) -> String {
    var parts = [attempt.faults.isEmpty ? "no fault" : attempt.faults.joined(separator: " + ")]
    if let start = attempt.start {
      parts.insert("\(Int(start.inMilliseconds.rounded())) ms", at: 0)
    }
    if let status = attempt.status { parts.append("\(status)") }
    if let bytes = attempt.bytes { parts.append("\(bytes) bytes") }
    if let error = attempt.error { parts.append(error) }
    if let wait = attempt.retryAfter { parts.append("Retry-After \(wait.components.seconds) s") }
    return (parts + [attempt.take]).joined(separator: ", ")
  }

  private static let clock =
    ": rules of its scenario follow the clock, and it came at another moment"

  static func words(_ ending: Observation.CallResult) -> String {
    switch ending {
    case .succeeded: "succeeded"
    case .failed(let reason): "failed, \(reason)"
    case .crashed: "crashed"
    case .hung: "hung"
    }
  }
}

/// The account in a report of how it was flown, made a plan again.
private struct RecordedPlan {
  let report: Report
  /// The report's file: a cassette may lie beside it.
  let file: String
  /// The scenario that is flown.
  let flown: Report.Flown

  /// Returns the plan; what the flags say goes before what the report says.
  func plan(_ base: DrillPlan, _ subject: String, _ arguments: Arguments) throws -> DrillPlan {
    var plan = base
    if let cassette = try cassetteFile(arguments) {
      try plan.apply(cassette: cassette)
    } else if flown.weather?.startup != nil {
      plan.cassette = try Shipped.startup()
    }
    guard SHA256.hexadecimal(plan.cassette.data()) == fact("cassette") else {
      throw Refusal.otherCassette
    }
    plan.scenarios = [try scenario(arguments)]
    (plan.seed, plan.stage) = (report.seed, flown.stage)
    if fact(Report.clock) != nil { plan.time = .virtualTime }
    (plan.subjects, plan.load) = ([subject], .closedLoop(concurrency: 1))
    plan.calls = fact("calls").flatMap { Int($0) }
    plan.errors = .init(rawValue: report.platformErrors) ?? plan.errors
    let shares = fact("mix")?.components(separatedBy: ", ") ?? []
    plan.mix = Mix(shares.compactMap { Mix.Share($0) })
    let ignored = fact("ignoredQuery")?.components(separatedBy: ", ") ?? []
    plan.ignoredQuery = ignored.map { NamePattern($0) }
    if subject == DrillPlan.execSubject {
      plan.command = try command(arguments)
    } else if !arguments.command.isEmpty {
      throw Refusal.commandWithoutExec
    }
    let timeout = fact("timeoutMilliseconds").flatMap { Int64($0) }.map {
      Duration.milliseconds($0)
    }
    plan.deadline = try arguments.duration("--timeout") ?? timeout ?? plan.deadline
    return plan
  }

  private func fact(_ name: String) -> String? {
    report.environment.first { $0.name == name }?.value
  }

  /// Returns the file that a flag names, else the one that was flown on, from here or beside the
  /// report; `nil`: what ships.
  private func cassetteFile(_ arguments: Arguments) throws -> URL? {
    if let path = try arguments.value("--cassette") { return URL(typed: path) }
    guard let path = fact("cassetteFile") else { return nil }
    let beside = URL(typed: file).deletingLastPathComponent()
    let places = [
      URL(typed: path), beside.appending(path: URL(typed: path).lastPathComponent),
    ]
    guard let found = places.first(where: { FileManager.default.fileExists(atPath: $0.path) })
    else {
      throw Refusal.cassetteGone(path)
    }
    return found
  }

  /// Returns the scenario that a flag names, if it is of that name, else the one in the report.
  private func scenario(_ arguments: Arguments) throws -> Scenario {
    let asked = arguments.all("--scenario").first
    if asked == nil, let weather = flown.weather { return weather }
    let scenario = try Scenarios.find(asked ?? flown.name, in: Shipped.scenarios())
    guard scenario.name == flown.name else { throw Refusal.otherScenario(flown.name) }
    return scenario
  }

  private func command(_ arguments: Arguments) throws -> [String] {
    if !arguments.command.isEmpty { return arguments.command }
    guard let kept = fact(CommandWords.fact).flatMap({ CommandWords(text: $0) }),
      let program = kept.words.first
    else { throw Refusal.execWithoutCommand }
    guard !kept.isIncomplete else { throw Refusal.incompleteCommand(kept.words) }
    guard Executable.find(program) != nil else { throw Refusal.noCommand(program) }
    return kept.words
  }
}

extension Report.Row {
  /// Returns the age of the weather when the first attempt of a call came: it begins with the very
  /// first.
  fileprivate func elapsed(at call: Observation) -> Duration? {
    func beginning(_ call: Observation) -> Duration? {
      call.allAttempts.first?.start ?? call.start ?? call.intendedStart
    }
    guard let first = observations.compactMap(beginning).min(), let own = beginning(call) else {
      return nil
    }
    return own - first
  }
}

extension Scenario {
  /// Tells whether some of its rules ask for the time.
  fileprivate var followsClock: Bool { rules.contains { $0.trigger.window != nil } }
}
