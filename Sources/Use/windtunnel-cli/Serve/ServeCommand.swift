internal import Dispatch
@_spi(WindTunnel) internal import WindTunnelCore

enum ServeCommand: Command {
  static let name = "serve"
  static let summary = "Play a cassette on a port, for clients in any language."
  static let operandsMax = 1
  static let synopsis = "FILE [--scenario NAME|FILE] [--match FILE] [--port N] [--tls]"
  static let example = "windtunnel serve Cassettes/examples/shop.json --port 8080"
  static let flags =
    [
      Flag("--cassette", "FILE", "The cassette to play; the same as FILE alone."),
      Flag(
        "--scenario",
        "NAME|FILE",
        "The scenario to run (default: calm).",
        choices: Shipped.preRelease
      ),
      MatchFlag.flag("method, path and query"),
      Flag("--refresh-dates", nil, "Shift dates in responses by the age of the recording."),
      Flag("--seed", "N", "Seed of all random draws (default: 1)."),
      Flag("--speed", "K", "1: recorded speed, 2: twice as fast, 0: without delay (default: 0)."),
      Flag("--port", "N", "Port to listen on; 0 for any free one (default: 0)."),
      BindFlag.flag,
      AllowOriginFlag.flag,
      Flag("--rewrite-urls", nil, "Rewrite absolute URLs of the recorded origin in JSON bodies."),
    ] + PlayFlags.flags + [
      ServingTLS.flag,
      ServingTLS.fileFlag,
      .http,
      Flag("--watch", nil, "Read cassette, rules and scenario again when they are saved."),
      .adminPort, .console,
    ] + LimitFlags.flags

  static func run(_ arguments: Arguments) async throws -> ExitCode {
    let tls = try ServingTLS(arguments)
    let order = try ServeOrder(arguments)
    let console = arguments.console(.serve)
    let reload = arguments.has("--watch") ? Reload(order, console) : nil
    let cassette = try order.loadCassette()
    let clock: @Sendable () -> Date = { Date() }
    let unanswered = Unanswered()
    let deck = Deck(
      cassette,
      scenario: try order.scenario(),
      seed: try arguments.seed(),
      options: PlaybackOptions(
        matcher: try order.matcher(),
        then: .repeat,
        pace: try arguments.number("--speed", in: 0...1000).map { .times($0) } ?? .immediately,
        refreshingDates: arguments.has("--refresh-dates") ? clock : nil,
        keepsRequests: false
      ),
      observer: Deck.Observer(takingAll: false) { event in
        unanswered.observe(event)
        console?.observe(event)
      }
    )
    if console == nil { deck.follow(.nothing) }
    var options = try ReplayServer.Options(arguments, console) { order.refusal(ofNext: $0) }
    options.host = try BindFlag.host(arguments) ?? options.host
    options.origins = try AllowOriginFlag.policy(arguments)
    options.rewritesURLs = arguments.has("--rewrite-urls")
    options.plays = try PlayFlags.plays(arguments)
    options.isReloaded = reload != nil
    if reload != nil || cassette.interactions.contains(where: { $0.request.body.count > 0 }) {
      options.played = { unanswered.played($0, $1, by: deck) }
    }
    try ToolEnvironment.needProcess()
    options.httpVersions = try arguments.httpVersions()
    options.tls = try tls.begin()
    if let sentence = OpenFiles.raise() { Terminal.complain("\(sentence)\n") }
    let server = try await ReplayServer(deck, options)
    if arguments.has("--refresh-dates"), cassette.undatedCount > 0 {
      Terminal.complain(
        "\(order.cassette.relativePath): responses with neither Date nor recordedAt, whose dates are "
          + "not shifted: \(cassette.undatedCount) of \(cassette.interactions.count). Add \"recordedAt\" to "
          + "each, or record again with record --dates.\n"
      )
    }
    let interruption = Interruption()
    let following = Task { await reload?.follow(server, deck, playing: cassette) }
    try Terminal.announce(server.addresses)
    await interruption.wait()
    following.cancel()
    await server.stopSoon()
    unanswered.end()
    return .done
  }
}

/// The files that `serve` plays from.
struct ServeOrder {
  let cassette: URL
  let rules: URL?
  /// The scenario's file; `nil` if there is none or a shipped scenario is used.
  let weather: URL?
  private let scenarioName: String?
  private let speaksTLS: Bool

  init(_ arguments: Arguments) throws {
    cassette = URL(
      typed: try arguments.required(
        "--cassette",
        orOperand: "The cassette to play",
        asIn: "windtunnel serve FILE"
      )
    )
    speaksTLS = arguments.has("--tls")
    rules = try arguments.value(MatchFlag.name).map { URL(typed: $0) }
    scenarioName = try arguments.value("--scenario")
    let shipped = try Shipped.scenarios()
    weather = scenarioName.flatMap { name in
      shipped.contains { $0.name == name } ? nil : URL(typed: name)
    }
  }

  func loadCassette() throws -> Cassette { try CassetteFile.readToPlay(cassette) }

  func matcher() throws -> Matcher {
    guard let rules else { return .pathAndQuery }
    return try MatchFlag.matcher(rules, over: .pathAndQuery)
  }

  func scenario() throws -> Scenario {
    guard let scenarioName else { return .calm }
    let scenario = try Scenarios.find(scenarioName, in: try Shipped.scenarios())
    if let refusal = refusal(of: scenario) { throw refusal }
    return scenario
  }

  /// Returns the reason why a scenario cannot be used on a port that is already open.
  func refusal(ofNext scenario: Scenario) -> CommandError? {
    scenario.losesSYNs ? .lostSYNsLater(scenario.name) : refusal(of: scenario)
  }

  /// Returns the reason why a scenario cannot be used on a single port.
  func refusal(of scenario: Scenario) -> CommandError? {
    for rule in scenario.rules {
      for case .connection(let fault) in rule.faults {
        guard rule.isForConnections else { return .connectionFaults(of: scenario.name) }
        switch fault {
        case .offline, .refused, .hostNotFound: return .connectionFaults(of: scenario.name)
        case .connectTimeout where rule.trigger != .always || rule.faults.count > 1:
          return .usage(
            "Scenario \"\(scenario.name)\" ignores some connection attempts, but a port cannot "
              + "detect when a client gives up. Ignore all attempts, or lose some with "
              + "\"lostSYNs\"."
          )
        case .tls where !speaksTLS:
          return .usage(
            "Scenario \"\(scenario.name)\" fails TLS handshakes, but this port uses plain HTTP. Add "
              + "--tls, or run it with windtunnel drill --scenario \(scenario.name)."
          )
        case .tls, .connectTimeout, .lostSYNs: break
        }
      }
    }
    return nil
  }
}

/// Reports problems of requests, one per line on standard error.
///
/// The problems are requests without a recording (501), faults that were not applied, responses
/// recorded for other bodies, and recordings selected by order alone. Lines are written on a
/// separate queue: a slow reader of standard error delays no response. Unread lines are counted.
private final class Unanswered: Sendable {
  private struct Backlog: Sendable {
    var lines = 0
    var dropped = 0
    /// The reported faults and other bodies, each once, unless every request has a line.
    var told: Set<String> = []
    var pairs: Set<Int> = []
  }

  /// The maximum number of faults and other bodies that are reported.
  private static let toldMax = 100

  /// The maximum number of lines that wait to be written.
  private static let linesMax = 1000
  /// The maximum time that ``end()`` waits for them.
  private static let patience = DispatchTimeInterval.seconds(1)

  private let queue = DispatchQueue(label: "windtunnel.unanswered")
  private let backlog = Locked(Backlog())

  /// Handles an event of a deck.
  func observe(_ event: ExchangeEvent) {
    for line in lines(of: event) { tell(line) }
  }

  private func lines(of event: ExchangeEvent) -> [String] {
    if let (request, mismatch, code) = Self.missed(event) {
      return [Self.line(request, mismatch, code)]
    }
    if case .decided(let entry) = event, case .recording(let place) = entry.take,
      let rival = entry.rival
    {
      let isNew = backlog.withLock {
        $0.pairs.count < Self.toldMax && $0.pairs.insert(place).inserted
      }
      guard isNew else { return [] }
      return ["#\(place + 1) and #\(rival + 1) differ only in redacted values: selected by order"]
    }
    guard case .undone(let outcome, let faults) = event else { return [] }
    let request = "\(outcome.request.method) \(outcome.request.url.withoutSecrets)"
    return faults.map(\.description).filter { isNew($0) }.map { "\(request): \($0)" }
  }

  /// Handles a request with a recording, and reports once if the recording is for another body.
  func played(_ outcome: Outcome, _ body: Body, by deck: Deck) {
    guard outcome.recording?.request.body.count ?? 0 > 0, !deck.matcher.comparesBodies,
      let name = OtherBodies.name(of: outcome, body), isNew(name)
    else { return }
    tell("\(name): played a response that was recorded for another body; \(OtherBodies.fix)")
  }

  private func isNew(_ name: String) -> Bool {
    backlog.withLock { $0.told.count < Self.toldMax && $0.told.insert(name).inserted }
  }

  private func tell(_ line: String) {
    let hasRoom = backlog.withLock { backlog in
      guard backlog.dropped == 0, backlog.lines < Self.linesMax else {
        backlog.dropped += 1
        return false
      }
      backlog.lines += 1
      return true
    }
    guard hasRoom else { return }
    queue.async { [self] in
      Terminal.complain(line)
      let dropped = backlog.withLock { backlog in
        backlog.lines -= 1
        guard backlog.lines == 0 else { return 0 }
        return exchange(&backlog.dropped, with: 0)
      }
      if dropped > 0 { Terminal.complain("501: and \(dropped) more\n") }
    }
  }

  /// Returns a request without a recording, and the code that its client receives; `nil` if there
  /// is one.
  private static func missed(
    _ event: ExchangeEvent
  ) -> (request: Request, mismatch: Mismatch, code: Int)? {
    switch event {
    case .requestEnd(let outcome, _, _):
      guard case .unmatched(let mismatch) = outcome.source,
        !outcome.decision.faults.contains(where: \.replacesOrCuts)
      else { return nil }
      return (outcome.request, mismatch, 501)
    // RFC 6455 §7.4.1: the other side does not accept this kind of message.
    case .strayed(let outcome, let mismatch): return (outcome.request, mismatch, 1008)
    default: return nil
    }
  }

  /// Returns a log line for a request without a response, without values that may be secrets.
  private static func line(_ request: Request, _ mismatch: Mismatch, _ code: Int) -> String {
    let shown = request.url.withoutSecrets
    // Bodies and header fields must not be in a log.
    let differsInAddress = mismatch.candidates.first?.differences.first.map { difference in
      ["method", "path", "query"].contains { difference.name.hasPrefix($0) }
    }
    if mismatch.played > 0 || shown == request.url && differsInAddress != false {
      return "\(code): \(mismatch.line)".replacing("\(request.url)", with: "\(shown)")
    }
    let nearest = mismatch.nearestWords
    let subject = code == 501 ? "" : "a message within "
    return "\(code): \(subject)\(request.method) \(shown) is not on the cassette; \(nearest)"
  }

  /// Waits until all lines are written, up to a limit.
  func end() {
    let group = DispatchGroup()
    queue.async(group: group) {}
    // Lines that are not read by then are dropped.
    _ = group.wait(timeout: .now() + Self.patience)
  }
}
