internal import Foundation
internal import WindTunnel
internal import WindTunnelCommandLine
internal import WindTunnelDrill

/// A command that is run against a server: what stands behind `--`.
struct ClientCommand {
  /// How it ended.
  enum Ending: Equatable {
    case exited(Int32)
    case signalled(Int32)
    /// It was told to stop because we were.
    case interrupted
  }

  /// The word that was typed.
  let name: String
  private let executable: URL
  private let words: [String]

  /// Finds the command, before anything is started for it.
  init(_ words: [String]) throws(Refusal) {
    name = words.first ?? ""
    self.words = Array(words.dropFirst())
    guard let executable = Executable.find(name) else { throw .noCommand(name) }
    self.executable = executable
  }

  /// Runs it to its end with `{url}` filled in and `WINDTUNNEL_URL` set. An interruption of ours
  /// is passed on.
  func run(url: String) async throws -> Ending {
    let process = SpawnedProcess()
    process.executableURL = executable
    process.arguments = words.map { $0.replacing("{url}", with: url) }
    var environment = ProcessInfo.processInfo.environment
    environment["WINDTUNNEL_URL"] = url
    process.environment = environment
    let (ends, continuation) = AsyncStream<Ending>.makeStream()
    process.terminationHandler = { process in
      let status = process.terminationStatus
      continuation.yield(process.terminationReason == .exit ? .exited(status) : .signalled(status))
      continuation.finish()
    }
    try withSignalsOpen { try process.run() }
    // Only now: a child inherits ignored signals, and this one must hear its own.
    let interruption = Interruption()
    let number = process.processIdentifier
    let passingOn = Task {
      await interruption.wait()
      guard !Task.isCancelled else { return false }
      // Whatever runs in the background may ignore SIGINT.
      kill(number, SIGTERM)
      return true
    }
    var ending = Ending.interrupted
    for await end in ends { ending = end }
    passingOn.cancel()
    return await passingOn.value ? .interrupted : ending
  }

  /// Threads of a pool block all signals, and a child inherits what the thread blocks that starts
  /// it: it could be ended by nothing but SIGKILL.
  private func withSignalsOpen(_ body: () throws -> Void) rethrows {
    var (none, before) = (sigset_t(), sigset_t())
    sigemptyset(&none)
    pthread_sigmask(SIG_SETMASK, &none, &before)
    defer { pthread_sigmask(SIG_SETMASK, &before, nil) }
    try body()
  }
}
