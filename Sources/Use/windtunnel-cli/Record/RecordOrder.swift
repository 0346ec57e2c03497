/// The task of a recording, read from the command line: its source, its target and its mode.
struct RecordOrder {
  let upstream: RequestURL
  let path: String
  let mode: RecordMode
  /// The rules for comparing requests when the cassette is played.
  let matcher: Matcher
  /// The path of the match file, as typed.
  let rules: String?
  /// The rules for comparing two runs of the command; `nil` to run it once.
  let proof: Matcher?
  /// The origin for the cassette, if it differs from the upstream's.
  let origin: RequestURL?
  /// The hosts whose requests are passed on without recording.
  let ignored: [IgnoredHost]
  /// Whether each new interaction contains its date.
  let isDated: Bool
  /// The header fields that differ in each recording.
  let volatile: [String]
  /// The redactions in addition to the standard ones.
  let redaction: RedactionRules
  /// The trusted certificates for `https` connections to the upstream.
  private let trust: UpstreamTrust
  /// The settings of the server, read from its flags.
  private let settings: ReplayServer.Options
  var limits: Limits { settings.limits }
  /// The console; `nil` if it is not used.
  let console: Console?
  private let tls: ServingTLS

  var file: URL { URL(typed: path) }

  init(_ arguments: Arguments) throws {
    let upstream = try arguments.required(
      "--upstream",
      orOperand: "The server to record",
      asIn: "windtunnel record http://… --cassette FILE -- CMD"
    )
    let server = upstream.firstRange(of: "://").map { upstream[$0.upperBound...] }
    guard !(server ?? upstream[...]).prefix(while: { !"/?#".contains($0) }).contains("@") else {
      throw CommandError.usage(
        "--upstream has user information, which is not sent. Remove it, and let the client send "
          + "it, as in -- curl -u USER:PASSWORD {url}/users, or --mode verify with "
          + "--secret authorization=ENV."
      )
    }
    guard let url = RequestURL.server(upstream) else {
      throw CommandError.value(
        "--upstream",
        upstream,
        shouldBe: "a server such as http://127.0.0.1:8000"
      )
    }
    self.upstream = url
    path = try arguments.required("--cassette", "the file to write the recording to")
    mode =
      try arguments.choice("--mode", among: RecordMode.names) { RecordMode(name: $0) } ?? .once
    // If nothing is played, the flag is refused.
    matcher =
      mode == .verify ? .pathAndQuery : try MatchFlag.matcher(arguments, over: .pathAndQuery)
    rules = try arguments.value(MatchFlag.name)
    proof = arguments.has("--prove") ? try MatchFlag.matcher(arguments, over: .proof) : nil
    guard proof == nil || mode != .none && mode != .verify else {
      throw CommandError.usage(
        "--prove needs a recording, but --mode \(mode.rawValue) does not record."
      )
    }
    let example = "an origin such as https://api.example.test"
    origin = try arguments.value("--as", shouldBe: example, RequestURL.server)
    ignored = try IgnoredHost.all(arguments)
    trust = try UpstreamTrust(arguments)
    guard !trust.isGiven || ([url] + ignored.map(\.url)).contains(where: { $0.scheme == "https" })
    else {
      throw CommandError.usage("--upstream-ca needs an https upstream, which \(upstream) is not.")
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

  /// Returns the upstream with its addresses and trusted certificates.
  func server() throws -> Upstream {
    try trust.probe()
    return try Upstream(upstream, trusting: trust.trust)
  }
}
