internal import Foundation
internal import WindTunnel

enum ReportCommand: Command {
  static let name = "report"
  static let summary = "Show a report that a drill wrote."
  static let synopsis = "FILE [--format text|json]"
  static let example = "windtunnel report drill.json"
  static let operandsMax = 1
  static let flags = [Flag("--format", "FORMAT", "text or json (default: text).")]

  static func run(_ arguments: Arguments) async throws -> ExitCode {
    let path = try arguments.operand(0, "FILE", "which report to show")
    let asJSON = try arguments.choice("--format", ["text": false, "json": true]) ?? false
    let report = try Report(contentsOf: URL(filePath: path))
    Terminal.answer(asJSON ? String(decoding: report.data(), as: UTF8.self) : report.text())
    return .done
  }
}
