#if canImport(Darwin) && !os(macOS)
  internal import Foundation

  struct SystemProcess {}

  /// The refusal of a system that lets no app start another program.
  private struct NoPrograms: LocalizedError, CustomStringConvertible {
    let description = """
      this system starts no other programs; fly a closure by `Drill` here, \
      or drill programs on macOS or Linux
      """

    /// The sentence as Foundation's errors say theirs.
    var errorDescription: String? { description }
  }

  extension SpawnedProcess {
    /// Whether a child ignores the signals that this process ignores.
    package static let inheritsIgnoredSignals = true

    package var processIdentifier: Int32 { 0 }
    var isRunning: Bool { false }
    package var terminationStatus: Int32 { 0 }
    package var terminationReason: TerminationReason { .exit }

    /// Throws the sentence that names the other ways.
    package func run() throws { throw NoPrograms() }

    /// Returns at once: nothing runs.
    package func waitUntilExit() {}

    /// Returns at once: nothing was left behind.
    package func waitUntilGone() {}

    /// Does nothing, because nothing runs.
    package func askToEnd() {}

    /// Does nothing, because nothing runs.
    package func killAll() {}
  }
#endif
