// The sentences of the tool's own commands. `WindTunnelCommandLine` has the sentences of all
// commands.
extension CommandError {
  static func unknownCommand(_ name: String, among names: [String]) -> CommandError {
    .usage("Unknown command \"\(name)\".\(didYouMean(name, among: names))")
  }

  /// Refuses the first word of a group, and lists its commands.
  static func incompleteCommand(_ group: String, _ rest: [String]) -> CommandError {
    let lines = rest.map { "windtunnel \(group) \($0)" }
    let (others, last) = (lines.dropLast().joined(separator: ", "), lines.last ?? "")
    return .usage(
      "\(group) is a group of commands: write \(others.isEmpty ? last : "\(others) or \(last)")."
    )
  }

  static func connectionFaults(of scenario: String) -> CommandError {
    .usage(
      "Scenario \"\(scenario)\" fails connections, but serve has one port for all connections; "
        + "run it with windtunnel drill --scenario \(scenario)."
    )
  }

  static func lostSYNsLater(_ scenario: String) -> CommandError {
    .usage(
      "Scenario \"\(scenario)\" loses connection attempts, which must be set before the port opens; "
        + "start with it: windtunnel serve --scenario \(scenario)."
    )
  }

  // MARK: The commands that create cassettes from cassettes

  static func writtenOver(_ flag: String, _ path: String, namedBy other: String?) -> CommandError {
    let reader = other.map { "\($0) names the same file" } ?? "the same file is read"
    return .usage("\(flag) \(path) would overwrite an input: \(reader). Name another file.")
  }

  // MARK: git

  static let noGit = CommandError(.unavailable, "git is required but not installed.")
}
