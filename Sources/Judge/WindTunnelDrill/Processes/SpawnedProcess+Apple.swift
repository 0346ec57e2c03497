#if os(macOS)
  internal import Foundation

  /// The class is not `Sendable`; here it is set up when it runs and only asked afterwards, which
  /// it answers on any thread.
  typealias SystemProcess = Process

  extension SpawnedProcess {
    /// Whether a child ignores the signals that this process ignores.
    package static let inheritsIgnoredSignals = true

    package var processIdentifier: Int32 { system.processIdentifier }
    var isRunning: Bool { system.isRunning }

    /// The exit code, or the signal that ended it.
    package var terminationStatus: Int32 { system.terminationStatus }

    package var terminationReason: TerminationReason {
      system.terminationReason == .uncaughtSignal ? .uncaughtSignal : .exit
    }

    /// Starts the process. Throws if it cannot be started.
    package func run() throws {
      (system.executableURL, system.arguments) = (executableURL, arguments)
      // Without a value each of them is this process's own.
      if let environment { system.environment = environment }
      if let currentDirectoryURL { system.currentDirectoryURL = currentDirectoryURL }
      if let standardInput { system.standardInput = standardInput }
      if let standardOutput { system.standardOutput = standardOutput }
      if let standardError { system.standardError = standardError }
      if let terminationHandler {
        // Kept until the process has ended, as the class itself is.
        system.terminationHandler = { _ in terminationHandler(self) }
      }
      try system.run()
    }

    /// Returns when the process has ended.
    package func waitUntilExit() { system.waitUntilExit() }

    /// Returns when the process has ended: what it has left behind in a session of its own is out
    /// of reach.
    package func waitUntilGone() { waitUntilExit() }

    /// Tells it to end, with its process group, as a shell would.
    package func askToEnd() { if isRunning { kill(-processIdentifier, SIGTERM) } }

    /// Kills it with its process group.
    package func killAll() { if isRunning { kill(-processIdentifier, SIGKILL) } }
  }
#endif
