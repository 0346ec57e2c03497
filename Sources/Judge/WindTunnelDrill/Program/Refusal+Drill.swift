internal import WindTunnel
package import WindTunnelCommandLine
package import WindTunnelServer

// The sentences of a drill's own flags, in one place; those of all commands are with the words.
extension Refusal {
  static let execWithoutCommand = usage(
    "--subject exec wants a command behind --, such as -- curl -sf --retry 3 {url}."
  )

  static let execBesideOthers = usage(
    "--subject exec flies alone: what a program is good for is not what a client in Swift is."
  )

  static func subjectTwice(_ names: [String]) -> Refusal {
    .usage(
      "--subject \(names.joined(separator: " --subject ")): a client is not compared with itself."
    )
  }

  static let commandWithoutExec = usage(
    "Behind -- stands a command, and only --subject exec starts one."
  )

  static let workersInRealTime = usage(
    "--workers is for --clock virtual; in real time --rate and --concurrency say what is at once."
  )

  static func workersOfOne(_ client: String) -> Refusal {
    .usage(
      "--workers: \(client) is one client in all its calls, which several threads cannot fly at once. "
        + "Leave the flag out."
    )
  }

  static func noShard(in environment: [String: String]) -> Refusal {
    guard let half = Shard.half(of: environment) else {
      return .usage(
        "--shard env: neither WINDTUNNEL_SHARD=I/N nor a CI's numbers of parallel jobs are in the "
          + "environment."
      )
    }
    let value = environment[half.there] ?? ""
    let wanted =
      half.missing == "WINDTUNNEL_SHARDS"
      ? "WINDTUNNEL_SHARDS, in how many parts, is missing or not more than that; set it to the Job's "
        + "completions."
      : "\(half.missing) is missing or does not go with it."
    return .usage("--shard env: \(half.there) is \"\(value)\", and \(wanted)")
  }

  static func gateWithoutBaseline(_ gate: Gate) -> Refusal {
    .usage("gate \"\(gate)\": the bar is another report's; give that by --baseline FILE.")
  }

  static func notWithAgain(_ flag: String) -> Refusal {
    .usage("\(flag) does not go with --again: that call is flown as its report says.")
  }

  static func otherEndpoint(_ word: String, _ call: Observation, of flag: String) -> Refusal {
    .usage("\(flag): call \(call.call) is \(call.endpoint), not \(word).")
  }

  static let noFinding = usage(
    "The report has no finding; name a call, as in reproduce drill.json#metro/payments/17."
  )

  static func incompleteCommand(_ words: [String]) -> Refusal {
    .usage(
      "The report has the command without its secrets: "
        + "\(words.map(\.asShellWord).joined(separator: " ")). Give it whole behind --."
    )
  }

  static func cassetteGone(_ path: String) -> Refusal {
    Refusal(
      .noInput,
      "The report was flown on \(path), which is not here; give the cassette by --cassette FILE."
    )
  }

  static func noSuchCall(_ call: Int, of subject: String, in scenario: String) -> Refusal {
    .usage(
      "The report has no call \(call) of \(subject) in \(scenario); a shard has its own alone."
    )
  }

  static let otherCassette = usage(
    "The report was flown on another cassette; give it by --cassette FILE."
  )

  static func otherScenario(_ name: String) -> Refusal {
    .usage("The report's scenario is \(name); give its file by --scenario.")
  }
}

extension DrillError: ExitCoded {
  package var exitCode: ExitCode {
    switch self {
    case .plan: .usage
    case .harness: .software
    }
  }
}

extension ServerError: ExitCoded {
  package var exitCode: ExitCode { .unavailable }
}
