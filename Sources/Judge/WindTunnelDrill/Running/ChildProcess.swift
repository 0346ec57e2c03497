internal import Dispatch
internal import Foundation
@_spi(WindTunnel) internal import WindTunnelCore
internal import WindTunnelServer

/// A subject's process, which is the executable started again, and the reader of its messages.
struct ChildProcess {
  /// The manner in which the process ended.
  enum Ending: Sendable, Hashable {
    /// By itself, with nothing left to do.
    case orderly
    /// By a signal or with an error: it crashed.
    case crashed
    /// The process wrote nothing for too long and was killed, or reports that a program in it did
    /// so.
    case silenced
  }

  /// The time for which a process may tell nothing.
  struct Patience: Sendable, Hashable {
    /// Until its first message.
    var first: Duration
    /// From one to the next.
    var later: Duration
  }

  /// The executable and the arguments that make it a subject's process.
  var executable: URL
  var arguments: [String]
  /// Whether the process and all that it starts run in virtual time.
  var isInWorld = false

  /// The patience with a world, in real time: programs start one after the other in it.
  static let patienceWithWorld = Patience(first: .seconds(120), later: .seconds(300))

  /// The end of a process, and the report of its tracer if it ran in virtual time.
  struct End: Sendable {
    var ending: Ending
    var world: VirtualWorld.Notes?
  }

  /// Runs orders and hands over each message as it comes. A process whose orders nobody waits for
  /// any more is killed.
  func run(
    _ job: WorkerJob,
    patience: Patience,
    _ receive: @escaping @Sendable (WorkerMessage) -> Void
  ) async throws -> End {
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
    let ending: Ending = try await withTaskCancellationHandler {
      try await withCheckedThrowingContinuation { continuation in
        // The end of its output comes after its last line, so that is what is waited for.
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
        if !isInWorld { Thread { Self.write(text, to: input.fileHandleForWriting) }.start() }
      }
    } onCancel: {
      watch.cancel()
    }
    try Task.checkCancellation()
    return End(ending: ending, world: notes.withLock { $0 })
  }

  /// Creates the process of a job, which has no input and output yet.
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
    // It has programs to end first, and watches its standard input for that.
    process.endsWithParent = false
    return process
  }

  static var environment: [String: String] {
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

/// Ends a process that tells nothing for too long, and one that nobody waits for any more.
private final class ChildWatch: @unchecked Sendable {
  private struct State {
    var last = DispatchTime.now()
    var isStarted = false
    var hasTold = false
    var isSilenced = false
    var isCancelled = false
    var isOver = false
  }

  // `Process` is not Sendable; what is used of it here may be used on any thread.
  private let process: SpawnedProcess
  private let patience: ChildProcess.Patience
  private let state = Locked(State())

  init(_ process: SpawnedProcess, _ patience: ChildProcess.Patience) {
    self.process = process
    self.patience = patience
  }

  /// The process runs from now on.
  func start() {
    let isCancelled = state.withLock { state in
      (state.last, state.isStarted) = (.now(), true)
      return state.isCancelled
    }
    if isCancelled { kill() } else { look() }
  }

  /// Notes that the process told something.
  func recordMessage() { state.withLock { ($0.last, $0.hasTold) = (.now(), true) } }

  /// Nobody wants to know any more.
  func cancel() {
    let isStarted = state.withLock { state in
      state.isCancelled = true
      return state.isStarted
    }
    if isStarted { kill() }
  }

  private func look() {
    let left: Duration? = state.withLock { state in
      if state.isOver || state.isCancelled { return nil }
      let quiet = DispatchTime.now().uptimeNanoseconds - state.last.uptimeNanoseconds
      let left = (state.hasTold ? patience.later : patience.first) - .nanoseconds(Int64(quiet))
      if left <= .zero { state.isSilenced = true }
      return left
    }
    guard let left else { return }
    if left <= .zero { return kill() }
    // Once it has told something it has less time than it had for that.
    let next = min(left, patience.later)
    let deadline = DispatchTime.now() + next
    DispatchQueue.global().asyncAfter(deadline: deadline) { [weak self] in self?.look() }
  }

  /// The time that a process which is asked to end may take to end its own.
  private static let leave = Duration.seconds(2)

  private func kill() {
    // One that has ended may have been waited for, and its number be somebody else's.
    guard process.isRunning else { return }
    // It has programs to end, which are in groups of their own.
    systemKill(process.processIdentifier, SIGTERM)
    let deadline = DispatchTime.now() + Self.leave
    DispatchQueue.global().asyncAfter(deadline: deadline) { [process] in
      guard process.isRunning else { return }
      systemKill(process.processIdentifier, SIGKILL)
    }
  }

  /// Returns the manner in which the process ended, once it has.
  func ending() -> ChildProcess.Ending {
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

/// The programs of a subject's process, as that tells of them: where it is killed, nobody else can
/// end them.
final class OrphanedProcesses: Sendable {
  private let groups = Locked<Set<Int32>>([])

  /// Takes a message that is about a program; false for any other.
  @discardableResult
  func take(_ message: WorkerMessage) -> Bool {
    guard case .program(let number, let runs) = message else { return false }
    groups.withLock { groups in if runs { groups.insert(number) } else { groups.remove(number) } }
    return true
  }

  /// Kills those that run, with what they have started. Their process has ended by then.
  func end() {
    // 0 and 1 would be everybody.
    for group in groups.withLock({ $0 }) where group > 1 { kill(-group, SIGKILL) }
  }
}

/// `kill` by a name that no method hides.
private func systemKill(_ process: pid_t, _ signal: Int32) { kill(process, signal) }
