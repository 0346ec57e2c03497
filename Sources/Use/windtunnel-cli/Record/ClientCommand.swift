/// A command that is run against a server: the words after `--`.
struct ClientCommand {
  let name: String
  private let executable: URL
  private let words: [String]

  /// Finds the command's program, before anything is started for it.
  init(_ words: [String]) throws(CommandError) {
    name = words.first ?? ""
    self.words = Array(words.dropFirst())
    guard let executable = Executable.find(name) else { throw .noCommand(name) }
    self.executable = executable
  }

  /// Returns advice for a command that sent no request here, as a sentence after a space.
  ///
  /// Empty if one of its arguments contains the server's address. Arguments may be secrets, and
  /// none is repeated.
  func advice(upstream: String) -> String {
    let places = ["{url}", "WINDTUNNEL_URL"]
    guard !words.contains(where: { word in places.contains { word.contains($0) } }) else {
      return ""
    }
    if words.contains(where: { Self.asks(upstream, $0) }) {
      return " The command sends its requests to \(upstream) directly: write {url} instead, as in "
        + "-- curl -s {url}/users."
    }
    return " The command has no {url}: write it in place of the server's address, as in "
      + "-- curl -s {url}/users, or let the command read $WINDTUNNEL_URL. A drill needs "
      + "{base} instead, as in windtunnel drill -- env MY_API={base} ./my-app."
  }

  /// Returns whether an argument contains an origin, and not a longer origin with the same
  /// beginning.
  private static func asks(_ origin: String, _ word: String) -> Bool {
    guard !origin.isEmpty else { return false }
    return word.ranges(of: origin).contains { range in
      let next = word[range.upperBound...].first
      return next.map { !($0.isLetter || $0.isNumber || ":.-".contains($0)) } ?? true
    }
  }

  /// The result of a command.
  enum Exit: Hashable {
    case exited(Int32)
    case signalled(Int32)
    /// This process was interrupted, and passed the interruption on.
    case interrupted
    /// The command did not end by itself, and was killed.
    case hung

    /// The problem as the rest of a sentence; `nil` if the command succeeded or was interrupted.
    var complaint: String? {
      switch self {
      case .exited(0), .interrupted: nil
      case .hung: "did not exit and was killed"
      case .exited(let status): "exited with status \(status)"
      case .signalled(let number): "was ended by signal \(number)"
      }
    }
  }

  /// Runs the command to its end, with `{url}` replaced and `WINDTUNNEL_URL` set.
  ///
  /// An interruption of this process is passed on, unless the command has a time limit: then only
  /// its task ends it.
  ///
  /// - Parameters:
  ///   - url: The server's address; `nil` if there is no server.
  ///   - more: Arguments after its own.
  ///   - variables: Environment variables in addition to this process's.
  ///   - output: The files for its output, without any input; `nil` to use this process's streams.
  ///   - isStuck: Returns `true` if the command and its children must be killed, and `false` if its
  ///     task is cancelled; `nil` if the command has no time limit.
  /// - Returns: The end of the command.
  /// - Throws: `CancellationError` if the task is cancelled, because the end of a cancelled command
  ///   has no meaning.
  func run(
    url: String?,
    adding more: [String] = [],
    with variables: [String: String] = [:],
    into output: CommandOutput? = nil,
    until isStuck: (@Sendable () async -> Bool)? = nil
  ) async throws -> Exit {
    let process = SpawnedProcess()
    process.executableURL = executable
    process.arguments =
      words.map { word in url.map { word.replacing("{url}", with: $0) } ?? word } + more
    let address = url.map { ["WINDTUNNEL_URL": $0] } ?? [:]
    process.environment = ToolEnvironment.current.variables.merging(variables) { $1 }
      .merging(address) { $1 }
    process.isSupervised = isStuck != nil
    process.currentDirectoryURL = ToolEnvironment.current.folder
    if let output {
      process.standardInput = FileHandle.nullDevice
      (process.standardOutput, process.standardError) = (output.output, output.errors)
    }
    // Before the start, because a signal in between would end this process and lose the recording.
    // However, a child that inherits ignored signals must receive its own.
    let hears = isStuck == nil
    let early = hears && !SpawnedProcess.inheritsIgnoredSignals ? Interruption() : nil
    try withSignalsOpen { try process.run() }
    let interruption = early ?? (hears ? Interruption() : nil)
    let passingOn = Task {
      guard let interruption else { return false }
      await interruption.wait()
      guard !Task.isCancelled else { return false }
      // A command in the background may ignore SIGINT.
      kill(process.processIdentifier, SIGTERM)
      return true
    }
    let watching = Task {
      guard await isStuck?() ?? false else { return false }
      process.killAll()
      return true
    }
    await withTaskCancellationHandler {
      // On a separate thread, because a cancelled task does not wait for a stream.
      await Thread.result { process.waitUntilExit() }
    } onCancel: {
      process.askToEnd()
    }
    for task in [passingOn, watching] { task.cancel() }
    let (isInterrupted, isHung) = (await passingOn.value, await watching.value)
    try Task.checkCancellation()
    if isInterrupted { return .interrupted }
    if isHung { return .hung }
    let status = process.terminationStatus
    return process.terminationReason == .exit ? .exited(status) : .signalled(status)
  }

  /// Unblocks signals during a call.
  ///
  /// Threads of a pool block all signals, and a child inherits the blocked signals of the thread
  /// that starts it. Otherwise only SIGKILL could end it.
  private func withSignalsOpen(_ body: () throws -> Void) rethrows {
    var (none, before) = (sigset_t(), sigset_t())
    sigemptyset(&none)
    pthread_sigmask(SIG_SETMASK, &none, &before)
    defer { pthread_sigmask(SIG_SETMASK, &before, nil) }
    try body()
  }
}

/// The output of a command, in two unnamed files.
///
/// Programs that the command leaves running therefore do not block the end.
struct CommandOutput {
  let output: FileHandle
  let errors: FileHandle

  init() throws { (output, errors) = (try Self.file(), try Self.file()) }

  /// Creates an output that is this process's standard error, or is discarded.
  init(isShown: Bool) {
    output = isShown ? .standardError : .nullDevice
    errors = output
  }

  private static func file() throws -> FileHandle {
    guard let file = tmpfile() else {
      throw FileError.unwritable("a temporary file", reason: String(cString: strerror(errno)))
    }
    defer { fclose(file) }
    return FileHandle(fileDescriptor: dup(fileno(file)), closeOnDealloc: true)
  }

  /// The maximum number of bytes of each output that are compared.
  static let comparedMax = 8 << 20

  /// Returns the first bytes of each output, and whether there were more.
  ///
  /// If the outputs are shown, all bytes are copied to this process's streams.
  func texts(isShown: Bool) throws -> (texts: [String], isCut: Bool) {
    var isCut = false
    let streams = [(output, FileHandle.standardOutput), (errors, .standardError)]
    let texts = try streams.map { file, stream in
      try file.seek(toOffset: 0)
      var kept = Data()
      while let piece = try file.read(upToCount: 1 << 16), !piece.isEmpty {
        if isShown { try stream.write(contentsOf: piece) }
        let part = piece.prefix(Self.comparedMax - kept.count)
        kept += part
        if part.count < piece.count { isCut = true }
      }
      return String(decoding: kept, as: UTF8.self)
    }
    return (texts, isCut)
  }
}
