internal import Foundation
internal import WindTunnel
internal import WindTunnelCommandLine

/// `drill --again drill.json#metro/payments/17`: one call of a report, flown by itself. It meets
/// the same decisions as it did among the others, on another machine, too, and its story is told as
/// it happens.
enum FlyingAgain {
  /// The flags that go with it.
  private static let flags = ["--again", "--cassette", "--scenario", "--subject", "--timeout"]

  /// Flies `FILE#SCENARIO/…/CALL` and says how it went; found, if it failed again. What stands
  /// between scenario and call is for people, and has to be right all the same.
  static func run(
    _ text: String,
    _ arguments: Arguments,
    in program: DrillProgram
  ) async throws -> ExitCode {
    for flag in program.flags.map(\.name) where !Self.flags.contains(flag) && arguments.has(flag) {
      throw Refusal.usage(
        "\(flag) does not go with --again: that call is flown as its report says."
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
      throw Refusal.selfNotFound
    }
    let milliseconds = Int(now.latency.inMilliseconds.rounded())
    Terminal.answer(
      line: "  \(milliseconds) ms: \(now.ending.words); before: \(before.ending.words)"
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

  /// Flies the call, and tells its story.
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
    // It is over before anybody could have read a line.
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
    ": rules of its scenario follow the clock, and it came at another moment"
}

extension Observation.CallResult {
  fileprivate var words: String { reason.map { "failed, \($0)" } ?? word }
}

extension Scenario {
  /// Tells whether some of its rules ask for the time.
  fileprivate var followsClock: Bool { rules.contains { $0.trigger.window != nil } }
}
