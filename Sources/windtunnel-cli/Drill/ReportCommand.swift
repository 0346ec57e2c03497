internal import Foundation
internal import WindTunnel
internal import WindTunnelCommandLine

enum ReportCommand: Command {
  static let name = "report"
  static let summary = "Show a report that a drill wrote, or merge the reports of its shards."
  static let synopsis = "FILE … [--format FORMAT] [--gate EXPR …] [--baseline FILE]"
  static let example = "windtunnel report shard-*.json --gate \"successRate >= 0.99\""
  static let operandsMax = 10_000
  static let flags = [
    Flag("--format", "FORMAT", "text, json, markdown, junit, html or csv (default: text)."),
    Flag("--report", "FILE", "Write it to a file, too: .json, .html, .md, .xml, .csv or .txt."),
    Flag("--gate", "EXPR", "Where the bar lies, beside the gates of the drill."),
    Flag("--baseline", "FILE", "An earlier report: compares, and gives \"baseline\" in gates."),
    Flag("--allow-inconclusive", nil, "A gate that cannot be told fails nothing."),
  ]

  static func run(_ arguments: Arguments) async throws -> ExitCode {
    _ = try arguments.operand(0, "FILE", "which report to show")
    let rendering =
      try arguments.choice(
        "--format",
        [
          "text": ReportRendering.text, "json": .json, "markdown": .markdown, "junit": .junit,
          "html": .html, "csv": .csv,
        ]
      ) ?? .text
    let gates = try arguments.all("--gate").map { try Gate($0) }
    let files = try ReportFiles(arguments)
    let baseline = try arguments.value("--baseline").map {
      try Report(contentsOf: URL(filePath: $0))
    }
    let parts = try arguments.operands.map { path in
      Report.Part(try Report(contentsOf: URL(filePath: path)), from: path)
    }
    var report = try Report(merging: parts).judged(by: gates)
    if let baseline { report = report.compared(to: baseline) }
    let allows = arguments.has("--allow-inconclusive")
    if rendering == .text {
      Terminal.answer(report: report.text(inColour: Terminal.showsColour))
    } else {
      let data = report.rendered(as: rendering, allowsInconclusive: allows)
      rendering == .json
        ? Terminal.answer(json: data)
        : Terminal.answer(report: String(decoding: data, as: UTF8.self))
    }
    try files.write(report, allowsInconclusive: allows)
    // A report that is only shown was judged when it was flown; parts were not, and new bars neither.
    guard parts.count > 1 || !gates.isEmpty || baseline != nil else { return .done }
    report.complain(
      as: "windtunnel",
      isShown: rendering == .text,
      allowsInconclusive: allows
    )
    return ExitCode(report.verdict(allowsInconclusive: allows))
  }
}
