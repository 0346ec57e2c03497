internal import Foundation
internal import WindTunnel
internal import WindTunnelCommandLine

enum CassetteMigrateCommand: Command {
  static let name = "cassette migrate"
  static let summary = "Raise cassettes to the newest version of the format."
  static let synopsis = "FILE … [--check]"
  static let example = "windtunnel cassette migrate --check Cassettes/examples/shop.json"
  static let operandsMax = Int.max
  static let flags = [
    Flag("--check", nil, "Change nothing; exit 1 if a file is of an older version.")
  ]

  static func run(_ arguments: Arguments) async throws -> ExitCode {
    _ = try arguments.operand(0, "FILE", "which cassette to migrate")
    for path in arguments.operands {
      // Version 1 is the first one: whatever reads at all is new enough.
      _ = try CassetteFile.read(path)
      Terminal.answer(line: "\(path): version \(Cassette.formatVersion), the newest")
    }
    return .done
  }
}
