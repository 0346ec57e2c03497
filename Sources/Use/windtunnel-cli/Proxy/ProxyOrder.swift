@_spi(WindTunnel) internal import WindTunnelCore

/// The task of a proxy, read off the command line.
struct ProxyOrder {
  let scenarios: [Scenario]
  let recordFile: URL?
  /// The rules that requests are compared by, where there is a cassette.
  let matcher: Matcher
  let redaction: RedactionRules
  /// Tells that each new interaction bears its day.
  private let isDated: Bool
  let reports: [URL]
  let duration: Duration?
  /// The weight from which on a finding fails; `nil` where none does, as long as nobody asks for
  /// it.
  let failingFindings: Finding.Severity?
  /// The rules that may be broken in every scenario.
  let allowed: [AllowedRule]
  /// The console, where one is wanted.
  let console: Console?
  private let settings: ReplayServer.Options
  private let tls: ServingTLS
  private let trust: UpstreamTrust
  private let cassette: Cassette?
  private let ignored: [IgnoredHost]
  private let seed: UInt64
  private let isOnLAN: Bool

  /// The flags that are of use only where something is recorded.
  private static let ofRecording = [
    RedactionFlags.names, RedactionFlags.keep, RedactionFlags.personalData, "--dates",
    IgnoredHost.name,
    Flag.keepEncodings.name,
  ]

  /// The time that a proxy which others can reach is open unless told.
  static let lanDuration = Duration.seconds(2 * 60 * 60)

  init(_ arguments: Arguments) throws {
    tls = try ServingTLS(arguments, by: ServingTLS.openFlag)
    trust = try UpstreamTrust(arguments)
    let opensTLS = tls.isWanted
    guard opensTLS || !trust.isGiven else {
      throw Refusal.usage(
        "\(UpstreamTrust.name) belongs to --open-tls: without it the client trusts servers itself."
      )
    }
    scenarios = try Self.scenarios(arguments, opensTLS: opensTLS)
    let cassettePath = try arguments.value("--cassette")
    recordFile = try arguments.value("--record").map { URL(typed: $0) }
    if cassettePath != nil, recordFile != nil {
      throw Refusal.usage(
        "--cassette and --record are given both; --record FILE plays what is in FILE already."
      )
    }
    cassette = try cassettePath.map { try CassetteFile.readToPlay(URL(typed: $0)) }
    matcher = try MatchFlag.matcher(arguments, over: .url)
    if recordFile == nil, let flag = Self.ofRecording.first(where: { arguments.has($0) }) {
      throw Refusal.usage("\(flag) goes with --record; without it nothing is kept.")
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
      throw Refusal.usage(
        "Two of the scenarios are called \"\(scenario.name)\", and a report tells them apart by their "
          + "names; leave one out or rename it."
      )
    }
    return named.isEmpty ? [.calm] : named
  }

  /// Returns the settings of the proxy. `host` becomes the address that other devices ask, if they
  /// may.
  private static func proxying(_ arguments: Arguments, at host: inout String) throws -> Proxying {
    var proxy = Proxying()
    guard arguments.has("--lan") else {
      let flags = ["--bind", "--client", Flag.allowPrivate.name]
      for flag in flags where !arguments.all(flag).isEmpty {
        throw Refusal.usage("\(flag) goes with --lan; without it this machine alone is served.")
      }
      return proxy
    }
    do {
      host = try PrivateAddress.choose(
        from: PrivateAddress.ofThisMachine,
        asked: try arguments.value("--bind")
      )
    } catch let problem as PrivateAddress.Problem {
      throw Refusal(.unavailable, "\(problem)")
    }
    let device = "the address of a device such as 192.168.1.20"
    let client = try arguments.value("--client", shouldBe: device) {
      PrivateAddress.isPrivate($0) || PrivateAddress.isLoopback($0) ? $0 : nil
    }
    let code = (0..<6).map { _ in String(Int.random(in: 0...9)) }.joined()
    proxy.admission = client.map { .only($0) } ?? .code(code)
    let example = "an address such as 10.1.2.3 or 10.1.2.3:8080, with a port where it is 127.0.0.1"
    proxy.allowedAddresses = try arguments.all(
      Flag.allowPrivate.name,
      shouldBe: example,
      AllowedAddress.init
    )
    return proxy
  }

  /// Returns the options that the server is made by; the authority that opens tunnels is made and
  /// written now.
  func options() throws -> ReplayServer.Options {
    var options = settings
    try trust.probe()
    options.proxy?.opening = try tls.begin().map { TunnelOpening($0, trusting: trust.trust) }
    return options
  }

  /// Returns the reason that a scenario cannot be flown through a proxy.
  private static func refusal(of scenario: Scenario, opensTLS: Bool) -> Refusal? {
    if scenario.needsCertificates, !opensTLS {
      return .usage(
        "Scenario \"\(scenario.name)\" fails handshakes by their certificates, and tunnels stay closed "
          + "here; open them by --open-tls, or fly it with windtunnel drill."
      )
    }
    if opensTLS, scenario.cutsTunnelsAtBytes {
      return .usage(
        "Scenario \"\(scenario.name)\" breaks tunnels off at a byte, which none has that is opened; "
          + "leave --open-tls out, or name the requests within, such as GET /a, in its rule."
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
        // A megabyte is digested beside the lock that every decision waits for.
        let request = ProxiedRequest(of: event)
        log.withLock { $0.apply(event, request) }
        console?.observe(event)
      }
    )
  }

  /// Writes the cassette of a recording, if anything came.
  ///
  /// - Returns: Whether there was room for all of it.
  func keep(_ recording: LiveRecording, _ deck: Deck) throws -> Bool {
    guard let file = recordFile else { return true }
    let journal = recording.journal
    defer { journal.close() }
    recording.complain()
    // Beside what answered, a host that was not there is part of the story; alone it is none.
    let leftOff = recording.unrecorded.lines(deck)
    let refusals = deck.recordedRefusalsAlone ? deck.forgetRefusals() : []
    for request in refusals {
      Terminal.complain("left out: \(request): the connection was refused, and nothing else came\n")
    }
    var (recorded, orders, leftOut) = deck.numbered()
    if isDated { recorded.date(Date(), whereNotIn: recording.cassette) }
    for line in leftOff + leftOut { Terminal.complain("left out: \(line)\n") }
    guard recorded != recording.cassette else {
      journal.remove()
      Terminal.complain("Nothing was recorded; \(file.relativePath) is as it was.\n")
      return true
    }
    CutAnswers.complain(recorded, besides: recording.cassette)
    return try journal.endTelling(with: recorded, orders: orders, of: file)
  }

  /// Says that it listens, and what a phone has to be told.
  func announce(_ server: ReplayServer) throws(Refusal) {
    try Terminal.announce(server.addresses)
    if isOnLAN { tellDevices(of: server) }
    for scenario in scenarios where !tls.isWanted && scenario.hasFaultsBeyondTunnels {
      Terminal.complain(
        "\(scenario.name): statuses and rules by path act on plain HTTP; what is in a tunnel meets "
          + "the link, and faults by host and connection.\n"
      )
    }
  }

  /// Says how a phone is set. What has to be typed stands last, where a small terminal still has
  /// it; whoever sees the terminal sees the code as well.
  private func tellDevices(of server: ReplayServer) {
    let digits: String? =
      if case .code(let digits)? = settings.proxy?.admission { digits } else { nil }
    let console = digits.flatMap { digits in
      server.consoleURL(at: settings.host).map { "\($0)?code=\(digits)" }
    }
    if let console {
      Terminal.complain("The console, for one other device: \(console)\n")
      if Terminal.isSeen, let code = QRCode(console) { Terminal.show(code) }
    }
    if Terminal.isSeen, let page = QRCode(server.url + Proxying.path(giving: digits)) {
      Terminal.complain(
        "The phone that is to be in the wind tunnel scans this, or is set by hand:\n"
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
        Then open http://wind.tunnel/ there\(visit)\(code).
        This proxy ends in \(minutes) min.

        """
    )
    if let console = server.consoleURL {
      Terminal.complain("The console, on this machine: \(console)\n")
    }
  }
}

extension Flag {
  /// Servers of this machine and of its private networks that a proxy connects other devices to.
  static let allowPrivate = Flag("--allow-private", "ADDR")
    .help("lan: connect devices to this one here, too: 10.1.2.3 or 10.1.2.3:80.")
}
