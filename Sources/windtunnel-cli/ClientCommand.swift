internal import Foundation
internal import WindTunnel
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
    executable = try Self.find(name)
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

  /// Looks a name up as a shell does: with a slash it is a path, else it is on `PATH`.
  private static func find(_ name: String) throws(Refusal) -> URL {
    let manager = FileManager.default
    func isCommand(_ path: String) -> Bool {
      var isDirectory: ObjCBool = false
      return manager.fileExists(atPath: path, isDirectory: &isDirectory) && !isDirectory.boolValue
        && manager.isExecutableFile(atPath: path)
    }
    if name.contains("/") {
      guard isCommand(name) else { throw .noCommand(name) }
      return URL(filePath: name)
    }
    let folders = (ProcessInfo.processInfo.environment["PATH"] ?? "").split(separator: ":")
    guard let path = folders.lazy.map({ "\($0)/\(name)" }).first(where: isCommand) else {
      throw .noCommand(name)
    }
    return URL(filePath: path)
  }
}
