public import Foundation
@_spi(WindTunnel) internal import WindTunnelCore
internal import WindTunnelDrill

/// A program that a test starts: its lines as they are printed, and its run when it has ended.
///
/// A wait that ends before the program does throws ``UnfinishedProgram``. Nothing is returned for a
/// program whose exit code and whole output are not known.
public final class StartedProgram: Sendable {
  private struct State {
    var out = Data()
    /// The end of the reading, and of the program after it.
    var isRead = false
    var code: Int32?
    /// The reason for which the run is not known to its end.
    var failure: String?
    var waiting: [CheckedContinuation<Void, Never>] = []

    var isOver: Bool { failure != nil || code != nil && isRead }
  }

  private let words: [String]
  private let process = SpawnedProcess()
  private let output = Pipe()
  private let errorFile: FileHandle?
  private let hear: @Sendable (String) -> Void
  private let lines: AsyncStream<String>
  private let printed: AsyncStream<String>.Continuation
  private let state = Locked(State())
  /// Signalled when the run is over, for a caller that blocks its thread.
  private let isOver = DispatchSemaphore(value: 0)

  /// Returns the path of a program on `PATH`; `nil` if this machine does not have it.
  public static func path(of name: String) -> String? { Executable.find(name)?.path }

  /// Creates a program that has not started. Its standard input is empty.
  ///
  /// - Parameters:
  ///   - words: The program, as a path or as a name on `PATH`, and its arguments.
  ///   - folder: The working directory; `nil` is this process's.
  ///   - environment: The environment variables; `nil` is this process's.
  ///   - keepsErrors: Whether standard error is kept for the run. Otherwise it is this process's.
  ///   - hear: Receives each line of standard output on the thread that reads it.
  /// - Throws: ``UnfinishedProgram`` if there is no such program.
  public init(
    _ words: [String],
    in folder: URL? = nil,
    environment: [String: String]? = nil,
    keepsErrors: Bool = true,
    hearing hear: @escaping @Sendable (String) -> Void = { _ in }
  ) throws {
    (self.words, self.hear) = (words, hear)
    guard let program = words.first.flatMap(Executable.find) else {
      throw UnfinishedProgram(words: words, reason: "is not on this machine")
    }
    process.executableURL = program
    process.arguments = Array(words.dropFirst())
    process.environment = environment
    process.currentDirectoryURL = folder
    process.standardInput = FileHandle.nullDevice
    process.standardOutput = output
    // A file and no pipe: what was printed there before a line of standard output can be read when
    // that line can.
    errorFile = keepsErrors ? try Self.unnamedFile() : nil
    process.standardError = errorFile
    (lines, printed) = AsyncStream<String>.makeStream()
  }

  /// Starts it.
  ///
  /// - Throws: ``UnfinishedProgram`` if that fails.
  public func start() throws {
    do { try withSignalsOpen { try process.run() } } catch {
      throw fail("cannot be started: \(error)")
    }
    // A thread of its own: it waits in `read`, and a blocked thread of the pool would block tests.
    Thread.detachNewThread { [self] in
      let failure = read()
      printed.finish()
      process.waitUntilExit()
      let code = process.terminationStatus
      let isExit = process.terminationReason == .exit
      end { state in
        state.failure = state.failure ?? failure
        (state.isRead, state.code) = (true, isExit ? code : -code)
      }
    }
  }

  /// Returns the next line of standard output; `nil` if there are no more.
  ///
  /// - Throws: ``UnfinishedProgram`` if the task is cancelled. The program is killed.
  public func line() async throws -> String? {
    for await line in lines { return line }
    if Task.isCancelled { throw giveUp("a line of it") }
    if let failure = state.withLock({ $0.failure }) { throw unfinished(failure) }
    return nil
  }

  /// Waits until it has ended and all of its output is read.
  ///
  /// - Throws: ``UnfinishedProgram`` if the task is cancelled before that, and the program is killed;
  ///   and if the output cannot be read.
  public func end() async throws -> ProgramRun {
    await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        let isOver = state.withLock { state in
          if !state.isOver { state.waiting.append(continuation) }
          return state.isOver
        }
        if isOver { continuation.resume() }
      }
    } onCancel: {
      if !state.withLock({ $0.isOver }) { _ = giveUp("its end") }
    }
    return try run()
  }

  /// Waits as ``end()`` does, and blocks this thread: for programs that take no time.
  public func endBlocking() throws -> ProgramRun {
    isOver.wait()
    isOver.signal()
    return try run()
  }

  /// Returns the text of standard error so far.
  ///
  /// - Throws: ``UnfinishedProgram`` if the task is cancelled, so that a loop that waits for a word there
  ///   ends. The program is killed.
  public func errors() throws -> String {
    if Task.isCancelled { throw giveUp("its words") }
    return String(decoding: errorBytes, as: UTF8.self)
  }

  /// The number of the process.
  public var number: Int32 { process.processIdentifier }

  /// Sends it a signal.
  public func signal(_ number: Int32) { Foundation.kill(process.processIdentifier, number) }

  /// Kills it with its process group.
  public func kill() { process.killAll() }

  private func run() throws -> ProgramRun {
    let (code, out, failure) = state.withLock { ($0.code, $0.out, $0.failure) }
    guard let code, failure == nil else { throw unfinished(failure ?? "did not end") }
    guard let out = String(validating: out, as: UTF8.self),
      let err = String(validating: errorBytes, as: UTF8.self)
    else { throw unfinished("ended with \(code) and printed bytes that are not UTF-8") }
    return ProgramRun(code: code, out: out, err: err)
  }

  private func unfinished(_ reason: String) -> UnfinishedProgram {
    let out = String(decoding: state.withLock { $0.out }, as: UTF8.self)
    return UnfinishedProgram(
      words: words,
      reason: reason,
      out: out,
      err: String(decoding: errorBytes, as: UTF8.self)
    )
  }

  private func fail(_ reason: String) -> UnfinishedProgram {
    end { $0.failure = $0.failure ?? reason }
    return unfinished(reason)
  }

  private func giveUp(_ awaited: String) -> UnfinishedProgram {
    let error = fail("did not end: the task that waited for \(awaited) was cancelled")
    process.killAll()
    return error
  }

  /// Changes the state, and wakes those who wait if the run is over then.
  private func end(_ change: @Sendable (inout State) -> Void) {
    let (waiting, isFirst) = state.withLock { state in
      let wasOver = state.isOver
      change(&state)
      defer { state.waiting = [] }
      return (state.waiting, !wasOver)
    }
    for continuation in waiting { continuation.resume() }
    if isFirst { isOver.signal() }
  }

  /// Reads standard output to its end, and returns the reason if that fails.
  private func read() -> String? {
    let descriptor = output.fileHandleForReading.fileDescriptor
    var (line, buffer) = (Data(), [UInt8](repeating: 0, count: 1 << 16))
    while true {
      let count = Foundation.read(descriptor, &buffer, buffer.count)
      if count < 0, errno == EINTR { continue }
      if count < 0 {
        return "has an output that cannot be read: \(String(cString: strerror(errno)))"
      }
      if count == 0 { return nil }
      var new = Data(buffer[..<count])
      state.withLock { [new] in $0.out += new }
      // What is left of the last piece holds no line's end.
      while let end = new.firstIndex(of: UInt8(ascii: "\n")) {
        let text = String(decoding: line + new[..<end], as: UTF8.self)
        (line, new) = (Data(), new[(end + 1)...])
        printed.yield(text)
        hear(text)
      }
      line += new
    }
  }

  private var errorBytes: Data {
    guard let errorFile else { return Data() }
    var (bytes, buffer) = (Data(), [UInt8](repeating: 0, count: 1 << 16))
    while true {
      // Not `read`: the program writes at the position that both share.
      let count = pread(errorFile.fileDescriptor, &buffer, buffer.count, off_t(bytes.count))
      guard count > 0 else { return bytes }
      bytes += buffer[..<count]
    }
  }

  /// Returns a file that goes with its last descriptor.
  private static func unnamedFile() throws -> FileHandle {
    let file = FileManager.default.temporaryDirectory.appending(path: "err-\(UUID().uuidString)")
    try Data().write(to: file)
    defer {
      // One that stays behind is the system's to remove.
      try? FileManager.default.removeItem(at: file)
    }
    return try FileHandle(forUpdating: file)
  }

  /// A program starts as from a shell: a thread of a pool would have it inherit blocked signals.
  private func withSignalsOpen(_ body: () throws -> Void) rethrows {
    var (none, before) = (sigset_t(), sigset_t())
    sigemptyset(&none)
    pthread_sigmask(SIG_SETMASK, &none, &before)
    defer { pthread_sigmask(SIG_SETMASK, &before, nil) }
    try body()
  }
}

extension StartedProgram {
  /// Runs a program to its end.
  public static func run(
    _ words: [String],
    in folder: URL? = nil,
    environment: [String: String]? = nil
  ) async throws -> ProgramRun {
    let program = try StartedProgram(words, in: folder, environment: environment)
    try program.start()
    return try await program.end()
  }

  /// Tells whether a line of the shell ends with 0, and blocks this thread: to find out once whether
  /// this machine can do something. A program that cannot be started is an answer, too.
  public static func succeeds(_ line: String) -> Bool {
    do {
      let program = try StartedProgram(["/bin/sh", "-c", line])
      try program.start()
      return try program.endBlocking().code == 0
    } catch { return false }
  }
}
