internal import Dispatch
internal import Foundation
@_spi(WindTunnel) internal import WindTunnelCore
internal import WindTunnelServer

/// A client process, which is this executable started again, and the reader of its messages.
struct ChildProcess {
  /// The reason why the process ended.
  enum ExitKind: Sendable, Hashable {
    /// The process ended normally, after all its work.
    case orderly
    /// The process crashed: it ended by a signal or with an error.
    case crashed
    /// The process wrote nothing for too long and was killed, or reports that a program in it did
    /// so.
    case silenced
  }

  /// The time for which a process may be silent.
  struct Patience: Sendable, Hashable {
    /// The time until its first message.
    var first: Duration
    /// The time between two messages.
    var later: Duration
  }

  /// The executable, and the arguments with which it runs as a client process.
  var executable: URL
  var arguments: [String]
  /// Whether the process and all that it starts run in virtual time.
  var isInWorld = false

  /// The patience with a world, in real time. Programs start one after the other in it.
  static let patienceWithWorld = Patience(first: .seconds(120), later: .seconds(300))

  /// The end of a process, and the report of its tracer if it ran in virtual time.
  struct Exit: Sendable {
    var ending: ExitKind
    var world: VirtualWorld.Notes?
  }

  /// Runs a job, and passes each message on when it arrives. If the task is cancelled, the process
  /// is killed.
  func run(
    _ job: WorkerJob,
    patience: Patience,
    _ receive: @escaping @Sendable (WorkerMessage) -> Void
  ) async throws -> Exit {
    let process = process(for: job)
    let isInWorld = job.worldAge != nil
    let left = OrphanedProcesses()
    let (input, output) = (Pipe(), Pipe())
    let text = try JSONEncoder().encode(job) + Data("\n".utf8)
    // A world does not wait for a writer outside. Its tracer ends it if this process ends.
    process.standardInput = isInWorld ? try VirtualWorld.file(of: text) : input
    process.standardOutput = output
    let watch = ChildWatch(process, patience)
    let notes = Locked<VirtualWorld.Notes?>(nil)
    let ending: ExitKind = try await withTaskCancellationHandler {
      try await withCheckedThrowingContinuation { continuation in
        // The end of the output follows the last line, so the thread waits for that.
        let listener = Thread {
          var lines = LineSplitter()
          while case let data = output.fileHandleForReading.availableData, !data.isEmpty {
            lines.take(data) { line in
              guard let message = WorkerMessage(line: line) else {
                if isInWorld, let last = VirtualWorld.Notes(line: line) {
                  notes.withLock { $0 = last }
                }
                return
              }
              watch.recordMessage()
              left.take(message)
              receive(message)
            }
          }
          process.waitUntilExit()
          let ending = watch.ending()
          left.end()
          // Open until now: its end signals to the child that this process has ended.
          try? input.fileHandleForWriting.close()
          continuation.resume(returning: ending)
        }
        do {
          try process.run()
        } catch {
          let reason = (error as NSError).localizedDescription
          let words = "\(executable.path) cannot be started: \(reason)"
          return continuation.resume(throwing: DrillError.harness(words))
        }
        watch.start()
        listener.start()
        if !isInWorld { Thread { Self.write(text, to: input.fileHandleForWriting) }.start() }
      }
    } onCancel: {
      watch.cancel()
    }
    try Task.checkCancellation()
    return Exit(ending: ending, world: notes.withLock { $0 })
  }

  /// Creates the process of a job, without input and output.
  private func process(for job: WorkerJob) -> SpawnedProcess {
    let process = SpawnedProcess()
    process.executableURL = executable
    let world =
      job.worldAge.map { age -> [String] in
        let date = DrillPlan.beginning + Double(age) / 1e9
        return VirtualWorld.words(startingAt: date) + [executable.path]
      } ?? []
    process.arguments = world + arguments
    process.environment = Self.environment
    // The process must first end its programs. It watches its standard input to know when.
    process.endsWithParent = false
    return process
  }

  static var environment: [String: String] {
    var environment = ProcessInfo.processInfo.environment
    // A crash is a result here. Its backtrace would take seconds and has no reader.
    environment["SWIFT_BACKTRACE"] = "enable=no"
    // A proxy of this machine would be between the client and the loopback interface.
    for name in ["no_proxy", "NO_PROXY"] { environment[name] = "*" }
    return environment
  }

  /// Writes to a process that may have ended before it reads. Its listener detects that.
  private static func write(_ data: Data, to handle: FileHandle) {
    // SIGPIPE is sent to the writing thread, or on Darwin to the process, and would end the
    // program.
    BrokenPipes.ignore()
    var signals = sigset_t()
    sigemptyset(&signals)
    sigaddset(&signals, SIGPIPE)
    pthread_sigmask(SIG_BLOCK, &signals, nil)
    try? handle.write(contentsOf: data)
  }
}

/// Ends a process that is silent for too long, or whose run was cancelled.
private final class ChildWatch: @unchecked Sendable {
  private struct State {
    var last = DispatchTime.now()
    var isStarted = false
    var hasTold = false
    var isSilenced = false
    var isCancelled = false
    var isOver = false
  }

  // The members of `SpawnedProcess` that are used here are safe on any thread.
  private let process: SpawnedProcess
  private let patience: ChildProcess.Patience
  private let state = Locked(State())

  init(_ process: SpawnedProcess, _ patience: ChildProcess.Patience) {
    self.process = process
    self.patience = patience
  }

  /// Starts to watch the process, which is running by now.
  func start() {
    let isCancelled = state.withLock { state in
      (state.last, state.isStarted) = (.now(), true)
      return state.isCancelled
    }
    if isCancelled { end() } else { look() }
  }

  /// Records that the process wrote a message.
  func recordMessage() { state.withLock { ($0.last, $0.hasTold) = (.now(), true) } }

  /// Ends the process, because its run was cancelled.
  func cancel() {
    let isStarted = state.withLock { state in
      state.isCancelled = true
      return state.isStarted
    }
    if isStarted { end() }
  }

  private func look() {
    let left: Duration? = state.withLock { state in
      if state.isOver || state.isCancelled { return nil }
      let left = state.last + (state.hasTold ? patience.later : patience.first) - .now()
      if left <= .zero { state.isSilenced = true }
      return left
    }
    guard let left else { return }
    if left <= .zero { return end() }
    // After the first message, the process has only the shorter patience.
    DispatchQueue.after(min(left, patience.later)) { [weak self] in self?.look() }
  }

  /// The time that a process may take to end its own programs.
  private static let leave = Duration.seconds(2)

  private func end() {
    // The number of an ended process may already belong to another process.
    guard process.isRunning else { return }
    // SIGTERM first: the process must end its programs, which have their own groups.
    kill(process.processIdentifier, SIGTERM)
    DispatchQueue.after(Self.leave) { [process] in
      if process.isRunning { kill(process.processIdentifier, SIGKILL) }
    }
  }

  /// Returns the reason why the process ended. To be called after its end.
  func ending() -> ChildProcess.ExitKind {
    let isSilenced = state.withLock { state in
      state.isOver = true
      return state.isSilenced
    }
    if isSilenced { return .silenced }
    let isExit = process.terminationReason == .exit
    if isExit, process.terminationStatus == SubjectProcess.hungCode { return .silenced }
    let isOrderly = isExit && process.terminationStatus == 0
    return isOrderly ? .orderly : .crashed
  }
}

/// The programs that a client process reports. If it is killed, only this process can end them.
final class OrphanedProcesses: Sendable {
  private let groups = Locked<Set<Int32>>([])

  /// Handles a message about a program; returns `false` for any other message.
  @discardableResult
  func take(_ message: WorkerMessage) -> Bool {
    guard case .program(let number, let runs) = message else { return false }
    groups.withLock { groups in if runs { groups.insert(number) } else { groups.remove(number) } }
    return true
  }

  /// Kills the reported programs, with all processes that they have started. Their parent has ended
  /// by then.
  func end() {
    // 0 and 1 would address all processes.
    for group in groups.withLock({ $0 }) where group > 1 { kill(-group, SIGKILL) }
  }
}
