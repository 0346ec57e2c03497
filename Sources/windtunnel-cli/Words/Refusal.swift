internal import WindTunnel
internal import WindTunnelCommandLine

// The sentences of the tool's own commands, in one place; those of all commands are with the words.
extension Refusal {
  static func unknownCommand(_ name: String, among names: [String]) -> Refusal {
    .usage("There is no command \"\(name)\".\(didYouMean(name, among: names))")
  }

  static func incompleteCommand(_ group: String, _ rest: [String]) -> Refusal {
    .usage("After \(group) one of \(rest.joined(separator: ", ")) should stand.")
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

  static func noInteraction(_ number: Int, last: Int) -> Refusal {
    .usage("There is no interaction #\(number); the last is #\(last).")
  }

  static func conversion(_ input: String, _ output: String) -> Refusal {
    .usage("\(input) → \(output): one should end in .har and the other in .json.")
  }

  static func upstreamGone(_ upstream: String, _ cassette: String) -> Refusal {
    Refusal(
      .unavailable,
      "The upstream \(upstream) is not there: every connection was refused. "
        + "\(cassette) is as it was."
    )
  }
}
