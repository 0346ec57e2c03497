internal import Foundation
public import WindTunnel
@_spi(WindTunnel) internal import WindTunnelCore

/// A server that plays a deck on real sockets, and records from a real server if it has an
/// upstream.
///
/// ```swift
/// let server = try await ReplayServer(deck)
/// let user = try await UserAPI(session: session, base: server.url).profile(7)
/// await server.stop()
/// ```
///
/// Up to four threads serve the connections (``Options/loops``). The server listens on the loopback
/// interface by default, and stops when it is deallocated.
public final class ReplayServer: Sendable {
  /// The options of a server.
  public struct Options: Sendable {
    /// The IP address to listen on, as a literal.
    public var host = "127.0.0.1"
    /// The port; 0 for any free port.
    public var port = 0
    /// Whether every response ends its connection, so that each attempt of a client opens a new
    /// one.
    public var closesConnections = false
    /// The server to which a recording deck forwards requests.
    public var upstream: Upstream?
    /// The servers of hosts that the deck ignores. Requests to these hosts are forwarded. A request
    /// names its host by a whole URL, as to a proxy, or by `Host`.
    public var ignoredHosts: [Upstream] = []
    /// Whether redirects to other hosts lead to this server, which responds from the cassette as
    /// usual. A client that follows them never leaves the server.
    public var leadsBack = false
    /// Whether absolute URLs of the recorded origin in recorded JSON bodies lead back to this
    /// server. URLs in fields (`Location`, `Link`) always do.
    public var rewritesURLs = false
    /// The independent plays of the cassette, which requests select by name; `nil` if there is only
    /// one.
    public var plays: Plays?
    /// The policy of the host names and web pages whose requests are served; `nil` if all are.
    public var origins: OriginPolicy?
    /// The settings of a forward proxy; `nil` if the server is not a proxy.
    public var proxy: Proxying?
    /// The origin on the cassette instead of the upstream's; `nil` for the upstream's own.
    public var recordedOrigin: RequestURL?
    /// Whether a recorded origin may use every content coding that the client accepts. Responses in
    /// codings that cannot be decoded (br, zstd) are not recorded, so that by default only other
    /// codings are requested.
    public var keepsEncodings = false
    /// Whether a live response with an invalid head is passed on unchanged and unrecorded, until
    /// the origin closes the connection.
    public var passesMalformed = false
    /// The certificates and versions of TLS; `nil` for plain HTTP.
    public var tls: ServerTLS?
    /// The versions of HTTP that clients may speak. A server with an upstream, ignored hosts or a
    /// proxy speaks only HTTP/1.1.
    public var httpVersions = HTTPVersions.any
    /// The number of threads, each with its connections.
    ///
    /// `nil`: one for every core, and one for every two cores if the server only plays and does not
    /// use TLS, but at most four. Decisions do not depend on it.
    public var loops: Int?
    /// The limits for clients.
    public var limits = Limits.standard
    /// The settings of the admin port; `nil` if none is opened.
    public var admin: Admin?
    /// The port of a console; `nil` if none is opened.
    public var console: ConsolePort?
    /// Whether ``ReplayServer/load(_:matcher:)`` may add rules that compare bodies, so that bodies
    /// are kept from the beginning.
    public var isReloaded = false
    /// The maximum number of bytes of a request's content to keep if the cassette does not need
    /// content.
    package var watchedBytesMax = 0
    /// Called with each decided request after it was read completely, and with its content. If the
    /// cassette does not need content, requests with more than ``PortContext/playedBytesMax`` are
    /// skipped.
    package var played: (@Sendable (Outcome, Body) -> Void)?
    /// The network in which the server listens; `nil` for the process's own.
    package var network: PrivateNetwork?
    /// A domain whose names also belong to this server, in a network in which it answers DNS
    /// queries for them.
    package var domain: String?
    /// Whether each lane's port with TLS has another port without TLS, as the destination of
    /// redirects to `http`.
    package var opensPlainPorts = false
    /// Whether the port is a port of the server itself, to which no scenario applies.
    var isAdmin = false
    /// Whether an admin port lists the requests, so that the end of each is measured.
    var listsRequests = false
    /// The console that devices open through a proxy; `nil` until it is open.
    var proxiedConsole = Locked<ProxiedConsole?>(nil)

    /// Creates options with their defaults.
    public init() {}

    /// Whether requests can be forwarded.
    var passesOn: Bool { proxy != nil || upstream != nil || !ignoredHosts.isEmpty }
    /// The versions of HTTP that the ports speak.
    var spokenVersions: HTTPVersions { passesOn || isAdmin ? .http1 : httpVersions }
    /// Whether nothing is forwarded, and nothing is encrypted.
    var onlyPlays: Bool { !passesOn && tls == nil }
  }

  /// The port of the server.
  public let port: Int

  private let group: EventLoopGroup
  private let options: Options
  private let deck: Deck
  /// The listeners by port. A listener is used only on its loop, this table on any thread.
  private let listeners = Locked<[Int: BoundListener]>([:])
  private let adminListener = Locked<BoundListener?>(nil)
  private let tls: TLSContext?
  private let contexts: TunnelContexts?
  private let adminPort: Int?
  private let adminGroup: EventLoopGroup?
  private let console: ConsoleServer?
  private let attendance: ConsoleAttendance?

  /// Starts a server, and returns when it listens.
  ///
  /// - Throws: `ServerError` if the scenario cannot be played, TLS is unavailable, or a port
  ///   cannot be opened.
  public init(_ deck: Deck, _ options: Options = Options()) async throws {
    self.deck = deck
    if let obstacle = options.obstacle(to: deck.scenario) { throw obstacle }
    var options = options
    options.listsRequests = options.admin != nil
    if options.listsRequests { deck.keepRequests() }
    options.proxiedConsole = Locked(nil)
    self.options = options
    tls = try options.tls.map { tls throws(ServerError) in
      try TLSContext(tls, speaking: options.spokenVersions)
    }
    contexts = try options.proxy?.opening.map { opening throws(ServerError) in
      try TunnelContexts(opening)
    }
    group = try EventLoopGroup(
      loops: options.loops
        ?? EventLoopGroup.standardCount(
          cores: ProcessInfo.processInfo.activeProcessorCount,
          onlyPlays: options.onlyPlays
        )
    )
    guard let address = SocketAddress(options.host, port: options.port) else {
      throw ServerError.cannotListen("\(options.host) is not an address such as 127.0.0.1")
    }
    let listener = try await BoundListener.open(
      at: address,
      for: .fixed(.deck),
      group,
      deck,
      options,
      tls,
      opening: contexts
    )
    port = listener.port
    // The admin port has its own loop, so that it responds even if the other loops do not.
    adminGroup = try options.admin.map { _ in try EventLoopGroup(loops: 1) }
    let adminListener = try await BoundListener.openAdmin(
      adminGroup,
      options,
      deck,
      counting: group.open
    )
    adminPort = adminListener?.port
    attendance = options.console.map { $0.console.attend(to: deck) }
    console = try await Self.open(options.console, deck, options, port: listener.port, tls != nil)
    listeners.withLock { $0[listener.port] = listener }
    self.adminListener.withLock { $0 = adminListener }
  }

  private static func open(
    _ settings: ConsolePort?,
    _ deck: Deck,
    _ options: Options,
    port: Int,
    _ isSecure: Bool
  ) async throws -> ConsoleServer? {
    guard let settings else { return nil }
    settings.console.begin(deck.scenario, seed: deck.seed)
    var again: (@Sendable (Request) -> Bool)?
    // With TLS, the request would need a host name, which is not known here.
    if !isSecure {
      let host = PrivateAddress.loopback(like: options.host)
      let repeats: ConsoleRepeats
      do {
        repeats = try ConsoleRepeats(to: "http://\(host):\(port)", isProxy: options.proxy != nil)
      } catch {
        throw ServerError.cannotListen("\(error)")
      }
      again = { repeats.send($0) }
    }
    let console = try await ConsoleServer(
      settings.console.tool,
      settings.console.board,
      ConsoleActions(of: settings, on: deck, again: again),
      port: settings.port,
      lan: settings.lan
    )
    if let host = settings.lan?.host {
      let proxied = ProxiedConsole(host: host, port: console.port, handler: console.handler)
      options.proxiedConsole.withLock { $0 = proxied }
    }
    return console
  }

  /// The URL of the console's page, `http://127.0.0.1:PORT/`; `nil` if there is no console.
  public var consoleURL: String? { console?.url }

  /// Returns the URL of the console's page at another address on which it listens; `nil` if there
  /// is no console.
  package func consoleURL(at host: String) -> String? {
    console.map { "http://\(PrivateAddress.loopback(like: host)):\($0.port)/" }
  }

  /// The URL of the admin port, `http://127.0.0.1:PORT`; `nil` if there is none.
  public var adminURL: String? { adminPort.map { "http://127.0.0.1:\($0)" } }

  /// Plays another cassette from the next request on (`Deck.load(_:matcher:)`), and counts its
  /// plays from zero.
  public func load(_ cassette: Cassette, matcher: Matcher? = nil) {
    deck.load(cassette, matcher: matcher)
  }

  /// The URL of the server: `http://127.0.0.1:PORT`, or with `https` if the server uses TLS.
  public var url: String {
    "\(tls == nil ? "http" : "https")://\(PrivateAddress.loopback(like: options.host)):\(port)"
  }

  /// The numbers of the server's connections, now and so far.
  package var connections: ConnectionCounts { group.open.counts }

  /// Returns the number of connections with bytes that their clients have not read yet.
  package func countUnread() async -> Int { await group.countUnread() }

  /// Opens another port, all of whose connections belong to a lane. Faults before a request could
  /// name the lane then apply to it.
  public func openPort(lane: Lane) async throws -> Int { try await openPort(of: .fixed(lane)) }

  /// Opens another port, whose requests belong to an origin of the cassette. Without one, they
  /// belong to the origin of most interactions.
  package func openPort(lane: Lane, origin: RequestURL?) async throws -> Int {
    try await openPort(of: .fixed(lane), origin)
  }

  /// Opens another port for lanes that use it one after another, so that each lane has the same
  /// URL. Its requests belong to an origin of the cassette, or to the origin of most interactions.
  package func openPort(lentTo lane: Locked<Lane>, origin: RequestURL? = nil) async throws -> Int {
    try await openPort(of: .lent(lane), origin)
  }

  private func openPort(of owner: PortOwner, _ origin: RequestURL? = nil) async throws -> Int {
    var options = options
    if let origin { options.recordedOrigin = origin }
    guard let address = SocketAddress(options.host, port: 0) else {
      throw ServerError.cannotListen("\(options.host) is not an address")
    }
    // A redirected client has not negotiated HTTP/2.
    var inClear = options
    if inClear.httpVersions == .http2 { inClear.httpVersions = .any }
    let plain =
      options.opensPlainPorts && tls != nil
      ? try await BoundListener.open(at: address, for: owner, group, deck, inClear, nil) : nil
    let listener: BoundListener
    do {
      listener = try await BoundListener.open(
        at: address,
        for: owner,
        group,
        deck,
        options,
        tls,
        plainPort: plain?.port,
        opening: contexts
      )
    } catch {
      group.listening.execute { _ in plain?.close() }
      throw error
    }
    listeners.withLock { $0[listener.port] = listener.with(plain) }
    return listener.port
  }

  /// Closes a port that ``openPort(lane:)`` opened.
  public func closePort(_ port: Int) {
    guard let listener = listeners.withLock({ $0.removeValue(forKey: port) }) else { return }
    group.listening.execute { _ in listener.close() }
  }

  /// Stops listening, gives open requests the time `grace` to end, and closes all connections.
  public func stop(grace: Duration = .seconds(5)) async {
    let listeners = listeners.exchange([:])
    await group.stop(grace: grace) { for listener in listeners.values { listener.close() } }
    await console?.stop()
    // The admin port closes last, so that it can report the end.
    let adminListener = adminListener.exchange(nil)
    await adminGroup?.stop(grace: .zero) { adminListener?.close() }
  }

  /// Whether this system can lose connection attempts: its full accept queues drop them and count
  /// them.
  public static var canLoseSYNs: Bool { Platform.dropsSYNs }
}

extension ReplayServer.Options {
  /// Returns the reason why a server cannot play a scenario; `nil` if it can. A proxy never fails
  /// its clients' connections to itself.
  func obstacle(to scenario: Scenario) -> ServerError? {
    guard proxy == nil, !isAdmin else { return nil }
    if scenario.losesSYNs, !Platform.dropsSYNs {
      return .cannotListen(
        "scenario \"\(scenario.name)\" loses connection attempts, which needs the accept queue of "
          + "Linux"
      )
    }
    let showsCertificates = scenario.rules.lazy.filter(\.isForConnections).flatMap(\.faults)
      .contains {
        if case .connection(.tls(let fault)) = $0 { fault.needsCertificate } else { false }
      }
    guard showsCertificates, tls == nil else { return nil }
    return .cannotListen(
      "scenario \"\(scenario.name)\" fails handshakes with invalid certificates, but this server has "
        + "no TLS"
    )
  }

  /// Returns whether connection attempts to a port of the server are lost.
  func losesSYNs(of deck: Deck) -> Bool { proxy == nil && !isAdmin && deck.scenario.losesSYNs }
}

// The mark of this module in programs, by which `check-release` finds it; the number is its own.
@section("__DATA_CONST,__wt_modules")
@used private let linkMark: (UInt64, UInt64, UInt64) =
  (0xF1D3_8A6C_57E2_94B0, 0x9C0E_B7A5_2D41_F863, 19)
