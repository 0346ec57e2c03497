internal import Foundation
internal import WindTunnel
internal import WindTunnelCommandLine
internal import WindTunnelSymptoms

/// What a report says of how it was flown, made a plan again.
struct RecordedPlan {
  let report: Report
  /// The report's file: a cassette may lie beside it.
  let file: String
  /// The scenario that is flown.
  let flown: Report.Flown

  /// The plan; what the flags say goes before what the report says.
  func plan(_ base: DrillPlan, _ subject: String, _ arguments: Arguments) throws -> DrillPlan {
    var plan = base
    if let cassette = try cassetteFile(arguments) {
      try plan.take(cassette: cassette)
    }
    guard SHA256.hexadecimal(plan.cassette.data()) == fact("cassette") else {
      throw Refusal.otherCassette
    }
    plan.scenarios = [try scenario(arguments)]
    (plan.seed, plan.stage) = (report.seed, flown.stage)
    (plan.subjects, plan.load) = ([subject], .closedLoop(concurrency: 1))
    plan.calls = fact("calls").flatMap { Int($0) } ?? 1
    plan.errors = .init(rawValue: report.platformErrors) ?? plan.errors
    let shares = fact("mix")?.components(separatedBy: ", ") ?? []
    plan.mix = Mix(shares.compactMap { Mix.Share($0) })
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

  /// The file that a flag names, else the one that was flown on, from here or beside the report; `nil`:
  /// what ships.
  private func cassetteFile(_ arguments: Arguments) throws -> URL? {
    if let path = try arguments.value("--cassette") { return URL(filePath: path) }
    guard let path = fact("cassetteFile") else { return nil }
    let beside = URL(filePath: file).deletingLastPathComponent()
    let places = [
      URL(filePath: path), beside.appending(path: URL(filePath: path).lastPathComponent),
    ]
    guard let found = places.first(where: { FileManager.default.fileExists(atPath: $0.path) })
    else {
      throw Refusal.cassetteGone(path)
    }
    return found
  }

  /// The scenario that a flag names, if it is of that name, else the one in the report.
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
  /// How old the weather was when the first attempt of a call came: it begins with the very first.
  func elapsed(at call: Observation) -> Duration? {
    func beginning(_ call: Observation) -> Duration? {
      call.attempts.first?.start ?? call.start ?? call.intendedStart
    }
    guard let first = observations.compactMap(beginning).min(), let own = beginning(call) else {
      return nil
    }
    return own - first
  }
}

extension Scenario {
  /// Whether some of its rules ask for the time.
  var followsClock: Bool { rules.contains { $0.trigger.window != nil } }
}
