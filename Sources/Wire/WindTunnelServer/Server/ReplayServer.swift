internal import Foundation
public import WindTunnel
@_spi(WindTunnel) internal import WindTunnelCore

/// A server that plays a deck on real sockets, and records from a real server where it has an
/// upstream.
///
/// ```swift
/// let server = try await ReplayServer(deck)
/// let user = try await UserAPI(session: session, base: server.url).profile(7)
/// await server.stop()
/// ```
///
/// A thread for each core, up to four, serves the connections. The server binds the loopback
/// interface by default, and stops when it is deallocated.
public final class ReplayServer: Sendable {
  /// The options of a server.
  public struct Options: Sendable {
    /// The address to listen at, as a literal.
    public var host = "127.0.0.1"
    /// The port; 0 for any that is free.
    public var port = 0
    /// Tells whether every answer ends its connection, so that each attempt of a client opens one.
    public var closesConnections = false
    /// The server to which a recording deck forwards requests.
    public var upstream: Upstream?
    /// The servers of hosts that the deck ignores, to which their requests are forwarded. A request
    /// names its host by a whole URL, as to a proxy, or by `Host`.
    public var ignoredHosts: [Upstream] = []
    /// Tells whether redirects to other hosts lead back to this server, which answers them from the
    /// cassette like all others: a client that follows them never leaves the server.
    public var leadsBack = false
    /// Whether absolute URLs of the recorded origin in recorded JSON bodies lead back to this
    /// server. URLs in fields (`Location`, `Link`) always do.
    public var rewritesURLs = false
    /// The independent plays of the cassette, which requests name; `nil`: there is one.
    public var plays: Plays?
    /// The policy of the host names and web pages whose requests are answered; `nil`: all are.
    public var origins: OriginPolicy?
    /// The settings of a forward proxy; `nil`: the server is none.
    public var proxy: Proxying?
    /// The origin on the cassette in place of the upstream's; `nil`: the upstream's own.
    public var recordedOrigin: RequestURL?
    /// Tells whether a recorded origin may answer in every content coding that the client accepts.
    /// Answers in codings that cannot be decoded (br, zstd) are not recorded, so that by default
    /// only the others are requested.
    public var keepsEncodings = false
    /// Whether a live response with an invalid head is passed on unchanged and unrecorded, until
    /// the origin closes the connection.
    public var passesMalformed = false
    /// The certificates and versions of TLS; `nil`: plain HTTP.
    public var tls: ServerTLS?
    /// The number of threads, each with its connections; `nil`: one for every core, and for a
    /// server that only plays and does not use TLS one for every two, but no more than four.
    /// Decisions do not depend on it.
    public var loops: Int?
    /// The limits that clients must keep to.
    public var limits = Limits.standard
    /// The settings of the admin port; `nil`: none is opened.
    public var admin: Admin?
    /// The port of a console; `nil`: none is opened.
    public var console: ConsolePort?
    /// Tells whether ``ReplayServer/load(_:matcher:)`` may bring rules that compare bodies, so that
    /// bodies are kept from the beginning.
    public var isReloaded = false
    /// The maximum number of bytes of a request's content to keep if the cassette does not need
    /// content.
    package var watchedBytesMax = 0
    /// Called with each request that is read whole and decided, and with its content. If the
    /// cassette does not need content, requests with more than ``PortContext/playedBytesMax`` are
    /// passed over.
    package var played: (@Sendable (Outcome, Body) -> Void)?
    /// The network that it listens in; `nil`: this process's own.
    package var network: PrivateNetwork?
    /// A domain whose names are this server's, too, in a network in which it answers for them.
    package var domain: String?
    /// Tells whether each port of a lane that speaks TLS has another beside it that speaks none:
    /// where a redirect to `http` leads.
    package var opensPlainPorts = false
    /// Tells whether it is the port of those who ask about a server, which no weather reaches.
    var isAdmin = false
    /// Whether an admin port lists the requests, so that the end of each is measured.
    var listsRequests = false
    /// The place of the console that devices see through a proxy.
    var proxiedConsole = Locked<ProxiedConsole?>(nil)

    /// Makes options with their defaults.
    public init() {}

    /// Tells whether there is anybody whom a request could be passed on to.
    var passesOn: Bool { proxy != nil || upstream != nil || !ignoredHosts.isEmpty }
    /// Tells whether nothing is passed on, and nothing sealed.
    var onlyPlays: Bool { !passesOn && tls == nil }
  }

  /// The port that the server listens at.
  public let port: Int

  private let group: EventLoopGroup
  private let options: Options
  private let deck: Deck
  /// The listeners by port; each is touched on the loop only, and this table on any thread.
  private let listeners = Locked<[Int: BoundListener]>([:])
  private let adminListener = Locked<BoundListener?>(nil)
  private let tls: TLSContext?
  private let contexts: TunnelContexts?
  private let adminPort: Int?
  private let adminGroup: EventLoopGroup?
  private let console: ConsoleServer?
  private let attendance: ConsoleAttendance?

  /// Starts a server and returns when it listens.
  public init(_ deck: Deck, _ options: Options = Options()) async throws {
    self.deck = deck
    if let obstacle = options.obstacle(to: deck.scenario) { throw obstacle }
    var options = options
    options.listsRequests = options.admin != nil
    if options.listsRequests { deck.keepRequests() }
    options.proxiedConsole = Locked(nil)
    self.options = options
    tls = try options.tls.map { tls throws(ServerError) in try TLSContext(tls) }
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
      throw ServerError.cannotListen("\(options.host) is no address literal such as 127.0.0.1")
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
    // On a loop of its own: it answers whatever becomes of the others.
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
    // TLS wants a name that is not known here.
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

  /// The URL of the console's page, `http://127.0.0.1:PORT/`; `nil` where there is none.
  public var consoleURL: String? { console?.url }

  /// Returns the URL of the console's page at another address that it listens at.
  package func consoleURL(at host: String) -> String? {
    console.map { "http://\(PrivateAddress.loopback(like: host)):\($0.port)/" }
  }

  /// The URL of the admin port, `http://127.0.0.1:PORT`; `nil` where there is none.
  public var adminURL: String? { adminPort.map { "http://127.0.0.1:\($0)" } }

  /// Plays another cassette from the next request on (`Deck.load(_:matcher:)`), and counts its
  /// plays from zero.
  public func load(_ cassette: Cassette, matcher: Matcher? = nil) {
    deck.load(cassette, matcher: matcher)
  }

  /// The URL of the server: `http://127.0.0.1:PORT`, or by `https` where it uses TLS.
  public var url: String {
    "\(tls == nil ? "http" : "https")://\(PrivateAddress.loopback(like: options.host)):\(port)"
  }

  /// The connections that it has, and has had.
  package var connections: ConnectionCounts { group.open.counts }

  /// Counts the connections whose clients have not read all that was said to them.
  package func countUnread() async -> Int { await group.countUnread() }

  /// Opens one more port whose connections all belong to a lane, for what happens before a request
  /// could name one.
  public func openPort(lane: Lane) async throws -> Int { try await openPort(of: .fixed(lane)) }

  /// Opens one more port, whose requests are meant for one of the cassette's origins, or else for
  /// that of most.
  package func openPort(lane: Lane, origin: RequestURL?) async throws -> Int {
    try await openPort(of: .fixed(lane), origin)
  }

  /// Opens one more port, for lanes that have it one after the other: to each its requests come at
  /// the same address. They are meant for one of the cassette's origins, or else for that of most.
  package func openPort(lentTo lane: Locked<Lane>, origin: RequestURL? = nil) async throws -> Int {
    try await openPort(of: .lent(lane), origin)
  }

  private func openPort(of owner: PortOwner, _ origin: RequestURL? = nil) async throws -> Int {
    var options = options
    if let origin { options.recordedOrigin = origin }
    guard let address = SocketAddress(options.host, port: 0) else {
      throw ServerError.cannotListen("\(options.host) is no address literal")
    }
    let plain =
      options.opensPlainPorts && tls != nil
      ? try await BoundListener.open(at: address, for: owner, group, deck, options, nil) : nil
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

  /// Stops listening, gives requests in flight the time `grace` to end, and closes all connections.
  public func stop(grace: Duration = .seconds(5)) async {
    let listeners = listeners.exchange([:])
    await group.stop(grace: grace) { for listener in listeners.values { listener.close() } }
    await console?.stop()
    // Last, so that it can be asked about the end.
    let adminListener = adminListener.exchange(nil)
    await adminGroup?.stop(grace: .zero) { adminListener?.close() }
  }

  /// Tells whether this system can lose attempts to connect: its full accept queues drop them, and
  /// report the number.
  public static var canLoseSYNs: Bool { Platform.dropsSYNs }
}

extension ReplayServer.Options {
  /// Returns the reason why a server cannot play a scenario; `nil` where it can. A proxy fails no
  /// connections of its clients to itself.
  func obstacle(to scenario: Scenario) -> ServerError? {
    guard proxy == nil, !isAdmin else { return nil }
    if scenario.losesSYNs, !Platform.dropsSYNs {
      return .cannotListen(
        "scenario \"\(scenario.name)\" loses attempts to connect, which a full accept queue does on "
          + "Linux alone"
      )
    }
    let showsCertificates = scenario.rules.lazy.filter(\.isForConnections).flatMap(\.faults)
      .contains {
        if case .connection(.tls(let fault)) = $0 { fault.needsCertificate } else { false }
      }
    guard showsCertificates, tls == nil else { return nil }
    return .cannotListen(
      "scenario \"\(scenario.name)\" fails handshakes by their certificates, and this server speaks "
        + "no TLS"
    )
  }

  /// Tells whether attempts to connect to a port of the server are lost.
  func losesSYNs(of deck: Deck) -> Bool { proxy == nil && !isAdmin && deck.scenario.losesSYNs }
}

// The mark of this module in programs, by which `check-release` finds it; the number is its own.
@section("__DATA_CONST,__wt_modules")
@used private let linkMark: (UInt64, UInt64, UInt64) =
  (0xF1D3_8A6C_57E2_94B0, 0x9C0E_B7A5_2D41_F863, 19)
