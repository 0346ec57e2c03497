internal import Foundation
internal import WindTunnelCommandLine
internal import WindTunnelServer
internal import WindTunnelSymptoms

/// A call of a report, identified by a text such as `drill.json#metro/payments/17`.
struct RecordedCall {
  /// The report's file. The cassette may be in the same folder.
  let file: String
  let report: Report
  let flown: Report.ScenarioResult
  let row: Report.Row
  let call: Observation

  /// Reads `FILE#SCENARIO/…/CALL`. The part between scenario and call is for readers, but is
  /// checked.
  ///
  /// - Parameters:
  ///   - text: The text that identifies the call.
  ///   - flag: The word of the command line that the text belongs to.
  ///   - arguments: The command line, which can select the client.
  /// - Throws: `CommandError` if the call does not exist, or if the file is not a report.
  init(_ text: String, of flag: String, _ arguments: Arguments) throws {
    let (file, rest) = try Self.parts(text, of: flag)
    let report = try Report(contentsOf: URL(typed: file))
    // The longest name, because a name may have a slash.
    let flown = report.scenarios.filter { rest.hasPrefix("\($0.name)/") }
      .max { $0.name.count < $1.name.count }
    guard let flown else {
      let name = rest.split(separator: "/").first.map(String.init) ?? rest
      throw CommandError.choice(flag, name, among: report.scenarios.map(\.name))
    }
    let words = rest.dropFirst(flown.name.count + 1).split(separator: "/").map(String.init)
    guard let number = words.last.flatMap({ Int($0) }) else {
      throw Self.unreadable(text, of: flag)
    }
    let subject = try arguments.value("--subject") ?? flown.subjects.first?.name ?? ""
    guard let row = flown.subjects.first(where: { $0.name == subject }) else {
      throw CommandError.choice("--subject", subject, among: flown.subjects.map(\.name))
    }
    guard let call = row.observations.first(where: { $0.call == number }) else {
      throw CommandError.usage(
        "The report has no call \(number) of \(subject) in \(flown.name); a shard has only some."
      )
    }
    let name = words.dropLast().joined(separator: "/")
    guard name.isEmpty || name == Observation.word(of: call.endpoint) else {
      throw CommandError.usage("\(flag): call \(call.call) is \(call.endpoint), not \(name).")
    }
    (self.file, self.report, self.flown, self.row, self.call) = (file, report, flown, row, call)
  }

  /// Returns the file and the part after it. The name of a file may contain a `#`.
  private static func parts(
    _ text: String,
    of flag: String
  ) throws -> (file: String, rest: String) {
    let places = text.indices.filter { text[$0] == "#" }
    let existing = places.first {
      FileManager.default.fileExists(atPath: URL(typed: String(text[..<$0])).path)
    }
    guard let place = existing ?? places.first else { throw unreadable(text, of: flag) }
    let rest = String(text[text.index(after: place)...])
    guard rest.contains("/"), place > text.startIndex else { throw unreadable(text, of: flag) }
    return (String(text[..<place]), rest)
  }

  private static func unreadable(_ text: String, of flag: String) -> CommandError {
    .value(flag, text, shouldBe: "a report, a scenario and a call, as in drill.json#metro/17")
  }
}

// Restores the plan of a run from the facts in its report.
extension RecordedCall {
  /// Returns the plan of the call alone. Flags override the report. `startsCommand` is `true` if
  /// the command will be started.
  func plan(
    _ base: DrillPlan,
    _ arguments: Arguments,
    startsCommand: Bool = true
  ) throws -> DrillPlan {
    let subject = row.name
    var plan = base
    if let cassette = try cassetteFile(arguments) {
      try plan.apply(cassette: cassette)
    } else if flown.scenario?.startup != nil {
      plan.cassette = try Shipped.startup()
    }
    guard SHA256.hexadecimal(plan.cassette.data()) == report.fact("cassette") else {
      throw CommandError.usage("The report is from another cassette; pass it by --cassette FILE.")
    }
    plan.scenarios = [try scenario(arguments)]
    (plan.seed, plan.stage) = (report.seed, flown.stage)
    if report.fact(Report.clock) != nil { plan.time = .virtualTime }
    (plan.subjects, plan.load) = ([subject], .closedLoop(concurrency: 1))
    plan.calls = report.fact("calls").flatMap { Int($0) }
    plan.errors = .init(rawValue: report.platformErrors) ?? plan.errors
    plan.httpVersions = report.fact("http").flatMap { HTTPVersions(number: $0) } ?? .any
    let shares = report.fact("mix")?.components(separatedBy: ", ") ?? []
    plan.mix = Mix(shares.compactMap { Mix.Share($0) })
    let ignored = report.fact("ignoredQuery")?.components(separatedBy: ", ") ?? []
    plan.ignoredQuery = ignored.map { NamePattern($0) }
    if subject == DrillPlan.execSubject {
      plan.command = try command(arguments, startsCommand)
    } else if !arguments.command.isEmpty {
      throw CommandError.commandWithoutExec
    }
    let timeout = report.fact("timeoutMilliseconds").flatMap { Int64($0) }.map {
      Duration.milliseconds($0)
    }
    plan.deadline = try arguments.duration("--timeout") ?? timeout ?? plan.deadline
    (plan.onlyCall, plan.elapsed) = (call.call, row.elapsed(at: call))
    plan.calls = max(plan.scenarios.first.map { plan.calls(in: $0) } ?? 0, call.call + 1)
    return plan
  }

  /// Returns the file of the flag. Without the flag, returns the cassette of the run, from this
  /// folder, the report's folder or the parent of that. Returns `nil` for the shipped cassette.
  private func cassetteFile(_ arguments: Arguments) throws -> URL? {
    if let path = try arguments.value("--cassette") { return URL(typed: path) }
    guard let path = report.fact("cassetteFile") else { return nil }
    let beside = URL(typed: file).deletingLastPathComponent()
    let name = URL(typed: path).lastPathComponent
    let places = [
      URL(typed: path), beside.appending(path: name), beside.appending(path: "../\(name)"),
    ]
    guard let found = places.first(where: { FileManager.default.fileExists(atPath: $0.path) })
    else {
      throw CommandError(
        .noInput,
        "The report is from \(path), which does not exist; pass it by --cassette FILE."
      )
    }
    return found
  }

  /// Returns the scenario that a flag names, which must have the same name, or else the scenario in
  /// the report.
  private func scenario(_ arguments: Arguments) throws -> Scenario {
    let asked = arguments.all("--scenario").first
    if asked == nil, let scenario = flown.scenario { return scenario }
    let scenario = try Scenarios.find(asked ?? flown.name, in: Shipped.scenarios())
    guard scenario.name == flown.name else {
      throw CommandError.usage(
        "The report's scenario is \(flown.name); pass its file by --scenario."
      )
    }
    return scenario
  }

  private func command(_ arguments: Arguments, _ startsCommand: Bool) throws -> [String] {
    if !arguments.command.isEmpty { return arguments.command }
    guard let kept = report.fact(CommandWords.fact).flatMap({ CommandWords(text: $0) }),
      let program = kept.words.first
    else { throw CommandError.execWithoutCommand }
    guard startsCommand else { return kept.words }
    guard !kept.isIncomplete else {
      throw CommandError.usage(
        "The report omits the secrets of the command: "
          + "\(kept.words.map(\.asShellWord).joined(separator: " ")). Pass it after --."
      )
    }
    guard Executable.find(program) != nil else { throw CommandError.noCommand(program) }
    return kept.words
  }
}

extension Report.Row {
  /// Returns the age of the scenario at the first attempt of a call. The scenario begins with the
  /// first attempt of all calls.
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
