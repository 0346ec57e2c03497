// The sentences of the tool's own commands, in one place; those of all commands are with the words.
extension Refusal {
  static func unknownCommand(_ name: String, among names: [String]) -> Refusal {
    .usage("There is no command \"\(name)\".\(didYouMean(name, among: names))")
  }

  /// Refuses a word that others follow, with each whole line that could be meant.
  static func incompleteCommand(
    _ group: String,
    _ rest: [String],
    behind front: String = "windtunnel"
  ) -> Refusal {
    let lines = rest.map { "\(front) \(group) \($0)" }
    let (others, last) = (lines.dropLast().joined(separator: ", "), lines.last ?? "")
    return .usage(
      "\(group) is no command by itself: write \(others.isEmpty ? last : "\(others) or \(last)")."
    )
  }

  static let pagesOfAll = usage(
    "--to FOLDER goes with --man alone, and writes the pages of all commands."
  )

  static func noPage(_ name: String, among names: [String]) -> Refusal {
    .usage(
      "There is no page \"\(name)\" of the manual: --markdown prints all commands without a word behind "
        + "help, and \(names.joined(separator: ", ")).\(didYouMean(name, among: names))"
    )
  }

  static func unknownFault(_ name: String, among names: [String]) -> Refusal {
    .usage(
      "There is no fault \"\(name)\".\(didYouMean(name, among: names)) "
        + "windtunnel faults list shows them."
    )
  }

  static func connectionFaults(of scenario: String) -> Refusal {
    .usage(
      "Scenario \"\(scenario)\" fails connections, and serve has one port for all of them; "
        + "fly it with windtunnel drill --scenario \(scenario)."
    )
  }

  static func handshakes(of scenario: String) -> Refusal {
    .usage(
      "Scenario \"\(scenario)\" fails TLS handshakes, and this port speaks plain HTTP; add --tls, or "
        + "fly it with windtunnel drill --scenario \(scenario)."
    )
  }

  static func someTimeouts(of scenario: String) -> Refusal {
    .usage(
      "Scenario \"\(scenario)\" leaves some attempts to connect without an answer, and nobody tells a "
        + "port when a client has given one up; leave all of them without one, or lose some with "
        + "\"lostSYNs\"."
    )
  }

  static func lostSYNsLater(_ scenario: String) -> Refusal {
    .usage(
      "Scenario \"\(scenario)\" loses attempts to connect, which a port has to know before it listens; "
        + "begin with it: windtunnel serve --scenario \(scenario)."
    )
  }

  // MARK: The commands that make cassettes of cassettes

  static let twoOrGit = usage("Two cassettes are wanted, or --git REF.")

  static func idleSecret(_ name: String, _ path: String, _ names: [String]) -> Refusal {
    let there = names.isEmpty ? "no redacted part" : names.joined(separator: ", ")
    return .usage(
      "--secret \(name): no request on \(path) has a REDACTED-\(Secrets.name(name))-N; "
        + "there is \(there).\(didYouMean(Secrets.name(name), among: names))"
    )
  }

  static let mergeOperands = usage("Two cassettes or more and a file to write are wanted.")

  static let pruneWhat = usage("What should go? --number, --unused or --older-than says so.")

  static func metNothing(_ reports: [String]) -> Refusal {
    Refusal(.data, "No call of \(reports.joined(separator: ", ")) met an interaction.")
  }

  static func writtenOver(_ flag: String, _ path: String, namedBy other: String?) -> Refusal {
    let reader = other.map { "\($0) names the same file" } ?? "the same file is read"
    return .usage("\(flag) \(path) would be written over it: \(reader). Name another one.")
  }

  // MARK: git

  static let noRepository = Refusal(.noInput, "There is no git repository here.")

  static let noGit = Refusal(.unavailable, "git is wanted and is not installed.")

  static func gitEnded(_ arguments: [String]) -> Refusal {
    Refusal(.software, "git \(arguments.joined(separator: " ")) was ended by a signal.")
  }

  static func noCommit(_ ref: String) -> Refusal {
    .usage("--git \(ref): there is no such commit or branch.")
  }

  static func noFile(_ path: String, at commit: String) -> Refusal {
    Refusal(.noInput, "\(path): no such file, neither here nor at \(commit.prefix(12)).")
  }

  static func notCompared(_ paths: [String]) -> Refusal {
    Refusal(.noInput, "git cannot compare \(paths.joined(separator: " ")).")
  }
}
