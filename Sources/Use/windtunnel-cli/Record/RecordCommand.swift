enum RecordCommand: Command {
  static let name = "record"
  static let summary = "Pass requests on to a real server and record its responses."
  static let synopsis =
    "URL --cassette FILE [--as URL] [--mode MODE] [--port N] [-- CMD …]"
  static let operandsMax = 1
  static let example =
    "windtunnel record http://127.0.0.1:8000 --cassette a.json -- curl {url}/users"
  static let takesCommand = true
  static let flags =
    [
      Flag("--upstream", "URL")
        .help("The real server, such as https://api.example.com; the same as URL alone."),
      Flag("--upstream-ca", "FILE", "Trust these certificates for https, not the machine's (PEM)."),
      Flag("--cassette", "FILE", "The cassette to write, at the end and in one step."),
      Flag("--as", "URL", "The origin on the cassette in place of the upstream's."),
      Flag("--mode", "MODE", choices: RecordMode.names)
        .help("none, once, new-episodes, rewrite or verify (default: once)."),
      MatchFlag.flag("method, path and query"),
    ] + RedactionFlags.flags + [
      Flag("--dates", nil, "Store the day of recording in each new interaction."),
      VolatileFlag.flag,
      EncodingsFlag.flag,
      MalformedFlag.flag,
      Flag(IgnoredHost.name, "HOST")
        .help("Host whose requests are passed on unrecorded, at any port or as HOST:PORT."),
      Flag("--port", "N", "Port to listen on; 0 for any free one (default: 0)."),
      AllowOriginFlag.flag,
      AdminFlag.flag, ConsoleFlag.flag,
      ServingTLS.flag,
      ServingTLS.fileFlag,
      Flag("--secret", "NAME=ENV", "verify: use the value of $ENV for REDACTED-NAME-1, -2, …"),
      Flag("--unsafe", nil, "verify: send POST and other unsafe requests again, too."),
      Flag("--login", nil, "verify: send recorded logins again, and what they give from then on."),
      Flag("--json", nil, "verify: print the differences as JSON."),
      Flag("-- CMD", nil, "Run a command with {url} and $WINDTUNNEL_URL, and stop when it ends."),
    ] + LimitFlags.flags + LimitFlags.originFlags

  static func run(_ arguments: Arguments) async throws -> ExitCode {
    let order = try RecordOrder(arguments)
    if order.mode == .verify { return try await Verification.run(arguments, order) }
    try Verification.refuseFlags(of: arguments)
    let command =
      arguments.command.isEmpty ? nil : try ClientCommand(arguments.command)
    guard order.mode != .none else {
      let invalid = InvalidResponses(order.redaction)
      let deck = Deck(try CassetteFile.readToPlay(order.file), order, .none, invalid)
      let code = try await serve(order, deck, to: command)
      return deck.tellUnasked(after: invalid.code(after: code))
    }
    try FileError.probeWriting(to: order.file)
    try ToolEnvironment.needProcess()
    let recording = try LiveRecording(order.file, of: order.path, order.matcher)
    defer { recording.journal.close() }
    // A recording that was cut off is not a whole one: it goes on.
    let goesOn = order.mode == .once && recording.journal.isUnfinished
    let mode = goesOn ? .newEpisodes : order.mode
    if goesOn {
      Terminal.complain("That recording goes on: what is not on the tape yet is recorded.\n")
    }
    let invalid = InvalidResponses(order.redaction)
    let deck = Deck(recording.cassette, order, mode, invalid, recording)
    let count = recording.cassette.interactions.count
    if mode == .once, count > 0 {
      let interactions = count == 1 ? "1 interaction" : "\(count) interactions"
      Terminal.complain(
        "\(order.path) has \(interactions) and is played. To record it anew: --mode rewrite\n"
      )
    }
    let code = try await serve(order, deck, to: command)
    recording.complain()
    let end = try order.keep(deck, recording, mode, command, after: code)
    return deck.tellUnasked(after: invalid.code(after: end))
  }

  private static func serve(
    _ order: RecordOrder,
    _ deck: Deck,
    to command: ClientCommand?
  ) async throws -> ExitCode {
    try ToolEnvironment.needProcess()
    let options = try order.options()
    if let sentence = OpenFiles.raise() { Terminal.complain("\(sentence)\n") }
    let server = try await ReplayServer(deck, options)
    guard let command else {
      let interruption = Interruption()
      try Terminal.announce(server.addresses)
      await interruption.wait()
      await server.stop()
      return .done
    }
    // Standard output is the command's.
    if let admin = server.adminURL { Terminal.complain("admin: \(admin)\n") }
    if let console = server.consoleURL { Terminal.complain("console: \(console)\n") }
    let complaint = try await command.run(url: server.url)
    await server.stop()
    guard let complaint else { return .done }
    Terminal.complain("\(command.name) \(complaint).\n")
    return .found
  }
}

extension Deck {
  fileprivate convenience init(
    _ cassette: Cassette,
    _ order: RecordOrder,
    _ mode: RecordMode,
    _ invalid: InvalidResponses,
    _ recording: LiveRecording? = nil
  ) {
    self.init(
      cassette,
      options: PlaybackOptions(
        matcher: order.matcher,
        // What was not recorded yet is a new episode, a further answer of the same kind included.
        then: mode == .newEpisodes ? .fail : .repeat,
        mode: mode,
        redaction: order.redaction,
        ignoring: order.ignored.map(\.name),
        keepsRequests: false
      ),
      recordingJournal: recording?.journal,
      observe: { event in
        invalid.observe(event)
        recording?.observe(event)
        order.console?.observe(event)
      }
    )
  }
}

/// A command that is run against a server: what stands behind `--`.
private struct ClientCommand {
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
      + "-- curl -s {url}/users, or let the command read $WINDTUNNEL_URL."
  }

  /// Tells whether a word has an origin in it, and not a longer one that begins so.
  private static func asks(_ origin: String, _ word: String) -> Bool {
    guard !origin.isEmpty else { return false }
    return word.ranges(of: origin).contains { range in
      let next = word[range.upperBound...].first
      return next.map { !($0.isLetter || $0.isNumber || ":.-".contains($0)) } ?? true
    }
  }

  /// Runs it to its end with `{url}` filled in and `WINDTUNNEL_URL` set. An interruption of this
  /// process is passed on.
  ///
  /// - Returns: The complaint of an end that is no success, as the rest of a sentence; `nil` if the
  ///   command succeeded or was interrupted.
  /// - Throws: `CancellationError` if the task is cancelled: the end of a command that was asked to
  ///   end says nothing about it.
  func run(url: String) async throws -> String? {
    let process = SpawnedProcess()
    process.executableURL = executable
    process.arguments = words.map { $0.replacing("{url}", with: url) }
    process.environment = ToolEnvironment.current.variables.merging(["WINDTUNNEL_URL": url]) { $1 }
    process.currentDirectoryURL = ToolEnvironment.current.folder
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
    passingOn.cancel()
    try Task.checkCancellation()
    if await passingOn.value { return nil }
    let status = process.terminationStatus
    guard process.terminationReason == .exit else { return "was ended by signal \(status)" }
    return status == 0 ? nil : "ended with status \(status)"
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

extension RecordOrder {
  /// Ends a recording: writes its cassette, if something new came and nothing failed; else the
  /// cassette stays as it was, to the byte. Without a command the recording was interrupted.
  fileprivate func keep(
    _ deck: Deck,
    _ recording: LiveRecording,
    _ mode: RecordMode,
    _ command: ClientCommand?,
    after code: ExitCode
  ) throws -> ExitCode {
    let (cassette, journal) = (recording.cassette, recording.journal)
    let leftOff = recording.unrecorded.lines(deck)
    var (recorded, orders, leftOut) = deck.numbered(volatile: volatile)
    // What was asked anew is of today, though its text be the old one: else it would stay too old.
    if isDated { recorded.date(Date(), whereNotIn: mode == .rewrite ? Cassette() : cassette) }
    let missed = leftOff + leftOut
    for line in missed { Terminal.complain("left out: \(line)\n") }
    guard deck.hasRecorded, !recorded.interactions.isEmpty else {
      code == .done ? journal.remove() : journal.giveUp()
      guard mode == .rewrite || cassette.interactions.isEmpty else { return code }
      let advice = missed.isEmpty ? command?.advice(upstream: upstream.origin ?? "") : nil
      Terminal.complain("Nothing was recorded; \(asItWas)\(advice ?? "")\n")
      return command != nil && code == .done ? .found : code
    }
    guard recorded != cassette else {
      journal.remove()
      return code
    }
    guard !deck.recordedRefusalsAlone else {
      journal.giveUp()
      throw Refusal(
        .unavailable,
        "The upstream \(upstream.origin ?? "") is not there: every connection was refused. "
          + "\(path) is as it was."
      )
    }
    // A cassette of half of what the command does is no fixture, least of all in place of a whole
    // one.
    guard code == .done else {
      journal.giveUp()
      Terminal.complain("What was recorded is thrown away; \(asItWas)\n")
      return code
    }
    CutAnswers.complain(recorded, besides: cassette)
    if let line = recorded.absoluteURLs { Terminal.complain("\(path): \(line)\n") }
    let isWhole = try journal.endTelling(with: recorded, orders: orders, of: file)
    return isWhole ? code : .cannotWrite
  }

  private var asItWas: String {
    FileManager.default.fileExists(atPath: file.path)
      ? "\(path) is as it was." : "there is no \(path)."
  }
}
