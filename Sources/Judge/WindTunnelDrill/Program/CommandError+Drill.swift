package import WindTunnelCommandLine
package import WindTunnelServer

// The error messages of a drill's own flags. The messages of all commands are with the argument
// parser.
extension CommandError {
  static let execWithoutCommand = usage(
    "--subject exec requires a command after --, such as -- curl -sf --retry 3 {url}."
  )

  static let commandWithoutExec = usage("A command after -- requires --subject exec.")

  static func noShard(in environment: [String: String]) -> CommandError {
    guard let half = Shard.half(of: environment) else {
      return .usage(
        "--shard env: the environment has neither WINDTUNNEL_SHARD=I/N nor a CI's job numbers."
      )
    }
    let value = environment[half.there] ?? ""
    let wanted =
      half.missing == "WINDTUNNEL_SHARDS"
      ? "WINDTUNNEL_SHARDS, the number of shards, is missing or too small; set it to the "
        + "Job's completions."
      : "\(half.missing) is missing or does not match."
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
