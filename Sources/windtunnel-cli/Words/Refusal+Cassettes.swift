internal import WindTunnel
internal import WindTunnelCommandLine

// The sentences of the commands that make cassettes of cassettes.
extension Refusal {
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

  static func pruneNumber(_ text: String, last: Int) -> Refusal {
    .usage("--number \(text): the interactions are #1 to #\(last).")
  }

  static func otherDrill(_ report: String, met number: Int, last: Int) -> Refusal {
    Refusal(
      .data,
      "\(report) met #\(number), and the cassette ends with #\(last): the drill flew on another one."
    )
  }

  static func metNothing(_ reports: [String]) -> Refusal {
    Refusal(.data, "No call of \(reports.joined(separator: ", ")) met an interaction.")
  }

  static func mergeOver(_ output: String) -> Refusal {
    Refusal(
      .cannotWrite,
      "\(output) is there already. To add to it, name it among the cassettes, too."
    )
  }

  static func convertOver(_ output: String) -> Refusal {
    Refusal(
      .cannotWrite,
      "\(output) is there already; nothing was written. Name another file, or remove it first."
    )
  }

  static func writtenOver(_ flag: String, _ path: String, namedBy other: String?) -> Refusal {
    let reader = other.map { "\($0) names the same file" } ?? "the same file is read"
    return .usage("\(flag) \(path) would be written over it: \(reader). Name another one.")
  }

  static func splitOver(_ file: String) -> Refusal {
    Refusal(.cannotWrite, "\(file) is there already; nothing was written.")
  }

  static func noFolder(_ folder: String) -> Refusal {
    Refusal(.cannotWrite, "\(folder) cannot be made.")
  }

  // MARK: git

  static let noRepository = Refusal(.noInput, "There is no git repository here.")

  static let noGit = Refusal(.unavailable, "git is wanted and is not installed.")

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
