internal import WindTunnelCommandLine
internal import WindTunnelDrill

/// The drill that any host's program has, with the shipped subjects.
enum DrillCommand: Command {
  static let name = "drill"
  static let summary = DrillProgram.summary
  static let synopsis = DrillProgram.synopsis
  static let example = DrillProgram.shipped.example
  static let flags = DrillProgram.shipped.flags
  static let takesCommand = true

  static func run(_ arguments: Arguments) async throws -> ExitCode {
    try await DrillProgram.shipped.run(arguments)
  }
}
