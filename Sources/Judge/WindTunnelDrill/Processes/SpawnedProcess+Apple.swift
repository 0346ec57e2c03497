#if os(macOS)
  package import Foundation
  package import WindTunnelServer

  /// A child process: `Foundation.Process` behind the surface that the other systems' has.
  ///
  /// That class is not `Sendable`; here it is set up before it runs and only asked afterwards,
  /// which it answers on any thread. It starts the child in a process group of its own.
  package final class SpawnedProcess: @unchecked Sendable {
    /// Tells whether a child ignores the signals that this process does.
    package static let inheritsIgnoredSignals = true

    private let process = Process()
    /// Ignored: nobody is told of a parent's end there. Who has to end with it watches a pipe.
    var endsWithParent = true

    package init() {}

    package var executableURL: URL? {
      get { process.executableURL }
      set { process.executableURL = newValue }
    }

    /// Ignored: nothing there takes in what a program has left behind. What ends with it is its
    /// process group, and a descendant in a session of its own is out of reach.
    package var isSupervised = false
    /// Ignored: nobody there holds a descriptor open for others.
    var heldOpen: Int32 = -1
    /// Ignored: there is no network there but the system's own.
    package var network: PrivateNetwork?

    /// Comes back when it has ended.
    package func waitUntilGone() { waitUntilExit() }

    /// Tells it to end, with its process group, as a shell would.
    package func askToEnd() { if isRunning { kill(-processIdentifier, SIGTERM) } }

    /// Kills it with its process group.
    package func killAll() { if isRunning { kill(-processIdentifier, SIGKILL) } }

    package var arguments: [String] {
      get { process.arguments ?? [] }
      set { process.arguments = newValue }
    }

    package var environment: [String: String]? {
      get { process.environment }
      set { process.environment = newValue }
    }

    package var currentDirectoryURL: URL? {
      get { process.currentDirectoryURL }
      set { process.currentDirectoryURL = newValue }
    }

    /// A `Pipe` or a `FileHandle`, as for the others; the parent's own unless told.
    package var standardInput: Any? {
      get { process.standardInput }
      set { process.standardInput = newValue }
    }

    package var standardOutput: Any? {
      get { process.standardOutput }
      set { process.standardOutput = newValue }
    }

    package var standardError: Any? {
      get { process.standardError }
      set { process.standardError = newValue }
    }

    /// Called once, on a thread of its own, when the process has ended.
    package var terminationHandler: (@Sendable (SpawnedProcess) -> Void)? {
      didSet {
        guard let told = terminationHandler else { return process.terminationHandler = nil }
        // Kept until the process has ended, as the class itself is.
        process.terminationHandler = { _ in told(self) }
      }
    }

    package var processIdentifier: Int32 { process.processIdentifier }
    var isRunning: Bool { process.isRunning }

    /// The exit code, or the signal that ended it.
    package var terminationStatus: Int32 { process.terminationStatus }

    package var terminationReason: TerminationReason {
      process.terminationReason == .uncaughtSignal ? .uncaughtSignal : .exit
    }

    /// Starts the process, or throws where that fails.
    package func run() throws { try process.run() }

    /// Comes back when the process has ended.
    package func waitUntilExit() { process.waitUntilExit() }
  }
#endif
