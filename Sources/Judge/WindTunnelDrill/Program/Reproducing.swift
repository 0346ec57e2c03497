internal import Foundation
package import WindTunnelCommandLine

extension DrillProgram {
  /// The flags of `reproduce`.
  package static let reproductionFlags = [
    Flag("--out", "FILE", "Write the server to a file (default: standard output)."),
    Flag("--cassette", "FILE", "The cassette of the drill, if it has moved."),
    Flag("-- CMD", nil, "The client's command, instead of the report's."),
  ]

  /// Writes a Python server that reproduces a call without this program: the call after `#`, or the
  /// evidence of the worst finding.
  package func reproduce(_ arguments: Arguments) throws -> ExitCode {
    var text = try arguments.operand(0, "REPORT#CALL", "which call to reproduce")
    if !text.contains("#") || FileManager.default.fileExists(atPath: URL(typed: text).path) {
      guard let worst = try Report(contentsOf: URL(typed: text)).findings.first else {
        throw CommandError.usage(
          "The report has no finding; name a call, as in reproduce drill.json#metro/payments/17."
        )
      }
      text += "#\(worst.scenario)/\(worst.finding.call)"
    }
    let recorded = try RecordedCall(text, of: "REPORT#CALL", arguments)
    guard [.program, .service].contains(recorded.row.client), recorded.flown.stage == .onTheWire
    else { throw CommandError.notReproducible("\(recorded.row.name) is not a command") }
    let findings = recorded.flown.findings.map(\.finding).filter { $0.call == recorded.call.call }
    let server = try PythonServer(
      of: recorded.call,
      findings.max { $0.severity < $1.severity },
      in: recorded.report,
      recorded.plan(plan(), arguments, startsCommand: false)
    )
    let program = try server.text()
    if let file = try arguments.value("--out") {
      try FileError.writing(Data(program.utf8), to: URL(typed: file))
    } else {
      Terminal.answer(program)
    }
    Terminal.complain("\(server.command)\n")
    return .done
  }
}
