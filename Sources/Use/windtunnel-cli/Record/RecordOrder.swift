/// The recording that a command line asks for: its source, its target and its manner.
struct RecordOrder {
  let upstream: RequestURL
  let path: String
  let mode: RecordMode
  /// The rules that requests are compared by, where the cassette is played.
  let matcher: Matcher
  /// The file of rules, as typed.
  let rules: String?
  /// The rules that two runs of the command are compared by; `nil`: it runs once.
  let proof: Matcher?
  /// The origin that stands on the cassette, where that is not the upstream's.
  let origin: RequestURL?
  /// The hosts that are passed on to unrecorded.
  let ignored: [IgnoredHost]
  /// Tells that each new interaction bears its day.
  let isDated: Bool
  /// Header fields that each recording has otherwise.
  let volatile: [String]
  /// The redactions beside those that are always made.
  let redaction: RedactionRules
  /// The certificates to trust where the upstream is spoken to by `https`.
  private let trust: UpstreamTrust
  /// The settings of the server that its flags make.
  private let settings: ReplayServer.Options
  var limits: Limits { settings.limits }
  /// The console, where one is wanted.
  let console: Console?
  private let tls: ServingTLS

  var file: URL { URL(typed: path) }

  init(_ arguments: Arguments) throws {
    let upstream = try arguments.required(
      "--upstream",
      orOperand: "The server to record",
      asIn: "windtunnel record http://… --cassette FILE -- CMD"
    )
    guard let url = RequestURL.server(upstream) else {
      throw Refusal.value(
        "--upstream",
        upstream,
        shouldBe: "a server such as http://127.0.0.1:8000"
      )
    }
    self.upstream = url
    path = try arguments.required("--cassette", "where the recording should be written")
    mode =
      try arguments.choice("--mode", among: RecordMode.names) { RecordMode(name: $0) } ?? .once
    // Where nothing is played, the flag is refused.
    matcher =
      mode == .verify ? .pathAndQuery : try MatchFlag.matcher(arguments, over: .pathAndQuery)
    rules = try arguments.value(MatchFlag.name)
    proof = arguments.has("--prove") ? try MatchFlag.matcher(arguments, over: .proof) : nil
    guard proof == nil || mode != .none && mode != .verify else {
      throw Refusal.usage("--prove belongs to a recording, and --mode \(mode.rawValue) makes none.")
    }
    let example = "an origin such as https://api.example.test"
    origin = try arguments.value("--as", shouldBe: example, RequestURL.server)
    ignored = try IgnoredHost.all(arguments)
    trust = try UpstreamTrust(arguments)
    guard !trust.isGiven || ([url] + ignored.map(\.url)).contains(where: { $0.scheme == "https" })
    else {
      throw Refusal.usage("--upstream-ca belongs to an upstream by https, and \(upstream) is none.")
    }
    tls = try ServingTLS(arguments)
    isDated = arguments.has("--dates")
    volatile = try VolatileFlag.names(arguments)
    redaction = try RedactionRules(arguments).keeping(matcher.kept)
    console = arguments.console(.record, redacting: redaction)
    var settings = try ReplayServer.Options(arguments, console) { scenario in
      scenario.hasConnectionFaults ? .connectionFaults(of: scenario.name) : nil
    }
    settings.origins = try AllowOriginFlag.policy(arguments)
    settings.recordedOrigin = origin
    self.settings = settings
  }

  func options() throws -> ReplayServer.Options {
    var options = settings
    options.upstream = try server()
    options.ignoredHosts = try ignored.map { host in
      var server = try Upstream(host.url, trusting: trust.trust)
      server.isAnyPort = host.isAnyPort
      return server
    }
    options.tls = try tls.begin()
    return options
  }

  /// Returns the upstream with its addresses, and with whom to trust.
  func server() throws -> Upstream {
    try trust.probe()
    return try Upstream(upstream, trusting: trust.trust)
  }
}
