internal import Foundation

extension SpawnedProcess {
  /// The way a process ended.
  package enum TerminationReason: Sendable, Hashable {
    case exit
    case uncaughtSignal
  }
}

/// The refusal of a system that lets no app start another program.
struct NoPrograms: LocalizedError, CustomStringConvertible {
  let description = """
    this system starts no other programs; fly a closure by `Drill` here, \
    or drill programs on macOS or Linux
    """

  /// The sentence as Foundation's errors say theirs.
  var errorDescription: String? { description }
}
