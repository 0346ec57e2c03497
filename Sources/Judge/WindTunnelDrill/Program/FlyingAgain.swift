internal import Foundation
internal import WindTunnelCommandLine

/// Runs one call of a report by itself: `drill --again drill.json#metro/payments/17`. The call
/// meets the same decisions as in the whole drill, also on another machine, and its attempts are
/// printed as they happen.
enum FlyingAgain {
  /// The flags that can be combined with `--again`.
  private static let flags = ["--again", "--cassette", "--scenario", "--subject", "--timeout"]

  /// Runs the call `FILE#SCENARIO/…/CALL` and prints the result. The exit code reports a finding if
  /// the call failed again. The words between scenario and call are for readers, but are checked.
  static func run(
    _ text: String,
    _ arguments: Arguments,
    in program: DrillProgram
  ) async throws -> ExitCode {
    for flag in program.flags.map(\.name) where !Self.flags.contains(flag) && arguments.has(flag) {
      throw CommandError.usage(
        "\(flag) cannot be combined with --again, which repeats the call of its report."
      )
    }
    let recorded = try RecordedCall(text, of: "--again", arguments)
    var plan = try recorded.plan(try program.plan(), arguments)
    try ToolEnvironment.needProcess()
    await plan.leaveWorlds(ifNeedBe: program.obstacleToWorlds, program.speaker)
    let (drill, before) = (try program.drill(plan), recorded.call)
    Terminal.answer(line: "\(before.endpoint), call \(before.call) in \(plan.scenarios[0].name)")
    let report = try await fly(drill, program.subjects)
    guard let row = report.scenarios.first?.subjects.first, let now = row.observations.first else {
      throw CommandError.selfNotFound
    }
    let milliseconds = Int(now.latency.inMilliseconds.rounded())
    Terminal.answer(
      line: "  \(milliseconds) ms: \(now.ending.words); before: \(before.ending.words)"
    )
    let (met, had) = (now.allAttempts.map(\.decision), before.allAttempts.map(\.decision))
    let common = min(met.count, had.count)
    let isSame = met.prefix(common) == had.prefix(common)
    let followsClock = plan.scenarios[0].rules.contains { $0.trigger.window != nil }
    Terminal.answer(
      isSame
        ? "  The faults are equal to the report's: \(common) of \(had.count) attempts.\n"
        : "  The faults differ from the "
          + "report's\(followsClock ? Self.clock : "").\n"
    )
    if let asked = now.notOnCassette {
      Terminal.answer("  It had no recording: \(asked)\n")
      return .inconclusive
    }
    switch now.ending {
    case .succeeded: return isSame ? .done : .found
    case .failed: return .found
    case .crashed, .hung: return .fell
    }
  }

  /// Runs the call and prints its attempts.
  private static func fly(_ drill: ProcessDrill, _ subjects: [any Subject]) async throws -> Report {
    let plan = drill.plan
    if plan.time == .realTime {
      return try await drill.run { progress in
        guard case .attempt(_, _, _, let attempt) = progress else { return }
        Terminal.answer(line: "  \(line(attempt))")
      }
    }
    let report =
      plan.isInWorlds ? try await drill.run() : try await Drill.run(subjects, plan)
    // A run in virtual time is too short to print attempts as they happen.
    for attempt in report.scenarios.first?.subjects.first?.observations.first?.allAttempts ?? [] {
      Terminal.answer(line: "  \(line(attempt))")
    }
    return report
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
    return (parts + [attempt.source.words]).joined(separator: ", ")
  }

  private static let clock =
    ": rules of its scenario depend on the clock, and it ran at another time"
}

extension Observation.CallResult {
  fileprivate var words: String { reason.map { "failed, \($0)" } ?? word }
}
