internal import Foundation
internal import WindTunnel

/// The exit code of a command; one table for all commands.
package enum ExitCode: Int32, Sendable, CaseIterable {
  /// The command did what was requested.
  case done = 0
  /// A finding: a difference, a secret, an unmatched request, a part of the harness in a release,
  /// or a failed command that was run against the server.
  case found = 1
  /// The live origin's responses differ from the recording.
  case drift = 3
  /// Invalid usage: an unknown flag, scenario or client, or an invalid scenario.
  case usage = 64
  /// An invalid cassette or report, or a release that cannot be searched.
  case data = 65
  /// The file does not exist.
  case noInput = 66
  /// A port is in use, or an upstream is unreachable.
  case unavailable = 69
  /// An internal failure of the tool.
  case software = 70
  /// A file cannot be written.
  case cannotWrite = 73
  /// The client under test crashed or hung, which is worse than a failed gate.
  case fell = 97
  /// A gate could not be evaluated.
  case inconclusive = 98
  /// A gate failed, which is worse than an inconclusive gate.
  case gateFailed = 99
  /// A drill or a mutated run was interrupted by SIGINT.
  case interrupted = 130
  /// A drill or a mutated run was terminated by SIGTERM.
  case terminated = 143

  /// The meaning of the code for users, in one line.
  package var meaning: String {
    switch self {
    case .done: "Success."
    case .found:
      "A secret, an old interaction, a difference, a request without a recording, or a part of the "
        + "harness in a release was found; or the command after -- failed, or behaved differently "
        + "against its recording (record --prove)."
    case .drift: "The real server's response differs from the recording (record --mode verify)."
    case .usage:
      "Invalid usage: an unknown command, flag, scenario or client, or an invalid scenario or gate."
    case .data:
      "A cassette, a HAR file or a report is invalid, or a release cannot be searched."
    case .noInput: "A file is missing or cannot be read."
    case .unavailable:
      "A port is in use, an upstream is unreachable, or OpenSSL is missing for TLS."
    case .software: "The tool itself failed."
    case .cannotWrite:
      "A file or standard output cannot be written. This excludes a reader that closes it, such as "
        + "head."
    case .fell: "The judged client, or a test with a mutant, crashed or hung; worse than 99."
    case .inconclusive:
      "The run is inconclusive: a gate cannot be judged, requests have no recording, no call of a "
        + "program sent a request, no call succeeded although some can, a busy machine hid a "
        + "client's waits, record --mode verify compared nothing, or mutate found no test that "
        + "passes twice and uses a recording."
    case .gateFailed:
      "A gate failed, or an error was found: the client broke a rule of that severity, or the "
        + "tests have a new blind spot (mutate); worse than 98."
    case .interrupted:
      "SIGINT interrupted a drill or mutate; the report covers the finished calls."
    case .terminated:
      "SIGTERM ended a drill or mutate; the report covers the finished calls."
    }
  }
}

/// A library's error that determines the exit code of a command.
package protocol ExitCoded: Error {
  /// The exit code of a command that ends with this error.
  var exitCode: ExitCode { get }
}

/// The reason why a command stops: one sentence and an exit code.
package struct CommandError: Error {
  package var code: ExitCode
  package var sentence: String

  package init(_ code: ExitCode, _ sentence: String) {
    self.code = code
    // Sentences repeat arguments, and a URL may contain a password.
    self.sentence = sentence.withoutUserInfo
  }

  /// Creates a refusal from a library's error.
  package init(_ error: any Error) {
    switch error {
    case let refusal as CommandError: self = refusal
    case let error as FormatError: self.init(.data, "\(error)")
    case let error as FileError:
      switch error {
      case .missing(let path):
        let advice = NearestFile.beside(path).map { " Did you mean \($0)?" } ?? ""
        self.init(.noInput, "\(error)\(advice)")
      case .unreadable: self.init(.noInput, "\(error)")
      case .unwritable: self.init(.cannotWrite, "\(error)")
      case .tooLarge: self.init(.data, "\(error)")
      }
    case let error as GateError: self.init(.usage, "\(error)")
    case let error as any ExitCoded: self.init(error.exitCode, "\(error)")
    default: self.init(.software, "\(error)")
    }
  }
}

// The error sentences about words and values, in one place. Libraries provide the sentences about
// files and ports.
extension CommandError {
  /// Returns the refusal of an invalid command line.
  package static func usage(_ sentence: String) -> CommandError { CommandError(.usage, sentence) }

  package static func unknownFlag(_ name: String, among names: [String]) -> CommandError {
    let advice = advice(for: name, among: names) ?? didYouMean(name, among: names)
    return .usage("Unknown flag \(name).\(advice)")
  }

  /// Explains a flag of other tools that has another name here or is not supported, if the most
  /// similar flag would mislead.
  private static func advice(for name: String, among names: [String]) -> String? {
    switch name {
    case "--host", "--hostname", "--address", "--addr", "--listen", "--interface":
      if names.contains("--bind") { return " Did you mean --bind ADDR, the address to listen on?" }
      return names.contains("--port")
        ? " It listens on 127.0.0.1, so other machines cannot reach it." : nil
    case "--cert", "--certificate", "--certfile", "--tls-cert", "--ssl-cert", "--key", "--keyfile",
      "--tls-key", "--ssl-key":
      guard let tls = ["--tls", "--open-tls"].first(where: names.contains) else { return nil }
      return
        " Certificates are created for each run: \(tls) uses one, and --ca-out FILE writes the "
        + "authority that clients must trust."
    default: return nil
    }
  }

  package static func missing(_ thing: String, _ what: String) -> CommandError {
    .usage("\(thing) is missing: \(what).")
  }

  package static func unexpected(_ word: String) -> CommandError {
    .usage("Unexpected argument \"\(word)\".")
  }

  package static func both(_ one: String, _ other: String) -> CommandError {
    .usage("\(one) and \(other) conflict; set only one of them.")
  }

  /// Returns the refusal of a command that cannot be started.
  package static func noCommand(_ name: String) -> CommandError {
    var isDirectory: ObjCBool = false
    // A name with a slash is a path. Any other name is searched only in PATH.
    guard name.contains("/"),
      FileManager.default.fileExists(atPath: URL(typed: name).path, isDirectory: &isDirectory),
      !isDirectory.boolValue
    else { return CommandError(.noInput, "\(name): no such command.") }
    return CommandError(
      .noInput,
      "\(name) exists but cannot be executed: chmod +x \(name), or name its interpreter before it."
    )
  }

  package static func value(_ flag: String, _ text: String, shouldBe what: String) -> CommandError {
    .usage("\(flag) \(text): expected \(what).")
  }

  package static func number(_ flag: String, _ text: String, in range: ClosedRange<Int>)
    -> CommandError
  {
    let bounds =
      range.upperBound == .max
      ? "of at least \(range.lowerBound)" : "from \(range.lowerBound) to \(range.upperBound)"
    return value(flag, text, shouldBe: "a whole number \(bounds)")
  }

  package static func choice(_ flag: String, _ text: String, among names: [String]) -> CommandError
  {
    .usage(
      "\(flag) \(text): there are \(names.joined(separator: ", ")).\(didYouMean(text, among: names))"
    )
  }

  package static let processMissing = CommandError(
    .software,
    "This command runs only in a process of its own."
  )

  package static let selfNotFound = CommandError(
    .software,
    "The tool cannot find itself, so it cannot start clients."
  )

  package static func didYouMean(_ word: String, among names: [String]) -> String {
    nearest(to: word, in: names).map { " Did you mean \($0)?" } ?? ""
  }
}
