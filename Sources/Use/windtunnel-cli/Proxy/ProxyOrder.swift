@_spi(WindTunnel) internal import WindTunnelCore

/// The task of a proxy, read from the command line.
struct ProxyOrder {
  let scenarios: [Scenario]
  let recordFile: URL?
  /// The rules for comparing requests, if there is a cassette.
  let matcher: Matcher
  let redaction: RedactionRules
  /// Whether each new interaction contains its date.
  private let isDated: Bool
  let reports: [URL]
  let duration: Duration?
  /// The minimum severity of a finding that fails the run; `nil`, the default, if none does.
  let failingFindings: Finding.Severity?
  /// The rules that may be violated in every scenario.
  let allowed: [AllowedRule]
  /// The console; `nil` if it is not used.
  let console: Console?
  private let settings: ReplayServer.Options
  private let tls: ServingTLS
  private let trust: UpstreamTrust
  private let cassette: Cassette?
  private let ignored: [IgnoredHost]
  private let seed: UInt64
  private let isOnLAN: Bool

  /// The flags that require a recording.
  private static let ofRecording = [
    RedactionFlags.names, RedactionFlags.keep, RedactionFlags.personalData, "--dates",
    IgnoredHost.name,
    Flag.keepEncodings.name,
  ]

  /// The default run time of a proxy that other devices can reach.
  static let lanDuration = Duration.seconds(2 * 60 * 60)

  init(_ arguments: Arguments) throws {
    tls = try ServingTLS(arguments, by: ServingTLS.openFlag)
    trust = try UpstreamTrust(arguments)
    let opensTLS = tls.isWanted
    guard opensTLS || !trust.isGiven else {
      throw CommandError.usage(
        "\(UpstreamTrust.name) needs --open-tls; otherwise the client itself checks certificates."
      )
    }
    scenarios = try Self.scenarios(arguments, opensTLS: opensTLS)
    let cassettePath = try arguments.value("--cassette")
    recordFile = try arguments.value("--record").map { URL(typed: $0) }
    if cassettePath != nil, recordFile != nil {
      throw CommandError.usage(
        "Pass --cassette or --record: --record FILE also plays the recordings in FILE."
      )
    }
    cassette = try cassettePath.map { try CassetteFile.readToPlay(URL(typed: $0)) }
    matcher = try MatchFlag.matcher(arguments, over: .url)
    if recordFile == nil, let flag = Self.ofRecording.first(where: { arguments.has($0) }) {
      throw CommandError.usage("\(flag) needs --record; otherwise nothing is recorded.")
    }
    redaction = try RedactionRules(arguments).keeping(matcher.kept)
    isDated = arguments.has("--dates")
    console = arguments.console(.proxy, redacting: redaction)
    ignored = try IgnoredHost.all(arguments)
    let forms = ["html", "json"]
    reports = try arguments.files("--report", endingIn: forms) { forms.contains($0) ? $0 : nil }
      .map(\.file)
    failingFindings =
      arguments.all("--findings").isEmpty ? nil : try VerdictPolicy(arguments).failingFindings
    allowed = try AllowedRule.all(in: arguments)
    isOnLAN = arguments.has("--lan")
    duration = try arguments.duration("--for") ?? (isOnLAN ? Self.lanDuration : nil)
    seed = try arguments.seed()
    var options = try ReplayServer.Options(arguments, console) {
      Self.refusal(of: $0, opensTLS: opensTLS)
    }
    let proxy = try Self.proxying(arguments, at: &options.host)
    options.proxy = proxy
    if case .code(let code) = proxy.admission { options.console?.lan = (options.host, code) }
    settings = options
  }

  private static func scenarios(_ arguments: Arguments, opensTLS: Bool) throws -> [Scenario] {
    let shipped = try Shipped.scenarios()
    let named = try arguments.all("--scenario").map { try Scenarios.find($0, in: shipped) }
    for scenario in named {
      if let refusal = refusal(of: scenario, opensTLS: opensTLS) { throw refusal }
    }
    var names: Set<String> = []
    for scenario in named where !names.insert(scenario.name).inserted {
      throw CommandError.usage(
        "Two scenarios are called \"\(scenario.name)\", but a report identifies scenarios by name. "
          + "Omit or rename one of them."
      )
    }
    return named.isEmpty ? [.calm] : named
  }

  /// Returns the settings of the proxy. `host` becomes the address for other devices, if they are
  /// allowed.
  private static func proxying(_ arguments: Arguments, at host: inout String) throws -> Proxying {
    var proxy = Proxying()
    guard arguments.has("--lan") else {
      let flags = ["--bind", "--client", Flag.allowPrivate.name]
      for flag in flags where !arguments.all(flag).isEmpty {
        throw CommandError.usage("\(flag) needs --lan; otherwise only this machine is served.")
      }
      return proxy
    }
    do {
      host = try PrivateAddress.choose(
        from: PrivateAddress.ofThisMachine,
        asked: try arguments.value("--bind")
      )
    } catch let problem as PrivateAddress.Problem {
      throw CommandError(.unavailable, "\(problem)")
    }
    let device = "the address of a device such as 192.168.1.20"
    let client = try arguments.value("--client", shouldBe: device) {
      PrivateAddress.isPrivate($0) || PrivateAddress.isLoopback($0) ? $0 : nil
    }
    let code = (0..<6).map { _ in String(Int.random(in: 0...9)) }.joined()
    proxy.admission = client.map { .only($0) } ?? .code(code)
    let example = "an address such as 10.1.2.3 or 10.1.2.3:8080, with a port if it is 127.0.0.1"
    proxy.allowedAddresses = try arguments.all(
      Flag.allowPrivate.name,
      shouldBe: example,
      AllowedAddress.init
    )
    return proxy
  }

  /// Returns the server's options, and creates and writes the authority that opens tunnels.
  func options() throws -> ReplayServer.Options {
    var options = settings
    try trust.probe()
    options.proxy?.opening = try tls.begin().map { TunnelOpening($0, trusting: trust.trust) }
    return options
  }

  /// Returns the reason why a scenario cannot be run through a proxy.
  private static func refusal(of scenario: Scenario, opensTLS: Bool) -> CommandError? {
    if scenario.needsCertificates, !opensTLS {
      return .usage(
        "Scenario \"\(scenario.name)\" fails handshakes with invalid certificates, which needs open "
          + "tunnels. Pass --open-tls, or run the scenario with windtunnel drill."
      )
    }
    if opensTLS, scenario.cutsTunnelsAtBytes {
      return .usage(
        "Scenario \"\(scenario.name)\" closes tunnels after some bytes, but --open-tls opens them. "
          + "Omit --open-tls, or name requests inside tunnels, such as GET /a, in the rule."
      )
    }
    return nil
  }

  func deck(
    _ recording: LiveRecording?,
    _ log: Locked<ProxyLog>,
    _ invalid: InvalidResponses
  ) throws -> Deck {
    Deck(
      recording?.cassette ?? cassette ?? Cassette(),
      scenario: scenarios[0],
      seed: seed,
      options: PlaybackOptions(
        matcher: matcher,
        then: .repeat,
        mode: recording == nil ? .none : .newEpisodes,
        redaction: redaction,
        ignoring: ignored.map(\.name),
        isProxied: true,
        keepsRequests: false
      ),
      recordingJournal: recording?.journal,
      observe: { event in
        invalid.observe(event)
        recording?.observe(event)
        // A megabyte is hashed outside the lock that every decision waits for.
        let request = ProxiedRequest(of: event)
        log.withLock { $0.apply(event, request) }
        console?.observe(event)
      }
    )
  }

  /// Writes the cassette of a recording, if there is anything to write.
  ///
  /// - Returns: Whether everything could be written.
  func keep(_ recording: LiveRecording, _ deck: Deck) throws -> Bool {
    guard let file = recordFile else { return true }
    let journal = recording.journal
    defer { journal.close() }
    recording.complain()
    // A refused connection is recorded only together with responses.
    let leftOff = recording.unrecorded.lines(deck)
    let refusals = deck.recordedRefusalsAlone ? deck.forgetRefusals() : []
    for request in refusals {
      Terminal.complain("skipped: \(request): the connection was refused; nothing else arrived\n")
    }
    var (recorded, orders, leftOut) = deck.numbered()
    if isDated { recorded.date(Date(), whereNotIn: recording.cassette) }
    for line in leftOff + leftOut { Terminal.complain("skipped: \(line)\n") }
    guard recorded != recording.cassette else {
      journal.remove()
      Terminal.complain("Nothing was recorded; \(file.relativePath) is unchanged.\n")
      return true
    }
    CutAnswers.complain(recorded, besides: recording.cassette)
    return try journal.endTelling(with: recorded, orders: orders, of: file)
  }

  /// Prints the server's addresses, and the settings for a phone.
  func announce(_ server: ReplayServer) throws(CommandError) {
    try Terminal.announce(server.addresses)
    if isOnLAN { tellDevices(of: server) }
    for scenario in scenarios where !tls.isWanted && scenario.hasFaultsBeyondTunnels {
      Terminal.complain(
        "\(scenario.name): statuses and rules for paths apply only to plain HTTP. Tunnels get the "
          + "link's conditions, and the faults of hosts and connections.\n"
      )
    }
  }

  /// Prints how to configure a phone.
  ///
  /// The text to type is last, so that a small terminal still shows it. The terminal also shows the
  /// code.
  private func tellDevices(of server: ReplayServer) {
    let digits: String? =
      if case .code(let digits)? = settings.proxy?.admission { digits } else { nil }
    let console = digits.flatMap { digits in
      server.consoleURL(at: settings.host).map { "\($0)?code=\(digits)" }
    }
    if let console {
      Terminal.complain("Console for one other device: \(console)\n")
      if Terminal.isSeen, let code = QRCode(console) { Terminal.show(code) }
    }
    if Terminal.isSeen, let page = QRCode(server.url + Proxying.path(giving: digits)) {
      Terminal.complain(
        "Scan this code with the phone to test, or configure the phone by hand:\n"
      )
      Terminal.show(page)
    }
    let visit = tls.isWanted ? ", which has the certificate to install" : ""
    let code = digits.map { " and enter the code \($0)" } ?? ""
    let minutes = duration.map { Int(($0 / .seconds(60)).rounded(.up)) } ?? 0
    Terminal.complain(
      text: """
        On the phone: Settings → Wi-Fi → (i) → Configure Proxy → Manual
          Server  \(settings.host)
          Port    \(server.port)
        Then open http://wind.tunnel/ on the phone\(visit)\(code).
        This proxy ends in \(minutes) min.

        """
    )
    if let console = server.consoleURL {
      Terminal.complain("Console on this machine: \(console)\n")
    }
  }
}

extension Flag {
  /// Servers on this machine or its private networks to which a proxy connects other devices.
  static let allowPrivate = Flag("--allow-private", "ADDR")
    .help("lan: also connect devices to this private address: 10.1.2.3 or 10.1.2.3:80.")
}
