#if canImport(Darwin) && !os(macOS)
  internal import Foundation

  struct SystemProcess {}

  /// The error on systems where an app cannot start other programs.
  private struct NoPrograms: LocalizedError, CustomStringConvertible {
    let description = """
      this system cannot start programs; run a closure by `Drill` here, \
      or drill programs on macOS or Linux
      """

    /// The sentence, as Foundation's errors return it.
    var errorDescription: String? { description }
  }

  extension SpawnedProcess {
    /// Whether a child ignores the signals that this process ignores.
    package static let inheritsIgnoredSignals = true

    package var processIdentifier: Int32 { 0 }
    var isRunning: Bool { false }
    package var terminationStatus: Int32 { 0 }
    package var terminationReason: TerminationReason { .exit }

    /// Throws an error that names the alternatives.
    package func run() throws { throw NoPrograms() }

    /// Returns at once, because nothing runs.
    package func waitUntilExit() {}

    /// Returns at once, because nothing was left running.
    package func waitUntilGone() {}

    /// Does nothing, because nothing runs.
    package func askToEnd() {}

    /// Does nothing, because nothing runs.
    package func killAll() {}
  }
#endif
