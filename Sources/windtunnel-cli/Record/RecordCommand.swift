internal import Foundation
internal import WindTunnel
internal import WindTunnelCommandLine
internal import WindTunnelServer
internal import WindTunnelSymptoms

enum RecordCommand: Command {
  static let name = "record"
  static let summary = "Stand in front of a real server and record what passes."
  static let synopsis =
    "URL --cassette FILE [--as URL] [--mode MODE] [--port N] [-- CMD …]"
  static let operandsMax = 1
  static let example =
    "windtunnel record http://127.0.0.1:8000 --cassette a.json -- curl {url}/users"
  static let takesCommand = true
  static let flags =
    [
      Flag(
        "--upstream",
        "URL",
        "The real server, such as https://api.example.com; the same as URL alone."
      ),
      Flag("--upstream-ca", "FILE", "Trust these certificates for https, not the machine's (PEM)."),
      Flag("--cassette", "FILE", "Where the recording is written, at the end and in one step."),
      Flag("--as", "URL", "The origin that stands on the tape instead of the upstream's."),
      Flag("--mode", "MODE", "none, once, new-episodes, rewrite or verify (default: once)."),
      MatchFlag.flag("method, path and query"),
    ] + RedactionFlags.flags + [
      Flag("--dates", nil, "Keep in each interaction that is recorded the day on which it was."),
      VolatileFlag.flag,
      EncodingsFlag.flag,
      Flag(
        IgnoredHost.name,
        "HOST",
        "A host to pass requests on to unrecorded, at every port or HOST:PORT."
      ),
      Flag("--port", "N", "The port; 0 for any that is free (default: 0)."),
      AllowOriginFlag.flag,
      AdminFlag.flag,
      ServingTLS.flag,
      ServingTLS.fileFlag,
      Flag("--secret", "NAME=ENV", "verify: what $ENV holds stands for REDACTED-NAME-1, -2, …"),
      Flag("--unsafe", nil, "verify: ask POST and the like again, too."),
      Flag("--json", nil, "verify: tell what differs as JSON."),
      Flag("-- CMD", nil, "Run a command with {url} and $WINDTUNNEL_URL, and stop when it ends."),
    ] + LimitFlags.flags + LimitFlags.originFlags

  static func run(_ arguments: Arguments) async throws -> ExitCode {
    let order = try RecordOrder(arguments)
    if order.mode == .verify { return try await Verification(arguments, order).run() }
    try Verification.refuseFlags(of: arguments)
    let command =
      arguments.command.isEmpty ? nil : try ClientCommand(arguments.command)
    guard order.mode != .none else {
      let deck = Deck(try CassetteFile.read(order.file), order, .none)
      return deck.tellUnasked(after: try await serve(order, deck, to: command))
    }
    // Read even where it is written anew: what is no cassette must not be lost to a misspelt name.
    let exists = FileManager.default.fileExists(atPath: order.file.path)
    let found = exists ? try Cassette(contentsOf: order.file) : Cassette()
    try FileError.probeWriting(to: order.file)
    let losses = JournalLosses()
    let journal = try RecordingJournal(besides: order.file) { losses.tell($0) }
    defer { journal.close() }
    let (cassette, _) = try CassetteFile.takeUp(journal, onto: found, of: order.path, goesOn: true)
    // A recording that was cut off is not a whole one: it goes on.
    let goesOn = order.mode == .once && journal.isUnfinished
    let mode = goesOn ? .newEpisodes : order.mode
    if goesOn {
      Terminal.complain("That recording goes on: what is not on the tape yet is recorded.\n")
    }
    let (unrecorded, others) = (Unrecorded(), OtherBodies(order.matcher))
    let deck = Deck(cassette, order, mode, journal, unrecorded, others)
    if mode == .once, !cassette.interactions.isEmpty {
      Terminal.complain(
        "\(order.path) has \(cassette.interactions.count) interactions and is played. "
          + "To record it anew: --mode rewrite\n"
      )
    }
    let code = try await serve(order, deck, to: command)
    losses.complain()
    others.complain()
    let end = try RecordingEnd(order, mode, cassette, runsCommand: command != nil)
      .keep(deck, journal, leftOff: unrecorded.lines(deck), after: code)
    return deck.tellUnasked(after: end)
  }

  private static func serve(
    _ order: RecordOrder,
    _ deck: Deck,
    to command: ClientCommand?
  ) async throws -> ExitCode {
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
        ignoring: order.ignored.map(\.name)
      ),
      recordingJournal: journal,
      observe: { event in
        unrecorded?.observe(event)
        others?.observe(event)
      }
    )
  }
}

extension ClientCommand.Ending {
  /// What went wrong, as the rest of a sentence.
  fileprivate var complaint: String? {
    switch self {
    case .exited(0), .interrupted: nil
    case .exited(let status): "ended with status \(status)"
    case .signalled(let signal): "was ended by signal \(signal)"
    }
  }
}
