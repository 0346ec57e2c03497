internal import WindTunnel

/// What a command has to say when it cannot go on: one sentence and a code.
package struct Refusal: Error {
  package var code: ExitCode
  package var sentence: String

  package init(_ code: ExitCode, _ sentence: String) {
    self.code = code
    self.sentence = sentence
  }
}

// The sentences about words and values, in one place; those of files and ports are their libraries'.
extension Refusal {
  /// Asked wrongly.
  package static func usage(_ sentence: String) -> Refusal { Refusal(.usage, sentence) }

  package static func unknownFlag(_ name: String, among names: [String]) -> Refusal {
    let advice = advice(for: name, among: names) ?? didYouMean(name, among: names)
    return .usage("Unknown flag \(name).\(advice)")
  }

  /// Explains a flag of other tools that has another name here, or is no flag, where the nearest
  /// flag in spelling would mislead.
  private static func advice(for name: String, among names: [String]) -> String? {
    switch name {
    case "--host", "--hostname", "--address", "--addr", "--listen", "--interface":
      if names.contains("--bind") { return " Did you mean --bind ADDR, the address to listen at?" }
      return names.contains("--port")
        ? " It listens at 127.0.0.1, and nobody else reaches it." : nil
    case "--cert", "--certificate", "--certfile", "--tls-cert", "--ssl-cert", "--key", "--keyfile",
      "--tls-key", "--ssl-key":
      guard let tls = ["--tls", "--open-tls"].first(where: names.contains) else { return nil }
      return
        " Certificates are made for each run: \(tls) speaks by one, and --ca-out FILE writes the "
        + "authority that clients have to trust."
    default: return nil
    }
  }

  package static func valueMissing(_ flag: String, _ placeholder: String) -> Refusal {
    .usage("\(flag) wants \(placeholder) after it.")
  }

  package static func valueUnwanted(_ flag: String) -> Refusal { .usage("\(flag) takes no value.") }

  package static func repeated(_ flag: String, count: Int) -> Refusal {
    .usage("\(flag) is given \(count) times.")
  }

  static func twice(_ flag: String, _ operand: String) -> Refusal {
    .usage("\(operand) and \(flag) say two things about the same; give one of them.")
  }

  package static func flagMissing(_ flag: String, _ what: String) -> Refusal {
    .usage("\(flag) is missing: \(what).")
  }

  package static func operandMissing(_ placeholder: String, _ what: String) -> Refusal {
    .usage("\(placeholder) is missing: \(what).")
  }

  package static func unexpected(_ word: String) -> Refusal {
    .usage("Unexpected argument \"\(word)\".")
  }

  package static let commandMissing = usage("-- wants a command after it.")

  package static let execWithoutCommand = usage(
    "--subject exec wants a command behind --, such as -- curl -sf --retry 3 {url}."
  )

  package static let commandWithoutExec = usage(
    "Behind -- stands a command, and only --subject exec starts one."
  )

  package static func both(_ one: String, _ other: String) -> Refusal {
    .usage("\(one) and \(other) say two things about the same; give one of them.")
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

  static func otherEndpoint(_ word: String, _ call: Observation) -> Refusal {
    .usage("--again: call \(call.call) is \(call.endpoint), not \(word).")
  }

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

  package static func noSuchCall(_ call: Int, of subject: String, in scenario: String) -> Refusal {
    .usage(
      "The report has no call \(call) of \(subject) in \(scenario); a shard has its own alone."
    )
  }

  package static let otherCassette = usage(
    "The report was flown on another cassette; give it by --cassette FILE."
  )

  package static func otherScenario(_ name: String) -> Refusal {
    .usage("The report's scenario is \(name); give its file by --scenario.")
  }

  package static func noCommand(_ name: String) -> Refusal {
    Refusal(.noInput, "\(name): no such command.")
  }

  package static func value(_ flag: String, _ text: String, shouldBe what: String) -> Refusal {
    .usage("\(flag) \(text): \(what) should stand here.")
  }

  package static func number(_ flag: String, _ text: String, in range: ClosedRange<Int>) -> Refusal
  {
    let bounds =
      range.upperBound == .max
      ? "of at least \(range.lowerBound)" : "from \(range.lowerBound) to \(range.upperBound)"
    return value(flag, text, shouldBe: "a whole number \(bounds)")
  }

  package static func choice(_ flag: String, _ text: String, among names: [String]) -> Refusal {
    .usage(
      "\(flag) \(text): there are \(names.joined(separator: ", ")).\(didYouMean(text, among: names))"
    )
  }

  static func unknownScenario(_ name: String, among names: [String], groups: [String]) -> Refusal {
    let isAll = ["all", "every", "*"].contains(name) && groups.contains("pre-release")
    let advice =
      isAll
      ? " Did you mean pre-release, which is all of them?"
      : didYouMean(name, among: names + groups)
    return .usage(
      "There is no scenario \"\(name)\".\(advice) "
        + "There are \(names.joined(separator: ", ")); a file's name ends in .json."
    )
  }

  static func groupOfScenarios(_ name: String) -> Refusal {
    .usage(
      "\(name) is a group of scenarios, and one is wanted here; windtunnel scenarios show \(name) lists "
        + "them."
    )
  }

  package static let selfNotFound = Refusal(
    .software,
    "The tool does not find itself, so it cannot start subjects."
  )

  package static func didYouMean(_ word: String, among names: [String]) -> String {
    nearest(to: word, in: names).map { " Did you mean \($0)?" } ?? ""
  }
}
