@_spi(WindTunnel) internal import WindTunnelCore

enum ProxyCommand: Command {
  static let name = "proxy"
  static let summary = "Simulate a bad network for any client, such as a phone, with an HTTP proxy."
  static let synopsis =
    "[--scenario NAME …] [--cassette FILE | --record FILE] [--open-tls] [--lan] …"
  static let example = "windtunnel proxy --lan --scenario metro.json --report flight.html"
  static let flags =
    [
      Flag("--scenario", "NAME|FILE", choices: Shipped.preRelease)
        .help("Scenario (default: calm); with several, the key n starts the next."),
      Flag("--cassette", "FILE", "Cassette with responses; requests to other hosts are passed on."),
      Flag("--record", "FILE", "Record traffic to FILE, and play it, except in closed tunnels."),
      MatchFlag.flag("method and URL"),
      ServingTLS.openFlag,
      ServingTLS.fileFlag,
      Flag("--upstream-ca", "FILE", "open-tls: trust these certificates, not the machine's (PEM)."),
    ] + RedactionFlags.flags(prefix: "record") + [
      Flag("--dates", nil, "record: store the day of recording in each new interaction."),
      Flag.keepEncodings.help("record: request br and zstd, too; neither is recorded."),
      .passMalformed,
      Flag(IgnoredHost.name, "HOST")
        .help("record: a host whose requests pass unrecorded and without faults."),
      Flag("--lan")
        .help("Listen on the local network for two hours, to devices that enter a code."),
      Flag("--bind", "ADDR", "lan: the address to listen on, if there are several."),
      Flag("--client", "ADDR", "lan: the device to serve, without a code."),
      .allowPrivate,
      Flag("--for", "TIME", "End after this time, such as 30m (default: 2h with --lan)."),
      Flag("--report", "FILE", "Write the report, as FILE.html or FILE.json."),
      .proxyFindings, .allow,
      Flag("--seed", "N", "Seed of all random draws (default: 1)."),
      Flag("--port", "N", "Port to listen on; 0 for any free one (default: 0)."),
      .adminPort, .console,
    ] + LimitFlags.flags + LimitFlags.originFlags

  static func run(_ arguments: Arguments) async throws -> ExitCode {
    let order = try ProxyOrder(arguments)
    try ToolEnvironment.needProcess()
    let recording = try order.recordFile.map { file in
      try FileError.probeWriting(to: file)
      return try LiveRecording(file, order.matcher)
    }
    let log = Locked(ProxyLog())
    let invalid = InvalidResponses(order.redaction)
    let deck = try order.deck(recording, log, invalid)
    let flight = ProxyFlight(deck, order, log)
    var options = try order.options()
    if let sentence = OpenFiles.raise() { Terminal.complain("\(sentence)\n") }
    let begin = { @Sendable (scenario: Scenario, seed: UInt64) in
      flight.begin(scenario, seed: seed)
    }
    options.admin?.swapped = begin
    options.console?.swapped = begin
    options.proxy?.notice = { flight.note($0) }
    let server = try await ReplayServer(deck, options)
    let start = ContinuousClock.now
    let ends = ProxyEnds(after: order.duration, scenarioCount: order.scenarios.count)
    defer { ends.restore() }
    try order.announce(server)
    let judging = Task { await flight.showFindings() }
    var isInterrupted = false
    for await event in ends.events {
      if case .interrupted = event { isInterrupted = true }
      guard flight.take(event) else { break }
    }
    judging.cancel()
    ends.restore()
    if isInterrupted { await server.stopSoon() } else { await server.stop() }
    // If one file cannot be written, the others still are.
    var problem: (any Error)?
    var isWhole = true
    do { isWhole = try recording.map { try order.keep($0, deck) } ?? true } catch {
      problem = error
    }
    let report = flight.report(seed: deck.seed, duration: .now - start)
    for file in order.reports {
      let data = file.pathExtension == "html" ? report.htmlData() : report.jsonData()
      do {
        try FileError.writing(data, to: file)
        Terminal.complain("\(file.relativePath): report\n")
      } catch {
        problem = problem ?? error
      }
    }
    Terminal.complain(text: report.findingsText())
    if let problem { throw problem }
    let code = deck.tellUnasked(after: isWhole ? .done : .cannotWrite)
    let fails = order.failingFindings.map(report.hasFindings) ?? false
    return invalid.code(after: fails && code == .done ? .gateFailed : code)
  }
}

/// A run through a proxy: its current scenario, and the observations of it.
///
/// It is accessed by the terminal, and by the server's thread for observations.
private final class ProxyFlight: Sendable {
  private let deck: Deck
  private let order: ProxyOrder
  private let log: Locked<ProxyLog>
  private let peers = Locked(PeersSeen())
  /// The rules that each scenario allows, by its name.
  private let allowedIn = Locked<[String: [AllowedRule]]>([:])

  /// Begins with the log of the deck's events.
  init(_ deck: Deck, _ order: ProxyOrder, _ log: Locked<ProxyLog>) {
    (self.deck, self.order, self.log) = (deck, order, log)
    begin(order.scenarios[0], seed: deck.seed)
  }

  /// Records that another scenario begins.
  func begin(_ scenario: Scenario, seed: UInt64) {
    allowedIn.withLock { $0[scenario.name] = scenario.allowed + order.allowed }
    log.withLock { $0.begin(scenario, seed: seed) }
  }

  /// Records an event of a peer, and reports it if it is new.
  func note(_ event: PeerEvent) {
    guard let line = peers.withLock({ $0.note(event) }) else { return }
    Terminal.complain("\(line)\n")
  }

  /// Performs the action for an event; `false` if the proxy should end.
  func take(_ event: ProxyEnds.Event) -> Bool {
    let name = deck.scenario.name
    switch event {
    case .key("n"):
      let place = order.scenarios.firstIndex { $0.name == name } ?? 0
      let next = order.scenarios[(place + 1) % order.scenarios.count]
      deck.swap(next, seed: nil) { seed in
        begin(next, seed: seed)
        order.console?.begin(next, seed: seed)
      }
      Terminal.complain("\(next.name)\(next.summary.map { ": \($0)" } ?? "")\n")
    case .key("o"): mark(.shown, in: name)
    case .key("b"): mark(.blank, in: name)
    case .key("q"), .interrupted: return false
    case .timeUp:
      Terminal.complain("The time limit was reached.\n")
      return false
    case .key: break
    }
    return true
  }

  /// The interval between two evaluations of the requests while the console is watched.
  private static let judgingPeriod = Duration.seconds(2)

  /// Shows new findings on the console, until the task is cancelled.
  func showFindings() async {
    guard let console = order.console else { return }
    var shown: Set<String> = []
    // Only a cancellation ends the sleep early.
    while (try? await Task.sleep(for: Self.judgingPeriod)) != nil {
      guard console.isWatched else { continue }
      let report = report(seed: deck.seed, duration: .zero)
      for judged in report.findings {
        let id = "\(judged.scenario)/\(judged.finding.rule)"
        guard shown.insert(id).inserted else { continue }
        let segment = report.segments.last { $0.part.scenario == judged.scenario }
        let rows = console.lines(of: report.decisions(of: judged))
        console.show(judged.row(id, segment: segment?.part.number, rows))
      }
    }
  }

  private func mark(_ mark: ProxyLog.Mark, in scenario: String) {
    let count = log.withLock { log in
      log.note(mark, in: scenario)
      return log.marks.count { $0.scenario == scenario && $0.mark == mark }
    }
    Terminal.complain("\(scenario): \(mark == .shown ? "shown" : "blank screen") × \(count)\n")
  }

  func report(seed: UInt64, duration: Duration) -> ProxyReport {
    var log = log.withLock { $0 }
    for peer in peers.withLock({ $0.turnedAway }) { log.turnAway(peer) }
    return ProxyReport(
      log,
      seed: seed,
      duration: duration,
      environment: [
        Report.Fact("os", ProcessInfo.processInfo.operatingSystemVersionString),
        Report.Fact("build", Build.isDebug ? "debug" : "release"),
      ],
      allowing: allowedIn.withLock { $0 }
    )
  }
}

/// The states of a proxy's peers.
private struct PeersSeen {
  /// The addresses of the peers that were refused and have not sent the code since.
  private(set) var turnedAway: Set<String> = []
  private var told: Set<String> = []

  /// The maximum numbers of stored peers and of lines about them, so that they do not fill a
  /// terminal.
  private static let (peersMax, linesMax) = (1000, 200)

  /// Returns a line about an event, unless it was reported before.
  mutating func note(_ event: PeerEvent) -> String? {
    let line: String
    switch event {
    case .turnedAway(let peer):
      if turnedAway.count < Self.peersMax { turnedAway.insert(peer) }
      line = "\(peer) sent a request. It is served after it enters the code."
    case .admitted(let peer):
      turnedAway.remove(peer)
      line = "\(peer) entered the code and is served."
    case .codeUsedUp(let count):
      line =
        "\(count) wrong codes were entered, so no further code is accepted. To serve another device, "
        + "start again, or pass its address as --client."
    case .notConnected(let peer, let refusal):
      line = "\(peer) was not connected: \(refusal)"
    }
    guard told.count < Self.linesMax, told.insert(line).inserted else { return nil }
    return line
  }
}
