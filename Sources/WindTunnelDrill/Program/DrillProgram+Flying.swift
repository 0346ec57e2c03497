internal import Foundation
internal import WindTunnel
package import WindTunnelCommandLine
internal import WindTunnelSymptoms

extension DrillProgram {
  /// Flies what the flags ask for, shows it, writes it, and judges it by the exit code.
  package func run(_ arguments: Arguments) async throws -> ExitCode {
    if let again = try arguments.value("--again") {
      return try await FlyingAgain(again, arguments, in: self).run()
    }
    let plan = try plan(arguments)
    let allows = arguments.has("--allow-inconclusive")
    // Told now, not after the drill.
    let files = try ReportFiles(arguments)
    let baseline = try arguments.value("--baseline").map {
      try Report(contentsOf: URL(filePath: $0))
    }
    let drill = try drill(plan)
    for scenario in plan.leftOut {
      Terminal.complain("\(speaker): not flown: \(scenario.reason)\n")
    }
    let flight = InterruptibleFlight(drill: drill, files: arguments.all("--report"))
    var report: Report
    switch try await flight.fly(progress: { Self.show($0) }) {
    case .flown(let whole): report = whole
    case .interrupted(let code, let words):
      Terminal.progress("")
      Terminal.complain("\(speaker): \(words)")
      return code
    }
    if let baseline { report = report.compared(to: baseline) }
    // Shown before it is written: what took minutes is not lost to a disk that is full.
    let isJSON = arguments.has("--json")
    if isJSON {
      Terminal.answer(json: report.data())
    } else {
      Terminal.answer(report: report.text(inColour: Terminal.showsColour))
    }
    try files.write(report, allowsInconclusive: allows)
    report.complain(as: speaker, isShown: !isJSON, allowsInconclusive: allows)
    if let file = arguments.all("--report").first(where: { $0.hasSuffix(".json") }) {
      let failing = FailingCalls(report: report, file: file, program: name)
      for line in failing.lines { Terminal.complain(line) }
    }
    return ExitCode(report.verdict(allowsInconclusive: allows))
  }

  /// A plan of nothing but what flies where no flag says otherwise.
  func plan() throws -> DrillPlan {
    var plan = try DrillPlan()
    plan.subjects = flown
    return plan
  }

  private func plan(_ arguments: Arguments) throws -> DrillPlan {
    var plan = try plan()
    if let path = try arguments.value("--cassette") {
      let file = URL(filePath: path)
      try plan.take(cassette: file)
    }
    let group = try plan.take(scenarios: arguments, speaker)
    try plan.take(subject: arguments)
    plan.gates = try arguments.all("--gate").map { try Gate($0) }
    try plan.take(load: arguments)
    plan.deadline = try arguments.duration("--timeout") ?? plan.deadline
    plan.seed = UInt64(try arguments.int("--seed", in: 0...Int.max) ?? Int(plan.seed))
    plan.stage =
      try arguments.choice(
        "--stage",
        ["auto": nil, "in-process": Stage.inProcess, "wire": .onTheWire]
      ) ?? nil
    plan.errors =
      try arguments.choice("--errors", ["current": .current, "apple": .apple]) ?? plan.errors
    try plan.leaveOut(among: group)
    if !arguments.has("--baseline"), let gate = plan.gates.first(where: \.needsBaseline) {
      throw Refusal.gateWithoutBaseline(gate)
    }
    return plan
  }

  private static func show(_ progress: ProcessDrill.Progress) {
    switch progress {
    case .calls(let scenario, let subject, let done, let count):
      Terminal.progress("\(scenario), \(subject): \(done) of \(count) calls")
    case .attempt: break
    // A log is as short as what a terminal keeps.
    case .finished: Terminal.progress("")
    }
  }
}
