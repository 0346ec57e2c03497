internal import Foundation

/// The words of a program's command as a report keeps them: without secrets, as far as their names,
/// places and shapes tell.
struct CommandWords: Sendable, Hashable {
  /// The fact of a report that holds them.
  static let fact = "command"

  /// The words that may be kept.
  let words: [String]
  /// The secrets, which may not be kept, the longest first: they may turn up again in what was seen
  /// of the program.
  private let secrets: [String]

  /// Takes the secrets out: those among the words, and those of the environment, which a shell may
  /// have put there.
  init(_ command: [String], environment: [String: String] = ProcessInfo.processInfo.environment) {
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
  var isIncomplete: Bool { words.contains { $0.contains("REDACTED-") } }

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
    observation.notOnCassette = notOnCassette.map { command.masked($0) }
    observation.showsResponseOf = showsResponseOf.map { command.masked($0) }
    observation.printed = printed.map { command.maskedWhereCut($0) }
    if case .failed(let reason) = ending {
      observation.ending = .failed(command.maskedWhereCut(reason))
    }
    observation.changeAllAttempts { attempt in
      attempt.decision = command.masked(Self.keyMasked(attempt.decision))
      attempt.take = command.masked(attempt.take)
      attempt.error = attempt.error.map { command.masked($0) }
    }
    return observation
  }

  /// Returns a line of the story whose second part, the key, has an address without secrets.
  static func keyMasked(_ decision: String) -> String {
    var parts = decision.split(separator: "\t", omittingEmptySubsequences: false).map(String.init)
    guard parts.count == 4 else { return decision }
    parts[1] = masked(key: parts[1])
    return parts.joined(separator: "\t")
  }

  /// Returns a key whose address has no secrets.
  fileprivate static func masked(key: String) -> String {
    let words = key.split(separator: " ", maxSplits: 1)
    guard words.count == 2 else { return key }
    let url = RequestURL(String(words[1]))
    let masked = url.withoutSecrets
    return masked == url ? key : "\(words[0]) \(masked)"
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
    var harmless: Set<Substring> = []
    var places: [ObjectIdentifier: DecisionLine.Place] = [:]
    for place in indices {
      self[place].changeAllAttempts { attempt in
        let line = attempt.line
        if let old = line.place {
          let known = places[ObjectIdentifier(old)]
          let new = known ?? old.withKeyMasked
          if known == nil { places[ObjectIdentifier(old)] = new }
          if new !== old { attempt.line = line.moved(to: new) }
        } else if let key = line.key, !harmless.contains(key) {
          let masked = Observation.keyMasked(line.text)
          if masked == line.text {
            harmless.insert(key)
          } else {
            attempt.decision = masked
          }
        }
      }
    }
  }
}

extension DecisionLine.Place {
  /// The same with no secret in its key; itself where there is none.
  fileprivate var withKeyMasked: DecisionLine.Place {
    let masked = Observation.masked(key: key)
    return masked == key ? self : DecisionLine.Place(scenario: scenario, key: masked)
  }
}
