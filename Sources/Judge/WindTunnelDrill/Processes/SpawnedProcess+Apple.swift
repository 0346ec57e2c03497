#if os(macOS)
  internal import Foundation

  /// Foundation's class is not `Sendable`. Here it is set up before it runs and only read
  /// afterwards, which is safe on any thread.
  typealias SystemProcess = Process

  extension SpawnedProcess {
    /// Whether a child ignores the signals that this process ignores.
    package static let inheritsIgnoredSignals = true

    package var processIdentifier: Int32 { system.processIdentifier }
    var isRunning: Bool { system.isRunning }

    /// The exit code, or the signal that ended the process.
    package var terminationStatus: Int32 { system.terminationStatus }

    package var terminationReason: TerminationReason {
      system.terminationReason == .uncaughtSignal ? .uncaughtSignal : .exit
    }

    /// Starts the process. Throws if it cannot be started.
    package func run() throws {
      (system.executableURL, system.arguments) = (executableURL, arguments)
      // A property without a value keeps the value of this process.
      if let environment { system.environment = environment }
      if let currentDirectoryURL { system.currentDirectoryURL = currentDirectoryURL }
      if let standardInput { system.standardInput = standardInput }
      if let standardOutput { system.standardOutput = standardOutput }
      if let standardError { system.standardError = standardError }
      if let terminationHandler {
        // The closure keeps this object until the process has ended, as Foundation keeps its own.
        system.terminationHandler = { _ in terminationHandler(self) }
      }
      try system.run()
    }

    /// Returns when the process has ended.
    package func waitUntilExit() { system.waitUntilExit() }

    /// Returns when the process has ended. Processes that it has left in another session are not
    /// waited for.
    package func waitUntilGone() { waitUntilExit() }

    /// Sends SIGTERM to the process group, as a shell would.
    package func askToEnd() { if isRunning { kill(-processIdentifier, SIGTERM) } }

    /// Kills the process with its process group.
    package func killAll() { if isRunning { kill(-processIdentifier, SIGKILL) } }
  }
#endif
