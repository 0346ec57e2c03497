internal import Foundation

/// The words of a program's command as a report keeps them: without secrets, as far as their names,
/// places and shapes tell.
package struct CommandWords: Sendable, Hashable {
  /// The fact of a report that holds them.
  static let fact = "command"

  /// The words that may be kept.
  package let words: [String]
  /// The secrets, which may not be kept, the longest first: they may turn up again in what was seen
  /// of the program.
  private let secrets: [String]

  /// Takes the secrets out: those among the words, and those of the environment, which a shell may
  /// have put there.
  package init(
    _ command: [String],
    environment: [String: String] = ProcessInfo.processInfo.environment
  ) {
    var reader = CommandSecrets()
    for (name, value) in environment where name.surelyNamesSecret && !Self.folders.contains(name) {
      reader.note(value)
    }
    let read = reader.read(command)
    let secrets = reader.found
    self.secrets = secrets
    words = read.map { Self.masked($0, secrets).withoutSecrets }
  }

  /// Names that look like a password's and are the shell's for folders (POSIX.1-2024, XCU 2.5.3).
  private static let folders: Set<String> = ["PWD", "OLDPWD"]

  /// Reads what a report holds; `nil` where that is no list of words.
  init?(text: String) {
    // What somebody else wrote there is no command.
    guard let json = try? JSON(parsing: text.utf8, source: ""), case .array(let words) = json else {
      return nil
    }
    self.words = words.compactMap(\.stringValue)
    secrets = []
  }

  /// A list, as JSON.
  var text: String { "\(JSON.texts(words))" }

  /// Tells whether something was taken out, so that it cannot be run.
  package var isIncomplete: Bool { words.contains { $0.contains("REDACTED-") } }

  /// Returns a text without the secrets of the command.
  func masked(_ text: String) -> String { Self.masked(text, secrets) }

  /// Returns a text of the program's as a terminal shows it.
  func told(_ text: String, atMost most: Int) -> String { masked(text).told(atMost: most) }

  private static func masked(_ text: String, _ secrets: [String]) -> String {
    secrets.reduce(text) { text, secret in
      text.contains(secret) ? text.replacing(secret, with: CommandSecrets.redacted) : text
    }
  }

  /// Returns a text without the secrets, where it may have been cut within one: it ends in "…"
  /// then.
  fileprivate func maskedWhereCut(_ text: String) -> String {
    let text = masked(text)
    guard text.hasSuffix("…") else { return text }
    let body = text.dropLast()
    for secret in secrets {
      let counts = (Self.cutLengthMin...max(Self.cutLengthMin, min(secret.count, body.count)))
      for count in counts.reversed() where body.hasSuffix(secret.prefix(count)) {
        return "\(body.dropLast(count))\(CommandSecrets.redacted)…"
      }
    }
    return text
  }

  /// The least of a secret's beginning that counts as one.
  private static let cutLengthMin = 4
}

extension Observation {
  /// Returns what was seen, without what a program was given as secrets: its requests bear them.
  func masked(by command: CommandWords) -> Observation {
    var observation = self
    observation.endpoint = command.masked(endpoint)
    observation.notOnCassette = self.notOnCassette.map { command.masked($0) }
    observation.showsResponseOf = self.showsResponseOf.map { command.masked($0) }
    observation.printed = self.printed.map { command.maskedWhereCut($0) }
    if case .failed(let reason) = ending {
      observation.ending = .failed(command.maskedWhereCut(reason))
    }
    observation.changeAllAttempts { attempt in
      attempt.decision = AttemptDecision(
        line: command.masked(attempt.decision.withKeyMasked.line)
      )
      attempt.error = attempt.error.map { command.masked($0) }
    }
    return observation
  }
}

extension AttemptDecision {
  /// The same decision with no secret in the address of its key.
  var withKeyMasked: AttemptDecision {
    let words = key.split(separator: " ", maxSplits: 1)
    guard words.count == 2 else { return self }
    let url = RequestURL(String(words[1]))
    let masked = url.withoutSecrets
    if masked == url { return self }
    var decision = self
    decision.key = "\(words[0]) \(masked)"
    return decision
  }
}

extension [Observation] {
  /// Returns the same, with no secret in an address: a client may ask for more than is on the
  /// cassette. Many attempts have one key, so each is looked into once.
  func withKeysMasked() -> [Observation] {
    var masked = self
    masked.maskKeys()
    return masked
  }

  /// Does the same in place.
  mutating func maskKeys() {
    var keys: [String: String] = [:]
    for place in indices {
      self[place].changeAllAttempts { attempt in
        let key = attempt.decision.key
        let masked = keys[key] ?? attempt.decision.withKeyMasked.key
        keys[key] = masked
        if masked != key { attempt.decision.key = masked }
      }
    }
  }
}
