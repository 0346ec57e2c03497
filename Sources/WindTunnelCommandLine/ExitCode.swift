internal import WindTunnel

/// What a command ends with; one table for all of them.
package enum ExitCode: Int32, Sendable {
  /// Done.
  case done = 0
  /// Something was found: a difference, a secret, no recording that answers, or the command that was
  /// run against the server failed.
  case found = 1
  /// The live origin answers otherwise than it was recorded.
  case drift = 3
  /// Asked wrongly: an unknown flag, scenario or subject, a scenario that does not read.
  case usage = 64
  /// A cassette or report that does not read.
  case data = 65
  /// No such file.
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

/// An error of a library that says what a command ends with for it.
package protocol ExitCoded: Error {
  /// The code that a command ends with.
  var exitCode: ExitCode { get }
}

extension Refusal {
  /// What an error of a library means for a command.
  package init(_ error: any Error) {
    switch error {
    case let refusal as Refusal: self = refusal
    case let error as FormatError: self.init(.data, "\(error)")
    case let error as FileError:
      switch error {
      case .missing, .unreadable: self.init(.noInput, "\(error)")
      case .unwritable: self.init(.cannotWrite, "\(error)")
      case .tooLarge: self.init(.data, "\(error)")
      }
    case let error as GateError: self.init(.usage, "\(error)")
    case let error as any ExitCoded: self.init(error.exitCode, "\(error)")
    default: self.init(.software, "\(error)")
    }
  }
}
