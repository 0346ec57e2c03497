internal import Foundation
internal import WindTunnel
internal import WindTunnelCommandLine
internal import WindTunnelSymptoms

/// `drill --again drill.json#metro/payments/17`: one call of a report, flown by itself. It meets the
/// same decisions as it did among the others, on another machine, too, and its story is told as it
/// happens.
struct FlyingAgain {
  private let program: DrillProgram
  private let plan: DrillPlan
  private let before: Observation

  /// Reads `FILE#SCENARIO/…/CALL`; what stands between is for people, and has to be right all the same.
  init(_ text: String, _ arguments: Arguments, in program: DrillProgram) throws {
    for flag in program.flags.map(\.name) where !Self.flags.contains(flag) && arguments.has(flag) {
      throw Refusal.notWithAgain(flag)
    }
    let (file, rest) = try Self.parts(text)
    let report = try Report(contentsOf: URL(filePath: file))
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
    guard name.isEmpty || name == Self.name(of: before) else {
      throw Refusal.otherEndpoint(name, before)
    }
    (self.program, self.before) = (program, before)
    var plan = try RecordedPlan(report: report, file: file, flown: flown).plan(
      try program.plan(),
      subject,
      arguments
    )
    (plan.onlyCall, plan.elapsed) = (call, row.elapsed(at: before))
    plan.calls = max(plan.calls, call + 1)
    self.plan = plan
  }

  /// The flags that go with it.
  private static let flags = ["--again", "--cassette", "--scenario", "--subject", "--timeout"]

  /// The file and what stands behind it; a file's name may have a `#`, too.
  private static func parts(_ text: String) throws -> (file: String, rest: String) {
    let places = text.indices.filter { text[$0] == "#" }
    let there = places.first { FileManager.default.fileExists(atPath: String(text[..<$0])) }
    guard let place = there ?? places.first else { throw unreadable(text) }
    let rest = String(text[text.index(after: place)...])
    guard rest.contains("/"), place > text.startIndex else { throw unreadable(text) }
    return (String(text[..<place]), rest)
  }

  private static func unreadable(_ text: String) -> Refusal {
    .value("--again", text, shouldBe: "a report, a scenario and a call, as in drill.json#metro/17,")
  }

  /// What stands between scenario and number, for people.
  static func name(of call: Observation) -> String {
    let path = call.endpoint.split(separator: " ", maxSplits: 1).last ?? ""
    return path.split(separator: "/").last.map(String.init) ?? "call"
  }

  /// Flies it and says how it went; found, where it failed again.
  func run() async throws -> ExitCode {
    let drill = try program.drill(plan)
    Terminal.answer(line: "\(before.endpoint), call \(before.call) in \(plan.scenarios[0].name)")
    let report = try await drill.fly { progress in
      guard case .attempt(_, _, _, let attempt) = progress else { return }
      Terminal.answer(line: "  \(Self.line(attempt))")
    }
    guard let row = report.scenarios.first?.subjects.first, let now = row.observations.first else {
      throw Refusal.selfNotFound
    }
    let milliseconds = Int(now.latency.inMilliseconds.rounded())
    Terminal.answer(
      line: "  \(milliseconds) ms: \(Self.words(now.ending)); before: \(Self.words(before.ending))"
    )
    let (met, had) = (now.attempts.map(\.decision), before.attempts.map(\.decision))
    let common = min(met.count, had.count)
    let isSame = met.prefix(common) == had.prefix(common)
    Terminal.answer(
      isSame
        ? "  It met what it had met, as far as both went: \(common) of \(had.count) attempts.\n"
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

  static func words(_ ending: Observation.Ending) -> String {
    switch ending {
    case .succeeded: "succeeded"
    case .failed(let reason): "failed, \(reason)"
    case .crashed: "crashed"
    case .hung: "hung"
    }
  }
}
