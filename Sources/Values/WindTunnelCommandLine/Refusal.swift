internal import Foundation
internal import WindTunnel

/// The code that a command ends with; one table for all of them.
package enum ExitCode: Int32, Sendable, CaseIterable {
  /// All was done as asked.
  case done = 0
  /// Something was found: a difference, a secret, no recording that answers, a part of the harness
  /// in a release, or the command that was run against the server failed.
  case found = 1
  /// The live origin answers otherwise than it was recorded.
  case drift = 3
  /// Asked wrongly: an unknown flag, scenario or subject, a scenario that does not read.
  case usage = 64
  /// A cassette or report that does not read, or a release that is not looked through.
  case data = 65
  /// The file does not exist.
  case noInput = 66
  /// A port in use, an upstream that is gone.
  case unavailable = 69
  /// The harness itself failed.
  case software = 70
  /// A file that cannot be written.
  case cannotWrite = 73
  /// The judged subject crashed or hung, which is worse than a gate that failed.
  case fell = 97
  /// A gate cannot be told.
  case inconclusive = 98
  /// A gate failed, which is worse than one that cannot be told.
  case gateFailed = 99
  /// A drill that was interrupted.
  case interrupted = 130
  /// A drill that was told to end, by SIGTERM.
  case terminated = 143
}

extension ExitCode {
  /// The meaning of the code, in a line for those who meet it.
  package var meaning: String {
    switch self {
    case .done: "All was done as asked."
    case .found:
      "Something was found: a secret, an old interaction, a difference, no recording that answers, a "
        + "part of the harness in a release; or the command that was run behind -- failed, or did "
        + "otherwise against its recording (record --prove)."
    case .drift: "The real server answers otherwise than it was recorded (record --mode verify)."
    case .usage:
      "Asked wrongly: an unknown command, flag, scenario or subject, a scenario or a gate that does not "
        + "read."
    case .data:
      "A cassette, an HAR file or a report does not read, or a release cannot be looked through."
    case .noInput: "There is no such file, or it cannot be read."
    case .unavailable: "A port is in use, an upstream is gone, or there is no OpenSSL for TLS."
    case .software: "The tool itself failed."
    case .cannotWrite:
      "A file, or standard output, cannot be written. A reader that goes away, as head does, is no such "
        + "case."
    case .fell: "The judged client, or a test with a mutant, crashed or hung; worse than 99."
    case .inconclusive:
      "The run does not prove enough: a gate cannot be judged, calls requested what is not on the "
        + "cassette, no call of a program sent a request, no call succeeded although some can, a busy "
        + "machine hid a client's waits, record --mode verify compared nothing, or mutate found no test that "
        + "passes twice and uses a recording."
    case .gateFailed:
      "A gate failed, or an error was found: the judged client broke a rule of that weight, or the tests "
        + "have a new blind spot (mutate); worse than 98."
    case .interrupted:
      "A drill or mutate was interrupted, by SIGINT; the report is of the calls that had ended."
    case .terminated:
      "A drill was told to end, by SIGTERM; the report is of the calls that had ended."
    }
  }
}

/// An error of a library that says what a command ends with for it.
package protocol ExitCoded: Error {
  /// The code that a command ends with.
  var exitCode: ExitCode { get }
}

/// The words of a command when it cannot go on: one sentence and a code.
package struct Refusal: Error {
  package var code: ExitCode
  package var sentence: String

  package init(_ code: ExitCode, _ sentence: String) {
    self.code = code
    self.sentence = sentence
  }

  /// Makes of an error of a library what it means for a command.
  package init(_ error: any Error) {
    switch error {
    case let refusal as Refusal: self = refusal
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

// The sentences about words and values, in one place; those of files and ports are their
// libraries'.
extension Refusal {
  /// Returns the refusal of a question that was asked wrongly.
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

  package static func missing(_ thing: String, _ what: String) -> Refusal {
    .usage("\(thing) is missing: \(what).")
  }

  package static func unexpected(_ word: String) -> Refusal {
    .usage("Unexpected argument \"\(word)\".")
  }

  package static func both(_ one: String, _ other: String) -> Refusal {
    .usage("\(one) and \(other) say two things about the same; give one of them.")
  }

  /// Refuses the name of a command by which nothing can be started.
  package static func noCommand(_ name: String) -> Refusal {
    var isDirectory: ObjCBool = false
    // Only with a slash is it a path; another name is looked for on PATH alone.
    guard name.contains("/"),
      FileManager.default.fileExists(atPath: URL(typed: name).path, isDirectory: &isDirectory),
      !isDirectory.boolValue
    else { return Refusal(.noInput, "\(name): no such command.") }
    return Refusal(
      .noInput,
      "\(name) is there but cannot be executed: chmod +x \(name), or name its interpreter before it."
    )
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

  package static let processMissing = Refusal(
    .software,
    "This command runs only in a process of its own."
  )

  package static let selfNotFound = Refusal(
    .software,
    "The tool does not find itself, so it cannot start subjects."
  )

  package static func didYouMean(_ word: String, among names: [String]) -> String {
    nearest(to: word, in: names).map { " Did you mean \($0)?" } ?? ""
  }
}
