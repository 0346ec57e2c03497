internal import Foundation

/// The words of a program's command as a report stores them: without the secrets that their names,
/// positions and forms reveal.
package struct CommandWords: Sendable, Hashable {
  /// The name of the fact that contains the words in a report.
  static let fact = "command"

  /// The words without secrets.
  package let words: [String]
  /// The removed secrets, the longest first. They may also appear in observations of the program.
  private let secrets: [String]

  /// Creates the words without secrets. A shell may have inserted secrets of the environment, so
  /// these are removed as well.
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

  /// Names that look like passwords but are the shell's variables for folders (POSIX.1-2024, XCU
  /// 2.5.3).
  private static let folders: Set<String> = ["PWD", "OLDPWD"]

  /// Reads the words from a report; `nil` if the text is not a list of words.
  init?(text: String) {
    // Text in another format is not a command.
    guard let json = try? JSON(parsing: text.utf8, source: ""), case .array(let words) = json else {
      return nil
    }
    self.words = words.compactMap(\.stringValue)
    secrets = []
  }

  /// The words as a JSON array.
  var text: String { "\(JSON.texts(words))" }

  /// Whether a secret was removed, so that the command cannot be run.
  package var isIncomplete: Bool { words.contains { $0.contains("REDACTED-") } }

  /// Returns a text without the secrets of the command.
  func masked(_ text: String) -> String { Self.masked(text, secrets) }

  /// Returns a text of the program as a terminal shows it.
  func told(_ text: String, atMost most: Int) -> String { masked(text).told(atMost: most) }

  private static func masked(_ text: String, _ secrets: [String]) -> String {
    secrets.reduce(text) { text, secret in
      text.contains(secret) ? text.replacing(secret, with: CommandSecrets.redacted) : text
    }
  }

  /// Returns a text without the secrets. If it was cut and ends in "…", a part of a secret at its
  /// end is removed, too.
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

  /// The minimum length of a secret's beginning that is recognised.
  private static let cutLengthMin = 4
}

extension Observation {
  /// Returns the observation without the secrets of the program's command, which its requests may
  /// contain.
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
  /// The same decision without secrets in the URL of its key.
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
  /// Returns the observations without secrets in their URLs, because a client may request URLs that
  /// are not on the cassette. Many attempts have the same key, so each key is checked once.
  func withKeysMasked() -> [Observation] {
    var masked = self
    masked.maskKeys()
    return masked
  }

  /// Removes the secrets in the URLs in place.
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
