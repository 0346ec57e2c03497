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
    if order.mode == .verify { return try await Verification(arguments, order).run() }
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
    let losses = JournalLosses()
    let journal = try RecordingJournal(besides: order.file) { losses.tell($0) }
    defer { journal.close() }
    // Behind the journal, which knows from there on whether somebody else changes the file. Read
    // even if it is written anew: what is no cassette must not be lost to a misspelt name.
    let (cassette, _) =
      try CassetteFile.takeUp(journal, onto: order.file, of: order.path, goesOn: true)
    // A recording that was cut off is not a whole one: it goes on.
    let goesOn = order.mode == .once && journal.isUnfinished
    let mode = goesOn ? .newEpisodes : order.mode
    if goesOn {
      Terminal.complain("That recording goes on: what is not on the tape yet is recorded.\n")
    }
    let (unrecorded, others) = (Unrecorded(), OtherBodies(order.matcher))
    let invalid = InvalidResponses(order.redaction)
    let deck = Deck(cassette, order, mode, invalid, journal, unrecorded, others)
    if mode == .once, !cassette.interactions.isEmpty {
      let count = cassette.interactions.count
      let interactions = count == 1 ? "1 interaction" : "\(count) interactions"
      Terminal.complain(
        "\(order.path) has \(interactions) and is played. To record it anew: --mode rewrite\n"
      )
    }
    let code = try await serve(order, deck, to: command)
    losses.complain()
    others.complain()
    let end = try RecordingEnd(order: order, mode: mode, cassette: cassette, command: command)
      .keep(deck, journal, leftOff: unrecorded.lines(deck), after: code)
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
    let code = try await wait(for: command, at: server)
    await server.stop()
    return code
  }

  private static func wait(
    for command: ClientCommand?,
    at server: ReplayServer
  ) async throws -> ExitCode {
    guard let command else {
      let interruption = Interruption()
      try Terminal.announce(server.addresses)
      await interruption.wait()
      return .done
    }
    // Standard output is the command's.
    if let admin = server.adminURL { Terminal.complain("admin: \(admin)\n") }
    if let console = server.consoleURL { Terminal.complain("console: \(console)\n") }
    let ending = try await command.run(url: server.url)
    if let complaint = ending.complaint { Terminal.complain("\(command.name) \(complaint).\n") }
    return ending.complaint == nil ? .done : .found
  }
}

extension Deck {
  fileprivate convenience init(
    _ cassette: Cassette,
    _ order: RecordOrder,
    _ mode: RecordMode,
    _ invalid: InvalidResponses,
    _ journal: RecordingJournal? = nil,
    _ unrecorded: Unrecorded? = nil,
    _ others: OtherBodies? = nil
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
      recordingJournal: journal,
      observe: { event in
        invalid.observe(event)
        unrecorded?.observe(event)
        others?.observe(event)
        order.console?.observe(event)
      }
    )
  }
}

/// A command that is run against a server: what stands behind `--`.
private struct ClientCommand {
  /// The end of such a command.
  enum Ending: Equatable {
    case exited(Int32)
    case signalled(Int32)
    /// The program was told to stop because this one was.
    case interrupted

    /// The complaint of an end that is none of success, as the rest of a sentence.
    var complaint: String? {
      switch self {
      case .exited(0), .interrupted: nil
      case .exited(let status): "ended with status \(status)"
      case .signalled(let signal): "was ended by signal \(signal)"
      }
    }
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
  /// - Throws: `CancellationError` if the task is cancelled: the end of a command that was asked to
  ///   end says nothing about it.
  func run(url: String) async throws -> Ending {
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
    if await passingOn.value { return .interrupted }
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

/// The end of a recording: writes its cassette, or leaves the old one as it is.
private struct RecordingEnd {
  let order: RecordOrder
  let mode: RecordMode
  /// The contents of the cassette when it began.
  let cassette: Cassette
  /// The command that was run; `nil` where none was, and the recording was interrupted.
  let command: ClientCommand?

  /// Writes the cassette, if something new came and nothing failed; else it stays as it is, to the
  /// byte.
  func keep(
    _ deck: Deck,
    _ journal: RecordingJournal,
    leftOff: [String],
    after code: ExitCode
  ) throws -> ExitCode {
    var (recorded, orders, leftOut) = deck.numbered(volatile: order.volatile)
    // What was asked anew is of today, though its text be the old one: else it would stay too old.
    if order.isDated { recorded.date(Date(), whereNotIn: mode == .rewrite ? Cassette() : cassette) }
    let missed = leftOff + leftOut
    for line in missed { Terminal.complain("left out: \(line)\n") }
    guard deck.hasRecorded, !recorded.interactions.isEmpty else {
      code == .done ? journal.remove() : journal.giveUp()
      return endedWithout(code, wasAsked: !missed.isEmpty)
    }
    guard recorded != cassette else {
      journal.remove()
      return code
    }
    guard !deck.recordedRefusalsAlone else {
      journal.giveUp()
      throw Refusal(
        .unavailable,
        "The upstream \(order.upstream.origin ?? "") is not there: every connection was refused. "
          + "\(order.path) is as it was."
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
    if let line = recorded.absoluteURLs { Terminal.complain("\(order.path): \(line)\n") }
    let isWhole = try journal.endTelling(with: recorded, orders: orders, of: order.file)
    return isWhole ? code : .cannotWrite
  }

  /// Says that nothing was recorded, where that was all there was to do.
  private func endedWithout(_ code: ExitCode, wasAsked: Bool) -> ExitCode {
    guard mode == .rewrite || cassette.interactions.isEmpty else { return code }
    let advice = wasAsked ? nil : command?.advice(upstream: order.upstream.origin ?? "")
    Terminal.complain("Nothing was recorded; \(asItWas)\(advice ?? "")\n")
    return command != nil && code == .done ? .found : code
  }

  private var asItWas: String {
    FileManager.default.fileExists(atPath: order.file.path)
      ? "\(order.path) is as it was." : "there is no \(order.path)."
  }
}
