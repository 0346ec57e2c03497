internal import Foundation
internal import Symptoms
internal import WindTunnel
internal import WindTunnelDrill

/// `drill --again drill.json#metro/payments/17`: one call of a report, flown by itself. It meets the
/// same decisions as it did among the others, on another machine, too, and its story is told as it
/// happens.
struct FlyingAgain {
  private let plan: DrillPlan
  private let before: Observation

  /// Reads `FILE#SCENARIO/…/CALL`; what stands between is for people.
  init(_ text: String, _ arguments: Arguments) throws {
    let parts = text.split(separator: "#", maxSplits: 1).map(String.init)
    let words = parts.last.map { $0.split(separator: "/").map(String.init) } ?? []
    guard parts.count == 2, words.count >= 2, let call = words.last.flatMap({ Int($0) }) else {
      throw Refusal.value(
        "--again",
        text,
        shouldBe: "a report, a scenario and a call, as in drill.json#metro/17,"
      )
    }
    let report = try Report(contentsOf: URL(filePath: parts[0]))
    guard let flown = report.scenarios.first(where: { $0.name == words[0] }) else {
      throw Refusal.choice("--again", words[0], among: report.scenarios.map(\.name))
    }
    let subject = try arguments.value("--subject") ?? flown.subjects.first?.name ?? ""
    guard let row = flown.subjects.first(where: { $0.name == subject }) else {
      throw Refusal.choice("--subject", subject, among: flown.subjects.map(\.name))
    }
    guard let before = row.observations.first(where: { $0.call == call }) else {
      throw Refusal.noSuchCall(call, of: subject, in: flown.name)
    }
    self.before = before
    plan = try Self.plan(report, flown, subject, call, arguments)
  }

  private static func plan(
    _ report: Report,
    _ flown: Report.Flown,
    _ subject: String,
    _ call: Int,
    _ arguments: Arguments
  ) throws -> DrillPlan {
    var plan = try DrillPlan()
    if let path = try arguments.value("--cassette") {
      try plan.take(cassette: URL(filePath: path))
    }
    func fact(_ name: String) -> String? { report.environment.first { $0.name == name }?.value }
    guard SHA256.hexadecimal(plan.cassette.data()) == fact("cassette") else {
      throw Refusal.otherCassette
    }
    let weather = arguments.all("--scenario").first ?? flown.name
    plan.scenarios = [try Scenarios.find(weather, in: Shipped.scenarios())]
    guard plan.scenarios[0].name == flown.name else { throw Refusal.otherScenario(flown.name) }
    (plan.seed, plan.stage, plan.onlyCall) = (report.seed, flown.stage, call)
    (plan.subjects, plan.load) = ([subject], .closedLoop(concurrency: 1))
    plan.calls = fact("calls").flatMap { Int($0) } ?? call + 1
    plan.errors = .init(rawValue: report.platformErrors) ?? plan.errors
    let shares = fact("mix")?.components(separatedBy: ", ") ?? []
    plan.mix = Mix(shares.compactMap { Mix.Share($0) })
    if subject == DrillPlan.execSubject {
      guard !arguments.command.isEmpty else { throw Refusal.execWithoutCommand }
      plan.command = arguments.command
    }
    plan.deadline = try arguments.duration("--timeout") ?? plan.deadline
    return plan
  }

  /// Flies it and says how it went; found, where it failed again.
  func run() async throws -> ExitCode {
    guard let executable = Bundle.main.executableURL else { throw Refusal.selfNotFound }
    let drill = try ProcessDrill(plan, executable: executable, arguments: [Tool.subjectWord])
    Terminal.answer("\(before.endpoint), call \(before.call) in \(plan.scenarios[0].name)\n")
    let report = try await drill.fly { progress in
      guard case .attempt(_, _, _, let attempt) = progress else { return }
      Terminal.answer("  \(Self.line(attempt))\n")
    }
    guard let row = report.scenarios.first?.subjects.first, let now = row.observations.first else {
      throw Refusal.selfNotFound
    }
    let milliseconds = Int(now.latency.inMilliseconds.rounded())
    Terminal.answer(
      "  \(milliseconds) ms: \(Self.words(now.ending)); before: \(Self.words(before.ending))\n"
    )
    let (met, had) = (now.attempts.map(\.decision), before.attempts.map(\.decision))
    let common = min(met.count, had.count)
    let isSame = met.prefix(common) == had.prefix(common)
    Terminal.answer(
      isSame
        ? "  It met what it had met, as far as both went: \(common) of \(had.count) attempts.\n"
        : "  It met something else than before: the scenario or the cassette has changed.\n"
    )
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

  private static func words(_ ending: Observation.Ending) -> String {
    switch ending {
    case .succeeded: "succeeded"
    case .failed(let reason): "failed, \(reason)"
    case .crashed: "crashed"
    case .hung: "hung"
    }
  }

  /// How many failing calls are told of.
  private static let toldMax = 10

  /// Says of the judged subject's failing calls how each is flown again.
  static func tell(of report: Report, in file: String) {
    var told = 0
    for flown in report.scenarios {
      for call in flown.subjects.first?.observations ?? [] where call.ending != .succeeded {
        told += 1
        guard told <= toldMax else { continue }
        let name = call.endpoint.split(separator: "/").last.map(String.init) ?? "call"
        Terminal.complain(
          "\(words(call.ending)): windtunnel drill --again "
            + "\(file)#\(flown.name)/\(name)/\(call.call)\n"
        )
      }
    }
    if told > toldMax { Terminal.complain("and \(told - toldMax) calls more\n") }
  }
}
