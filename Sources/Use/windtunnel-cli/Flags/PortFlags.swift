// The flags of the commands that listen on a port, each with its parsed value.

/// The limits for a server's peers, for `serve`, `record` and `proxy`.
enum LimitFlags {
  static let flags = [
    Flag("--header-bytes-max", "N", "Maximum bytes of a header (default: 65536)."),
    Flag("--body-bytes-max", "N")
      .help("Maximum bytes of a body (default: 536870912 if kept, 17179869184 if not)."),
    Flag("--connections-max", "N", "Maximum open connections; others wait (default: 16384)."),
    Flag("--idle-seconds", "N", "Maximum seconds that a connection is idle (default: 75)."),
    Flag("--request-seconds", "N", "Maximum seconds for a request to arrive (default: 60)."),
  ]

  /// The limits for an origin to which a server sends requests.
  static let originFlags = [
    Flag("--connect-seconds", "N", "Maximum seconds to connect to an origin (default: 30)."),
    Flag("--response-seconds", "N", "Maximum seconds that an origin is silent (default: 300)."),
  ]

  /// A day: longer limits make no sense.
  private static let secondsMax = 86_400

  static func limits(_ arguments: Arguments) throws(CommandError) -> Limits {
    var limits = Limits.standard
    if let bytes = try arguments.int("--header-bytes-max", in: 1...Int.max) {
      limits.headerBytesMax = bytes
    }
    if let bytes = try arguments.int("--body-bytes-max", in: 0...Int.max) {
      (limits.bodyBytesMax, limits.unreadBodyBytesMax) = (bytes, bytes)
    }
    if let count = try arguments.int("--connections-max", in: 1...Int.max) {
      limits.connectionsMax = count
    }
    let times: [(flag: String, limit: WritableKeyPath<Limits, Double>)] = [
      ("--idle-seconds", \.idleSeconds), ("--request-seconds", \.requestSeconds),
      ("--connect-seconds", \.connectSeconds), ("--response-seconds", \.responseSeconds),
    ]
    for (flag, limit) in times {
      guard let seconds = try arguments.int(flag, in: 1...secondsMax) else { continue }
      limits[keyPath: limit] = Double(seconds)
    }
    return limits
  }
}

extension Flag {
  /// A page that shows the activity of a running command.
  static let console = Flag("--console")
    .help("Serve a page that shows traffic and switches scenarios, and print its URL.")
  /// The second port of `serve`, `record` and `proxy`.
  static let adminPort = Flag("--admin-port", "N")
    .help("Second port, to list requests and change the scenario; 0 for any free one.")
}

extension Arguments {
  /// Returns the console of a command if the flag is set.
  func console(_ tool: Console.Tool, redacting rules: RedactionRules = .standard) -> Console? {
    has(Flag.console.name) ? Console(tool, redacting: rules) : nil
  }
}

extension ReplayServer.Options {
  /// Reads the flags of a server. A flag that the command does not have has its default.
  ///
  /// `refusal` returns the reason if a scenario cannot follow the first one.
  init(
    _ arguments: Arguments,
    _ console: Console?,
    refusing refusal: @escaping @Sendable (Scenario) -> CommandError?
  ) throws {
    self.init()
    port = try arguments.int("--port", in: 0...65535) ?? 0
    limits = try LimitFlags.limits(arguments)
    keepsEncodings = arguments.has(Flag.keepEncodings.name)
    passesMalformed = arguments.has(Flag.passMalformed.name)
    if let number = try arguments.int(Flag.adminPort.name, in: 0...65535) {
      var admin = Admin()
      (admin.port, admin.scenarios) = (number, try Shipped.scenarios())
      admin.refusal = { refusal($0)?.sentence }
      self.admin = admin
    }
    if let console {
      var port = ConsolePort(console)
      port.scenarios = try Shipped.scenarios().filter { refusal($0) == nil }
      port.refusal = { refusal($0)?.sentence }
      self.console = port
    }
  }
}

extension ReplayServer {
  /// The lines that a command prints when the server is ready.
  ///
  /// They are its URL, then the URLs of its admin port and of its console.
  var addresses: String {
    [url, adminURL, consoleURL].compactMap { $0.map { "\($0)\n" } }.joined()
  }
}

/// `--allow-origin`: the foreign pages that may use a server, and the host names that it accepts.
enum AllowOriginFlag {
  private static let name = "--allow-origin"

  static let flag = Flag(name, "URL")
    .help("Allow pages of this origin, and requests for its host; * allows any.")

  static func policy(_ arguments: Arguments) throws(CommandError) -> OriginPolicy {
    let example = "an origin such as https://app.example.com, null or *"
    return OriginPolicy(
      allowing: try arguments.all(name, shouldBe: example, OriginPolicy.Allowed.init)
    )
  }
}

/// `--play-header` and `--play-path`: the part of a request that names its play of the cassette.
enum PlayFlags {
  private static let (header, path) = ("--play-header", "--play-path")

  static let flags = [
    Flag(header, "NAME", "Header with the play of a request; each play has its own counters."),
    Flag(path, nil, "Use the first segment of each path as the name of its play."),
  ]

  static func plays(_ arguments: Arguments) throws(CommandError) -> Plays? {
    guard let name = try arguments.value(header) else {
      return arguments.has(path) ? Plays(by: .pathSegment) : nil
    }
    guard name.isHTTPToken, !arguments.has(path) else {
      let wanted = "the name of a header field such as X-WindTunnel-Play, without \(path)"
      throw .value(header, name, shouldBe: wanted)
    }
    return Plays(by: .header(name))
  }
}

/// `--bind`: the address of a server for other machines, such as outside a container.
enum BindFlag {
  static let flag = Flag("--bind", "ADDR", "Address to listen on (default: 127.0.0.1).")

  /// Returns the address, and warns if other machines can reach it.
  static func host(_ arguments: Arguments) throws -> String? {
    guard let host = try arguments.value("--bind") else { return nil }
    guard let isAny = PrivateAddress.isAnyAddress(host) else {
      throw CommandError.value(
        "--bind",
        host,
        shouldBe: "an address such as 127.0.0.1, 0.0.0.0 or ::1"
      )
    }
    if !PrivateAddress.isLoopback(host) {
      let place = isAny ? "at every address of this machine" : "at \(host)"
      Terminal.complain("Listening \(place): any device that can reach it is served.\n")
    }
    return host
  }
}

/// `--tls` and its related flags for `serve` and `record`, and `--open-tls` for `proxy`.
struct ServingTLS {
  static let flag = Flag("--tls")
    .help("Use TLS, with a certificate authority created for this run.")
  static let openFlag = Flag("--open-tls")
    .help("Decrypt HTTPS tunnels, with an authority created for this run.")
  static let fileFlag = Flag("--ca-out", "FILE", "Write the authority's certificate, for clients.")

  let isWanted: Bool
  private let file: URL?

  init(_ arguments: Arguments, by flag: Flag = Self.flag) throws(CommandError) {
    isWanted = arguments.has(flag.name)
    file = try arguments.value("--ca-out").map { URL(typed: $0) }
    guard isWanted || file == nil else {
      throw .usage("--ca-out needs \(flag.name), which creates the authority.")
    }
  }

  /// Creates the authority and writes its certificate; `nil` if TLS is not used.
  func begin() throws -> ServerTLS? {
    guard isWanted else { return nil }
    let tls = try ServerTLS()
    if let file { try tls.authority.write(to: file) }
    return tls
  }
}
