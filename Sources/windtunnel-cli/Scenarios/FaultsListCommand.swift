internal import Foundation
internal import WindTunnel
internal import WindTunnelCommandLine
internal import WindTunnelDrill

enum FaultsListCommand: Command {
  static let name = "faults list"
  static let summary = "List every kind of fault and what clients make of it."
  static let synopsis = "[--json]"
  static let example = "windtunnel faults list"
  static let flags = [Flag("--json", nil, "Print a list of objects, with an example of each.")]

  static func run(_ arguments: Arguments) async throws -> ExitCode {
    let rows = CatalogueRow.all
    if arguments.has("--json") {
      let list = JSON.array(rows.map(\.json))
      Terminal.answer(json: list.fileBytes())
      return .done
    }
    let cells = [["fault", "layer", "Linux", "curl", "Apple (not measured)"]] + rows.map(\.cells)
    let widths = cells[0].indices.map { column in cells.map { $0[column].count }.max() ?? 0 }
    var text = ""
    for row in cells {
      let padded = zip(row, widths).map { pad($0, $1) }.joined(separator: "  ")
      text += String(padded.reversed().drop { $0 == " " }.reversed()) + "\n"
    }
    text += """

      Linux and curl as measured, with libcurl 7.88.1; Apple as known, not measured. Behind a name
      stands the code of the URLError; -1 is .unknown, and its text tells what it was.
      How each is written in a scenario or a script of windtunnel dns: windtunnel faults list --json

      """
    Terminal.answer(text)
    return .done
  }

  private static func pad(_ text: String, _ width: Int) -> String {
    text + String(repeating: " ", count: max(0, width - text.count))
  }
}

extension CatalogueRow {
  /// Its line in the table.
  fileprivate var cells: [String] {
    let expected = expected
    func sight(_ sight: FaultExpectation.Sight, _ code: Int?) -> String {
      code.map { "\(sight.text) \($0)" } ?? sight.text
    }
    return [
      name, layer.rawValue, sight(expected.linux, expected.linuxCode),
      expected.curl.map { String($0) }.joined(separator: "/"),
      sight(expected.apple, expected.appleCode),
    ]
  }

  /// `{name, layer, fault or script, expected, evidence}`.
  fileprivate var json: JSON {
    let expected = expected
    let example: JSON.Member =
      switch self {
      case .fault(let kind): JSON.Member("fault", kind.fault.json)
      case .lookUp(let example): JSON.Member("script", example.script.json)
      }
    return .object([
      JSON.Member("name", .text(name)), JSON.Member("layer", .text(layer.rawValue)), example,
      JSON.Member(
        "expected",
        [
          "linux": .text(expected.linux.text),
          "linuxURLErrorCode": expected.linuxCode.map { .number($0) } ?? .null,
          "curl": .array(expected.curl.map { .number($0) }),
          "apple": .text(expected.apple.text),
          "appleURLErrorCode": expected.appleCode.map { .number($0) } ?? .null,
        ]
      ),
      JSON.Member(
        "evidence",
        [
          "linux": .text(expected.evidence.rawValue), "curl": .text(expected.evidence.rawValue),
          "apple": .text(expected.appleEvidence.rawValue),
        ]
      ),
    ])
  }
}
