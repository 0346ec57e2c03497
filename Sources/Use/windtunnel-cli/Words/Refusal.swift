// The sentences of the tool's own commands, in one place; those of all commands are with the words.
extension Refusal {
  static func unknownCommand(_ name: String, among names: [String]) -> Refusal {
    .usage("There is no command \"\(name)\".\(didYouMean(name, among: names))")
  }

  /// Refuses a word that others follow, with each whole line that could be meant.
  static func incompleteCommand(_ group: String, _ rest: [String]) -> Refusal {
    let lines = rest.map { "windtunnel \(group) \($0)" }
    let (others, last) = (lines.dropLast().joined(separator: ", "), lines.last ?? "")
    return .usage(
      "\(group) is no command by itself: write \(others.isEmpty ? last : "\(others) or \(last)")."
    )
  }

  static func connectionFaults(of scenario: String) -> Refusal {
    .usage(
      "Scenario \"\(scenario)\" fails connections, and serve has one port for all of them; "
        + "fly it with windtunnel drill --scenario \(scenario)."
    )
  }

  static func lostSYNsLater(_ scenario: String) -> Refusal {
    .usage(
      "Scenario \"\(scenario)\" loses attempts to connect, which a port has to know before it listens; "
        + "begin with it: windtunnel serve --scenario \(scenario)."
    )
  }

  // MARK: The commands that make cassettes of cassettes

  static func writtenOver(_ flag: String, _ path: String, namedBy other: String?) -> Refusal {
    let reader = other.map { "\($0) names the same file" } ?? "the same file is read"
    return .usage("\(flag) \(path) would be written over it: \(reader). Name another one.")
  }

  // MARK: git

  static let noGit = Refusal(.unavailable, "git is wanted and is not installed.")
}
