/// A command that is run against a server: what stands behind `--`.
struct ClientCommand {
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

  /// Returns the advice for a command that asked for nothing here, as a sentence behind a space;
  /// nothing where one of its words names the server's address.
  ///
  /// Its words may be secrets, and none is repeated.
  func advice(upstream: String) -> String {
    let places = ["{url}", "WINDTUNNEL_URL"]
    guard !words.contains(where: { word in places.contains { word.contains($0) } }) else {
      return ""
    }
    if words.contains(where: { Self.asks(upstream, $0) }) {
      return " The command asks \(upstream) itself: write {url} in place of that, as in "
        + "-- curl -s {url}/users."
    }
    return " The command has no {url}: write it where the server's address stands, as in "
      + "-- curl -s {url}/users, or let the command read $WINDTUNNEL_URL. A drill needs "
      + "{base} there, as in windtunnel drill -- env MY_API={base} ./my-app."
  }

  /// Tells whether a word has an origin in it, and not a longer one that begins so.
  private static func asks(_ origin: String, _ word: String) -> Bool {
    guard !origin.isEmpty else { return false }
    return word.ranges(of: origin).contains { range in
      let next = word[range.upperBound...].first
      return next.map { !($0.isLetter || $0.isNumber || ":.-".contains($0)) } ?? true
    }
  }

  /// The end of a command.
  enum End: Hashable {
    case exited(Int32)
    case signalled(Int32)
    /// This process was interrupted, and passed that on.
    case interrupted
    /// It did not end by itself, and was killed.
    case hung

    /// The complaint of an end that is no success, as the rest of a sentence; `nil` if the command
    /// succeeded or was interrupted.
    var complaint: String? {
      switch self {
      case .exited(0), .interrupted: nil
      case .hung: "did not end, and was killed"
      case .exited(let status): "ended with status \(status)"
      case .signalled(let number): "was ended by signal \(number)"
      }
    }
  }

  /// Runs it to its end with `{url}` filled in and `WINDTUNNEL_URL` set. An interruption of this
  /// process is passed on.
  ///
  /// - Parameters:
  ///   - url: The server's address; `nil` if there is no server.
  ///   - more: Arguments behind its own.
  ///   - variables: Environment variables besides the environment of this process.
  ///   - output: The files that its output goes to, without any input; `nil`: its streams are this
  ///     process's.
  ///   - isStuck: Returns true when the command and its children have to be killed, and false when
  ///     its task is cancelled; `nil` if the command has no time limit.
  /// - Returns: The end of the command.
  /// - Throws: `CancellationError` if the task is cancelled: the end of a command that was asked to
  ///   end says nothing about it.
  func run(
    url: String?,
    adding more: [String] = [],
    with variables: [String: String] = [:],
    into output: CommandOutput? = nil,
    until isStuck: (@Sendable () async -> Bool)? = nil
  ) async throws -> End {
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
    // Before it starts, or a signal in between would end this process and lose what is recorded;
    // but a child that inherits ignored signals must hear its own.
    let early = SpawnedProcess.inheritsIgnoredSignals ? nil : Interruption()
    try withSignalsOpen { try process.run() }
    let interruption = early ?? Interruption()
    let passingOn = Task {
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
      await withCheckedContinuation { ended in
        // On a thread of its own: a cancelled task does not wait for a stream.
        Thread.detachNewThread {
          process.waitUntilExit()
          ended.resume()
        }
      }
    } onCancel: {
      process.askToEnd()
    }
    for task in [passingOn, watching] { task.cancel() }
    try Task.checkCancellation()
    if await passingOn.value { return .interrupted }
    if await watching.value { return .hung }
    let status = process.terminationStatus
    return process.terminationReason == .exit ? .exited(status) : .signalled(status)
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

/// The output of a command, in two files without names, so that programs that it leaves behind hold
/// nothing up.
struct CommandOutput {
  let output: FileHandle
  let errors: FileHandle

  init() throws { (output, errors) = (try Self.file(), try Self.file()) }

  /// Creates an output to this process's standard error, or to no file.
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

  /// The maximum number of bytes of each that are compared.
  static let comparedMax = 8 << 20

  /// Returns the first bytes of each output, and whether there were more. Passes all bytes on to
  /// this process's streams if they are shown.
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
