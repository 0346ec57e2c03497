@_spi(WindTunnel) internal import WindTunnelCore

enum RecordCommand: Command {
  static let name = "record"
  static let summary = "Pass requests on to a real server and record its responses."
  static let synopsis =
    "URL --cassette FILE [--as URL] [--mode MODE] [--prove] [-- CMD …]"
  static let operandsMax = 1
  static let example =
    "windtunnel record http://127.0.0.1:8000 --cassette a.json -- curl {url}/users"
  static let takesCommand = true
  static let flags =
    [
      Flag("--upstream", "URL")
        .help("The real server, such as https://api.example.com; the same as URL alone."),
      Flag("--upstream-ca", "FILE", "Trust these certificates for https, not the machine's (PEM)."),
      Flag("--cassette", "FILE", "The cassette to write, in one step at the end."),
      Flag("--as", "URL", "Origin to store in the cassette instead of the upstream's."),
      Flag("--mode", "MODE", choices: RecordMode.names)
        .help("none, once, new-episodes, rewrite or verify (default: once)."),
      Flag("--prove")
        .help("Run CMD again with the recording, and save it only if both runs are equal."),
      MatchFlag.flag("method, path and query"),
    ] + RedactionFlags.flags + [
      Flag("--dates", nil, "Store the day of recording in each new interaction."),
      VolatileFlag.flag,
      .keepEncodings,
      .passMalformed,
      Flag(IgnoredHost.name, "HOST")
        .help("Pass on requests to HOST (any port) or HOST:PORT without recording them."),
      Flag("--port", "N", "Port to listen on; 0 for any free one (default: 0)."),
      AllowOriginFlag.flag,
      .adminPort, .console,
      ServingTLS.flag,
      ServingTLS.fileFlag,
      Flag("--secret", "NAME=ENV", "verify: use the value of $ENV for REDACTED-NAME-1, -2, …"),
      Flag("--unsafe", nil, "verify: also send POST and other unsafe requests again."),
      Flag("--login", nil, "verify: send recorded logins again, and use the values they return."),
      Flag("--json", nil, "verify: print the differences as JSON."),
      Flag("-- CMD", nil, "Run a command with {url} and $WINDTUNNEL_URL, and stop when it ends."),
    ] + LimitFlags.flags + LimitFlags.originFlags

  static func run(_ arguments: Arguments) async throws -> ExitCode {
    let order = try RecordOrder(arguments)
    if order.mode == .verify { return try await Verification.run(arguments, order) }
    try Verification.refuseFlags(of: arguments)
    let command =
      arguments.command.isEmpty ? nil : try ClientCommand(arguments.command)
    if order.proof != nil, command == nil {
      throw CommandError.usage("--prove runs a command twice; add the command as -- CMD.")
    }
    guard order.mode != .none else {
      let invalid = InvalidResponses(order.redaction)
      let cassette = try CassetteFile.readToPlay(order.file)
      let deck = Deck(cassette, order, .none, observe: invalid.observe)
      let (code, _) = try await serve(order.options(), deck, to: command)
      return deck.tellUnasked(after: invalid.code(after: code))
    }
    try FileError.probeWriting(to: order.file)
    try ToolEnvironment.needProcess()
    let recording = try LiveRecording(order.file, of: order.path, order.matcher)
    defer { recording.journal.close() }
    // An interrupted recording is incomplete and is continued.
    let goesOn = order.mode == .once && recording.journal.isUnfinished
    let mode = goesOn ? .newEpisodes : order.mode
    if goesOn {
      Terminal.complain("Resuming the recording: only new requests are recorded.\n")
    }
    let invalid = InvalidResponses(order.redaction)
    let deck = Deck(recording.cassette, order, mode, recording, observe: invalid.observe)
    let count = recording.cassette.interactions.count
    if mode == .once, count > 0 {
      let interactions = count.counted("interaction")
      if order.proof != nil {
        throw CommandError.usage(
          "\(order.path) has \(interactions) and would only be played, which proves nothing. To record "
            + "again: --prove --mode rewrite"
        )
      }
      Terminal.complain(
        "\(order.path) has \(interactions) and is played. To record again: --mode rewrite\n"
      )
    }
    let options = try order.options()
    var (code, first) = try await serve(
      options,
      deck,
      to: command,
      proving: order.proof.map { _ in order }
    )
    recording.complain()
    if let first, let command, !deck.recordedRefusalsAlone {
      code = try await prove(first, deck, order, options, command)
    }
    // A new cassette also has the invalid responses, which lint reports. An older one stays.
    let hasFailed = code == .done && count > 0 && command != nil && invalid.areRefused
    code = try order.keep(deck, recording, mode, command, after: hasFailed ? .found : code)
    return deck.tellUnasked(after: invalid.code(after: code))
  }

  /// Serves a deck until its command ends, or until an interruption.
  private static func serve(
    _ options: ReplayServer.Options,
    _ deck: Deck,
    to command: ClientCommand?,
    proving order: RecordOrder? = nil
  ) async throws -> (ExitCode, ProofRun?) {
    try ToolEnvironment.needProcess()
    if let sentence = OpenFiles.raise() { Terminal.complain("\(sentence)\n") }
    let server = try await ReplayServer(deck, options)
    guard let command else {
      let interruption = Interruption()
      try Terminal.announce(server.addresses)
      await interruption.wait()
      await server.stopSoon()
      return (.done, nil)
    }
    // Standard output belongs to the command.
    if let admin = server.adminURL { Terminal.complain("admin: \(admin)\n") }
    if let console = server.consoleURL { Terminal.complain("console: \(console)\n") }
    let printed = try order.map { _ in try CommandOutput() }
    let end = try await command.run(url: server.url, into: printed)
    if end == .interrupted { await server.stopSoon() } else { await server.stop() }
    var run: ProofRun?
    if let order, let printed { run = try ProofRun(deck, end, printed, port: server.port, order) }
    guard let complaint = end.complaint else { return (.done, run) }
    Terminal.complain("\(command.name) \(complaint).\n")
    return (.found, run)
  }

  /// Runs a command again with responses from the recording, without the upstream, and compares
  /// both runs.
  private static func prove(
    _ first: ProofRun,
    _ deck: Deck,
    _ order: RecordOrder,
    _ options: ReplayServer.Options,
    _ command: ClientCommand
  ) async throws -> ExitCode {
    guard first.end == .exited(0) else {
      Terminal.complain("Nothing was proved: the command must exit with 0.\n")
      return .found
    }
    let new = deck.numbered(volatile: order.volatile)
    // Without a request there is nothing to save, which `keep` reports.
    if new.cassette.interactions.isEmpty { return .done }
    var options = options
    (options.upstream, options.admin, options.console) = (nil, nil, nil)
    let events = Locked<[ExchangeEvent]>([])
    let replay = Deck(new.cassette, order, .none) { event in events.withLock { $0.append(event) } }
    let (_, second) = try await serve(options, replay, to: command, proving: order)
    guard let second else { return .found }
    let proof = RecordingProof(new, of: deck, order, (first, second), events.withLock { $0 })
    proof.tell()
    return proof.holds ? .done : .found
  }
}

extension Deck {
  fileprivate convenience init(
    _ cassette: Cassette,
    _ order: RecordOrder,
    _ mode: RecordMode,
    _ recording: LiveRecording? = nil,
    observe: @escaping @Sendable (ExchangeEvent) -> Void
  ) {
    self.init(
      cassette,
      options: PlaybackOptions(
        matcher: order.matcher,
        // A request without a recording is a new episode, including a repeated one.
        then: mode == .newEpisodes ? .fail : .repeat,
        mode: mode,
        redaction: order.redaction,
        ignoring: order.ignored.map(\.name),
        keepsRequests: order.proof != nil
      ),
      recordingJournal: recording?.journal,
      observe: { event in
        observe(event)
        recording?.observe(event)
        order.console?.observe(event)
      }
    )
  }
}

extension ReplayServer {
  /// Stops after an interruption, whose sender waits: responses in progress have under a second.
  func stopSoon() async { await stop(grace: .milliseconds(900)) }
}

extension RecordOrder {
  /// Ends a recording, and writes its cassette if there are new interactions and nothing failed.
  ///
  /// Otherwise the cassette stays unchanged, byte for byte. Without a command, an interruption is
  /// the end of the recording.
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
    // A new recording has today's date even if it is equal to the old one, which would stay too
    // old.
    if isDated { recorded.date(Date(), whereNotIn: mode == .rewrite ? Cassette() : cassette) }
    let missed = leftOff + leftOut
    for line in missed { Terminal.complain("skipped: \(line)\n") }
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
      throw CommandError(
        .unavailable,
        "The upstream \(upstream.origin ?? "") refused every connection. \(path) is unchanged."
      )
    }
    // A cassette of half of the command's requests is no fixture, and must not replace a complete
    // one.
    guard code == .done else {
      journal.giveUp()
      Terminal.complain("The recording was discarded; \(asItWas)\n")
      return code
    }
    CutAnswers.complain(recorded, besides: cassette)
    if let line = recorded.absoluteURLs { Terminal.complain("\(path): \(line)\n") }
    let isWhole = try journal.endTelling(with: recorded, orders: orders, of: file)
    return isWhole ? code : .cannotWrite
  }

  private var asItWas: String {
    FileManager.default.fileExists(atPath: file.path)
      ? "\(path) is unchanged." : "no \(path) was written."
  }
}
