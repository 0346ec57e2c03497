internal import WindTunnel
package import WindTunnelCommandLine
package import WindTunnelServer

// The sentences of a drill's own flags, in one place; those of all commands are with the words.
extension Refusal {
  static let execWithoutCommand = usage(
    "--subject exec wants a command behind --, such as -- curl -sf --retry 3 {url}."
  )

  static let commandWithoutExec = usage(
    "Behind -- stands a command, and only --subject exec starts one."
  )

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
}

extension DrillError: ExitCoded {
  package var exitCode: ExitCode {
    switch self {
    case .plan: .usage
    case .harness: .software
    case .client: .inconclusive
    }
  }
}

extension ServerError: ExitCoded {
  package var exitCode: ExitCode { .unavailable }
}
