#if canImport(Darwin) && !os(macOS)
  package import Foundation
  package import WindTunnelServer

  /// A placeholder for a child process on iOS and the systems derived from it, where an app starts
  /// no other program: it refuses to run.
  package final class SpawnedProcess: @unchecked Sendable {
    /// Tells whether a child ignores the signals that this process does.
    package static let inheritsIgnoredSignals = true

    package var executableURL: URL?
    package var arguments: [String] = []
    package var environment: [String: String]?
    package var currentDirectoryURL: URL?
    package var standardInput: Any?
    package var standardOutput: Any?
    package var standardError: Any?
    var endsWithParent = true
    package var isSupervised = false
    var heldOpen: Int32 = -1
    package var network: PrivateNetwork?
    package var terminationHandler: (@Sendable (SpawnedProcess) -> Void)?
    package let processIdentifier: Int32 = 0
    let isRunning = false
    package let terminationStatus: Int32 = 0
    package let terminationReason = TerminationReason.exit

    package init() {}

    /// Throws the sentence that names the other ways.
    package func run() throws { throw NoPrograms() }

    /// Comes back at once: nothing runs.
    package func waitUntilExit() {}

    /// Comes back at once: nothing was left behind.
    package func waitUntilGone() {}

    /// Does nothing, since nothing runs.
    package func askToEnd() {}

    /// Does nothing, since nothing runs.
    package func killAll() {}
  }
#endif
