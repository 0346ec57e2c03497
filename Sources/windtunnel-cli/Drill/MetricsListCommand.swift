internal import WindTunnel
internal import WindTunnelCommandLine

enum MetricsListCommand: Command {
  static let name = "metrics list"
  static let summary = "List every figure that a gate can ask for."
  static let synopsis = "[--json]"
  static let example = "windtunnel metrics list"
  static let flags = [Flag("--json", nil, "Print a list of objects instead.")]

  static func run(_ arguments: Arguments) async throws -> ExitCode {
    let rows = MetricRow.all
    if arguments.has("--json") {
      Terminal.answer(json: JSON.array(rows.map(\.json)).fileBytes())
      return .done
    }
    let names = HelpText.columns(rows.map { ($0.name, "\($0.nature)  \($0.summary)") })
    Terminal.answer(
      """
      \(names)

      A gate compares one of them: "p95 <= 3s", or of one endpoint "p95(POST /payments) <= 3s".

      """
    )
    return .done
  }
}

extension MetricRow {
  /// `key` is its name in a report.
  fileprivate var json: JSON {
    [
      "name": .text(name), "key": .text(key), "nature": .text(nature), "gate": .text(example),
      "needsBaseline": .bool(needsBaseline), "summary": .text(summary),
    ]
  }
}
