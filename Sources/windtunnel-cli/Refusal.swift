internal import WindTunnel

/// What a command has to say when it cannot go on: one sentence and a code.
struct Refusal: Error {
  var code: ExitCode
  var sentence: String

  init(_ code: ExitCode, _ sentence: String) {
    self.code = code
    self.sentence = sentence
  }
}

// The sentences of the tool's own, in one place; those of files and ports are their libraries'.
extension Refusal {
  /// Asked wrongly.
  static func usage(_ sentence: String) -> Refusal { Refusal(.usage, sentence) }

  // MARK: Words

  static func unknownCommand(_ name: String, among names: [String]) -> Refusal {
    .usage("There is no command \"\(name)\".\(didYouMean(name, among: names))")
  }

  static func incompleteCommand(_ group: String, _ rest: [String]) -> Refusal {
    .usage("After \(group) one of \(rest.joined(separator: ", ")) should stand.")
  }

  static func unknownFlag(_ name: String, among names: [String]) -> Refusal {
    .usage("Unknown flag \(name).\(didYouMean(name, among: names))")
  }

  static func valueMissing(_ flag: String, _ placeholder: String) -> Refusal {
    .usage("\(flag) wants \(placeholder) after it.")
  }

  static func valueUnwanted(_ flag: String) -> Refusal { .usage("\(flag) takes no value.") }

  static func repeated(_ flag: String, count: Int) -> Refusal {
    .usage("\(flag) is given \(count) times.")
  }

  static func flagMissing(_ flag: String, _ what: String) -> Refusal {
    .usage("\(flag) is missing: \(what).")
  }

  static func operandMissing(_ placeholder: String, _ what: String) -> Refusal {
    .usage("\(placeholder) is missing: \(what).")
  }

  static func unexpected(_ word: String) -> Refusal { .usage("Unexpected argument \"\(word)\".") }

  static let commandMissing = usage("-- wants a command after it.")

  static let execWithoutCommand = usage(
    "--subject exec wants a command behind --, such as -- curl -sf --retry 3 {url}."
  )

  static let commandWithoutExec = usage(
    "Behind -- stands a command, and only --subject exec starts one."
  )

  static func both(_ one: String, _ other: String) -> Refusal {
    .usage("\(one) and \(other) say two things about the same; give one of them.")
  }

  static let noShardInEnvironment = usage(
    "--shard env: neither WINDTUNNEL_SHARD=I/N nor a CI's numbers of parallel jobs are in the "
      + "environment."
  )

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

  static func noCommand(_ name: String) -> Refusal {
    Refusal(.noInput, "\(name): no such command.")
  }

  // MARK: Values

  static func value(_ flag: String, _ text: String, shouldBe what: String) -> Refusal {
    .usage("\(flag) \(text): \(what) should stand here.")
  }

  static func number(_ flag: String, _ text: String, in range: ClosedRange<Int>) -> Refusal {
    let bounds =
      range.upperBound == .max
      ? "of at least \(range.lowerBound)" : "from \(range.lowerBound) to \(range.upperBound)"
    return value(flag, text, shouldBe: "a whole number \(bounds)")
  }

  static func choice(_ flag: String, _ text: String, among names: [String]) -> Refusal {
    .usage(
      "\(flag) \(text): there are \(names.joined(separator: ", ")).\(didYouMean(text, among: names))"
    )
  }

  static func unknownScenario(_ name: String, among names: [String]) -> Refusal {
    .usage(
      "There is no scenario \"\(name)\".\(didYouMean(name, among: names)) "
        + "There are \(names.joined(separator: ", ")); a file's name ends in .json."
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

  static func noInteraction(_ number: Int, last: Int) -> Refusal {
    .usage("There is no interaction #\(number); the last is #\(last).")
  }

  static func conversion(_ input: String, _ output: String) -> Refusal {
    .usage("\(input) → \(output): one should end in .har and the other in .json.")
  }

  // MARK: The world

  static func upstreamGone(_ upstream: String, _ cassette: String) -> Refusal {
    Refusal(
      .unavailable,
      "The upstream \(upstream) is not there: every connection was refused. "
        + "\(cassette) is as it was."
    )
  }

  static let selfNotFound = Refusal(
    .software,
    "The tool does not find itself, so it cannot start subjects."
  )

  private static func didYouMean(_ word: String, among names: [String]) -> String {
    nearest(to: word, in: names).map { " Did you mean \($0)?" } ?? ""
  }
}
