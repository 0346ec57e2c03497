internal import Foundation
internal import WindTunnel
internal import WindTunnelDrill

enum FaultsListCommand: Command {
  static let name = "faults list"
  static let summary = "List every kind of fault and what clients make of it."
  static let synopsis = "[--json]"
  static let example = "windtunnel faults list"
  static let flags = [Flag("--json", nil, "Print a list of objects, with an example of each.")]

  static func run(_ arguments: Arguments) async throws -> ExitCode {
    let kinds = FaultKind.all
    if arguments.has("--json") {
      let list = JSON.array(kinds.map(\.json))
      Terminal.answer(String(decoding: list.fileBytes(), as: UTF8.self))
      return .done
    }
    let width = kinds.map(\.name.count).max() ?? 0
    var text = "\(pad("fault", width))  layer  Linux                           curl   Apple\n"
    for kind in kinds {
      let expected = kind.expected
      let curl = expected.curl.map { String($0) }.joined(separator: "/")
      text += "\(pad(kind.name, width))  \(pad(kind.layer.rawValue, 5))  "
      text += "\(pad(expected.linux.text, 30))  \(pad(curl, 8))  \(expected.apple.text)\n"
    }
    text +=
      "\nLinux and curl as measured, with libcurl 7.88.1; Apple as known, not measured.\n"
      + "How each is written in a scenario: windtunnel faults list --json\n"
    Terminal.answer(text)
    return .done
  }

  private static func pad(_ text: String, _ width: Int) -> String {
    text + String(repeating: " ", count: max(0, width - text.count))
  }
}

extension FaultKind {
  /// `{name, layer, fault, expected}`.
  fileprivate var json: JSON {
    let expected = expected
    return [
      "name": .text(name), "layer": .text(layer.rawValue), "fault": fault.json,
      "expected": [
        "linux": .text(expected.linux.text),
        "curl": .array(expected.curl.map { .number($0) }),
        "apple": .text(expected.apple.text),
      ],
      "evidence": [
        "linux": .text(expected.evidence.rawValue), "curl": .text(expected.evidence.rawValue),
        "apple": .text(expected.appleEvidence.rawValue),
      ],
    ]
  }
}
