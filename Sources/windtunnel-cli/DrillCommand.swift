internal import Foundation
internal import Symptoms
internal import WindTunnel
internal import WindTunnelDrill

enum DrillCommand: Command {
  static let name = "drill"
  static let summary = "Fly client libraries through bad weather and judge how they did."
  static let synopsis =
    "[--cassette FILE] [--scenario NAME|FILE …] [--gate EXPR …] [--report FILE …]"
  static let example = "windtunnel drill --scenario rate-limited --calls 200 --report drill.json"
  static let flags = [
    Flag("--cassette", "FILE", "What answers (default: the shipped shop)."),
    Flag(
      "--scenario",
      "NAME|FILE",
      "The weather, pre-release or weak-network; may be repeated."
    ),
    Flag(
      "--subject",
      "NAME",
      "Who is judged: network-layer, urlsession, or exec: the command behind --."
    ),
    Flag("--calls", "N", "Calls a subject makes in each scenario (default: 60)."),
    Flag("--duration", "T", "As many calls as begin in so long a time, such as 30s."),
    Flag("--rate", "R", "Calls a second, whoever still waits (default: 50; exec: 10)."),
    Flag("--concurrency", "N", "So many calls at once instead, one after the other."),
    Flag("--mix", "REQUEST=N", "How often it is called among the others: \"GET /home=5\"."),
    Flag("--shard", "I/N", "Fly the I-th of N parts; env: as the CI's environment says."),
    Flag("--timeout", "T", "How long a call may take, such as 10s (default: 10s)."),
    Flag("--seed", "N", "What all draws start from (default: 1)."),
    Flag("--stage", "STAGE", "auto, in-process or wire (default: auto)."),
    Flag("--errors", "WHOSE", "Whose errors in process: current or apple (default: current)."),
    Flag("--gate", "EXPR", "Where the bar lies, such as \"p95 <= 3s\"; beside the scenarios' own."),
    Flag("--allow-inconclusive", nil, "A gate that cannot be told fails nothing."),
    Flag("--baseline", "FILE", "An earlier report: compares, and gives \"baseline\" in gates."),
    Flag("--again", "REPORT#CALL", "Fly one call of a report alone: drill.json#metro/payments/17."),
    Flag("--report", "FILE", "Write the report: .json, .html, .md, .xml, .csv or .txt."),
    Flag("--json", nil, "Print the report as JSON instead of the table."),
  ]

  static let takesCommand = true

  static func run(_ arguments: Arguments) async throws -> ExitCode {
    if let again = try arguments.value("--again") {
      return try await FlyingAgain(again, arguments).run()
    }
    let plan = try plan(arguments)
    let allows = arguments.has("--allow-inconclusive")
    // Told now, not after the drill.
    let files = try ReportFiles(arguments)
    let baseline = try arguments.value("--baseline").map {
      try Report(contentsOf: URL(filePath: $0))
    }
    guard let executable = Bundle.main.executableURL else {
      throw Refusal.selfNotFound
    }
    let drill = try ProcessDrill(plan, executable: executable, arguments: [Tool.subjectWord])
    let interruption = Task {
      await Interruption().wait()
      // Nobody interrupted; the drill is over.
      if Task.isCancelled { return }
      if Terminal.showsProgress { Terminal.complain("\r\u{1B}[K") }
      // The subject's process ends by itself when this one is gone.
      _exit(ExitCode.interrupted.rawValue)
    }
    var report = try await drill.fly { show($0) }
    interruption.cancel()
    if let baseline { report = report.compared(to: baseline) }
    // Shown before it is written: what took minutes is not lost to a disk that is full.
    let isJSON = arguments.has("--json")
    if isJSON {
      Terminal.answer(String(decoding: report.data(), as: UTF8.self))
    } else {
      Terminal.answer(report.text(inColour: Terminal.showsColour))
    }
    try files.write(report, allowsInconclusive: allows)
    report.complain(isShown: !isJSON, allowsInconclusive: allows)
    if let file = arguments.all("--report").first(where: { $0.hasSuffix(".json") }) {
      FlyingAgain.tell(of: report, in: file)
    }
    return ExitCode(report.verdict(allowsInconclusive: allows))
  }

  private static func plan(_ arguments: Arguments) throws -> DrillPlan {
    var plan = try DrillPlan()
    if let path = try arguments.value("--cassette") {
      let file = URL(filePath: path)
      try plan.take(cassette: file)
    }
    let asked = arguments.all("--scenario")
    if !asked.isEmpty {
      plan.scenarios = try asked.flatMap { try Scenarios.findAll($0, in: Shipped.scenarios()) }
    }
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
    return plan
  }

  private static func show(_ progress: ProcessDrill.Progress) {
    switch progress {
    case .calls(let scenario, let subject, let done, let count):
      guard Terminal.showsProgress else { return }
      Terminal.complain("\r\u{1B}[K\(scenario), \(subject): \(done) of \(count) calls")
    case .attempt: break
    case .finished(let scenario, let subject):
      Terminal.complain(
        Terminal.showsProgress ? "\r\u{1B}[K" : "\(scenario), \(subject): flown\n"
      )
    }
  }
}
