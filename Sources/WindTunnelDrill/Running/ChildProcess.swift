internal import Foundation
internal import WindTunnel
internal import WindTunnelServer

#if canImport(Darwin)
  private import Darwin
#elseif canImport(Glibc)
  private import Glibc
#elseif canImport(Musl)
  private import Musl
#endif

/// Starts the executable again as a subject's process and listens to what it tells.
struct ChildProcess {
  /// How the process ended.
  enum Ending: Sendable, Hashable {
    /// By itself, with nothing left to do.
    case orderly
    /// By a signal or with an error: it crashed.
    case crashed
    /// It told nothing for too long and was killed.
    case silenced
  }

  /// How long a process may tell nothing.
  struct Patience: Sendable, Hashable {
    /// Until its first message.
    var first: Duration
    /// From one to the next.
    var later: Duration
  }

  /// The executable and the arguments that make it a subject's process.
  var executable: URL
  var arguments: [String]

  /// Runs orders and hands over each message as it comes. A process whose orders nobody waits for
  /// any more is killed.
  func run(
    _ orders: Orders,
    patience: Patience,
    _ receive: @escaping @Sendable (WorkerMessage) -> Void
  ) async throws -> Ending {
    let process = SpawnedProcess()
    process.executableURL = executable
    process.arguments = arguments
    process.environment = Self.environment
    // It has programs to end first, and watches its standard input for that.
    process.endsWithParent = false
    let left = LeftPrograms()
    let (input, output) = (Pipe(), Pipe())
    process.standardInput = input
    process.standardOutput = output
    let text = try JSONEncoder().encode(orders) + Data("\n".utf8)
    let watch = ChildWatch(process, patience)
    let ending: Ending = try await withTaskCancellationHandler {
      try await withCheckedThrowingContinuation { continuation in
        // The end of its output comes after its last line, so that is what is waited for.
        let listener = Thread {
          var lines = LineSplitter()
          while case let data = output.fileHandleForReading.availableData, !data.isEmpty {
            lines.take(data) { line in
              guard let message = WorkerMessage(line: line) else { return }
              watch.heard()
              if !left.take(message) { receive(message) }
            }
          }
          process.waitUntilExit()
          let ending = watch.ending()
          left.end()
          // Open until here: its end tells the child that nobody is there any more.
          try? input.fileHandleForWriting.close()
          continuation.resume(returning: ending)
        }
        do {
          try process.run()
        } catch {
          return continuation.resume(throwing: DrillError.harness(Self.reason(error, executable)))
        }
        watch.start()
        listener.start()
        Thread { Self.write(text, to: input.fileHandleForWriting) }.start()
      }
    } onCancel: {
      watch.cancel()
    }
    try Task.checkCancellation()
    return ending
  }

  private static var environment: [String: String] {
    var environment = ProcessInfo.processInfo.environment
    // A crash is a result here; a backtrace of it would take seconds and tell nobody anything.
    environment["SWIFT_BACKTRACE"] = "enable=no"
    // A proxy of this machine's would stand between the client and the loopback interface.
    for name in ["no_proxy", "NO_PROXY"] { environment[name] = "*" }
    return environment
  }

  private static func reason(_ error: any Error, _ executable: URL) -> String {
    "\(executable.path) cannot be started: \((error as NSError).localizedDescription)"
  }

  /// Writes to a process that may be dead before it has read, which its listener sees.
  private static func write(_ data: Data, to handle: FileHandle) {
    // The signal of a broken pipe goes to the thread that writes, or to the process on Darwin, and
    // would end the program.
    BrokenPipes.ignore()
    var signals = sigset_t()
    sigemptyset(&signals)
    sigaddset(&signals, SIGPIPE)
    pthread_sigmask(SIG_BLOCK, &signals, nil)
    try? handle.write(contentsOf: data)
  }
}
