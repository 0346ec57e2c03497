extension DrillProgram {
  /// The tool's own drill: the reference client, a plain `URLSession`, and any program.
  static let shipped = DrillProgram(
    name: "windtunnel drill",
    subjects: ReferenceClient.subjects + [.urlSession, .program] + ReferenceClient.engines,
    isTool: true
  )
}

/// The drill of any host program, with the shipped clients.
enum DrillCommand: Command {
  static let name = "drill"
  static let summary = DrillProgram.summary
  static let synopsis = DrillProgram.synopsis
  static let example = DrillProgram.shipped.example
  static let flags = [PlanFile.flag] + DrillProgram.shipped.flags
  static let takesCommand = true

  static func run(_ arguments: Arguments) async throws -> ExitCode {
    let arguments = try PlanFile.completing(arguments, flags: DrillProgram.shipped.flags)
    try FileRoles.check(arguments)
    return try await DrillProgram.shipped.run(arguments)
  }
}

enum ReproduceCommand: Command {
  static let name = "reproduce"
  static let summary = "Write a Python server that reproduces one call of a drill."
  static let synopsis = "REPORT[#CALL] [--out FILE] [-- CMD …]"
  static let example =
    "windtunnel reproduce .windtunnel/last.json#broken-answers/home/4 --out server.py"
  static let operandsMax = 1
  static let flags = DrillProgram.reproductionFlags
  static let takesCommand = true

  static func run(_ arguments: Arguments) async throws -> ExitCode {
    try DrillProgram.shipped.reproduce(arguments)
  }
}

enum ReportCommand: Command {
  static let name = "report"
  static let summary = "Show the report of a drill, or merge the reports of its shards."
  static let synopsis = "FILE … [--format FORMAT] [--gate EXPR …] [--baseline FILE]"
  static let example = "windtunnel report shard-*.json --gate \"successRate >= 0.99\""
  static let operandsMax = 10_000
  static let flags = [
    Flag("--format", "FORMAT", choices: formats)
      .help("text, json, markdown, junit, html, csv or sarif (default: text)."),
    Flag(
      "--report",
      "FILE",
      "Write it to a file as well: .json, .html, .md, .xml, .csv, .sarif or .txt."
    ),
    Flag("--gate", "EXPR")
      .help("Condition such as \"p95 <= 3s\", in addition to the drill's. May be repeated."),
    .bars,
    Flag("--baseline", "FILE", "Earlier report to compare with; gates name it \"baseline\"."),
    Flag("--allow-inconclusive", nil, "Pass a drill even if something could not be judged."),
    .findings, .allow,
  ]

  private static let formats = ReportRendering.allCases.map(\.rawValue)

  static func run(_ arguments: Arguments) async throws -> ExitCode {
    _ = try arguments.operand(0, "FILE", "the report to show")
    let rendering =
      try arguments.choice("--format", among: formats, ReportRendering.init(rawValue:)) ?? .text
    let gates = try arguments.all("--gate").map { try Gate($0) }
    let files = try ReportFiles(arguments)
    let baseline = try arguments.value("--baseline").map { try Report(contentsOf: URL(typed: $0)) }
    let parts = try arguments.operands.map { path in
      Report.Part(try Report(contentsOf: URL(typed: path)), from: path)
    }
    var report = try Report(merging: parts).judged(by: gates)
    if parts.count == 1 { report.file = arguments.operands[0] }
    if let bars = try Bars(arguments) { report.bars = bars }
    if let baseline { report = report.compared(to: baseline) }
    report.policy = try VerdictPolicy(arguments)
    let allowed = try AllowedRule.all(in: arguments)
    for place in report.scenarios.indices { report.scenarios[place].allowed += allowed }
    switch rendering {
    case .text: Terminal.answer(report: report.text(inColour: Terminal.showsColour))
    case .json: Terminal.answer(json: report.rendered(as: .json))
    default:
      Terminal.answer(report: String(decoding: report.rendered(as: rendering), as: UTF8.self))
    }
    try files.write(report)
    // A report that is only shown was judged when it was created. Combined parts and new bars were
    // not.
    let isJudged =
      parts.count > 1 || !gates.isEmpty || baseline != nil || arguments.has("--findings")
      || arguments.has("--bars")
    guard isJudged else { return .done }
    report.complain(as: "windtunnel", isShown: rendering == .text)
    return ExitCode(report.verdict)
  }
}

enum MetricsListCommand: Command {
  static let name = "metrics list"
  static let summary = "List every metric that a gate can compare."
  static let synopsis = "[--json | --markdown]"
  static let example = "windtunnel metrics list"
  static let flags = [
    Flag("--json", nil, "Print a list of objects instead."),
    Flag("--markdown", nil, "Print a table."),
  ]

  static func run(_ arguments: Arguments) async throws -> ExitCode {
    let rows = GateMetric.allCases
    if arguments.has("--json") { return Terminal.answer(JSON.array(rows.map(\.json))) }
    if arguments.has("--markdown") { return Terminal.answer(GateMetric.page) }
    let names = HelpText.columns(rows.map { ($0.rawValue, "\($0.kind)  \($0.summary)") })
    return Terminal.answer(
      """
      \(names)

      A gate compares a metric: "p95 <= 3s", or for one endpoint "p95(POST /payments) <= 3s".

      """
    )
  }
}

extension GateMetric {
  /// The figure's entry; `key` is its name in a report.
  fileprivate var json: JSON {
    [
      "name": .text(rawValue), "key": .text(key), "nature": .text("\(kind)"),
      "gate": .text(example(rawValue)), "needsBaseline": .bool(isOfPair), "summary": .text(summary),
    ]
  }
}
