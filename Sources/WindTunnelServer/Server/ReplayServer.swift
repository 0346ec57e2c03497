internal import Dispatch
internal import Foundation
public import WindTunnel
@_spi(WindTunnel) internal import WindTunnelCore

/// Plays a deck on real sockets, and records from a real server where it has an upstream.
///
/// A thread for each core, up to four, serves the connections; forgotten, it stops. It binds the loopback
/// interface unless told otherwise.
public final class ReplayServer: Sendable {
  /// The settings of a server.
  public struct Options: Sendable {
    /// The address to listen at, as a literal.
    public var host = "127.0.0.1"
    /// The port; 0 for any that is free.
    public var port = 0
    /// Tells whether every answer ends its connection, so that each attempt of a client starts on its own.
    public var closesConnections = false
    /// The server that a recording deck's requests go to.
    public var upstream: Upstream?
    /// The servers of hosts that the deck ignores: where requests that name them go. A request names
    /// one by a whole URL, as to a proxy, or by its `Host`.
    public var ignoredHosts: [Upstream] = []
    /// Tells whether redirects to other hosts lead back here, where those are answered from the cassette
    /// like the rest: a client that follows them never leaves.
    public var leadsBack = false
    /// The policy by which requests are answered: by the name that the server is asked by and the
    /// page that asks; `nil`: all are.
    public var origins: OriginPolicy?
    /// Makes it a forward proxy.
    public var proxy: Proxying?
    /// The origin that stands on the cassette in place of the upstream's; `nil`: the upstream's own.
    public var recordedOrigin: RequestURL?
    /// Tells whether an origin that is recorded may answer in every content coding that the client
    /// accepts. Nothing is kept of codings that cannot be opened (br, zstd), so by default it is
    /// only asked for those that can.
    public var keepsEncodings = false
    /// The certificates of TLS; `nil`: plain HTTP is spoken.
    public var tls: ServerTLS?
    /// The number of threads, each with its connections; `nil`: one for every core, of a server that
    /// only plays and speaks no TLS one for every two, and no more than four. What is decided does not
    /// depend on it.
    public var loops: Int?
    /// The limits of a peer.
    public var limits = Limits.standard
    /// Opens a port of its own by which the server is asked and told.
    public var admin: Admin?
    /// Tells whether ``ReplayServer/load(_:matcher:)`` may bring rules that look at bodies, so that those are
    /// kept from the beginning.
    public var isReloaded = false
    /// The network that it listens in; `nil`: this process's own.
    package var network: PrivateNetwork?
    /// A domain whose names are this server's, too, in a network in which it answers for them.
    package var domain: String?
    /// Tells whether it is the port of those who ask about a server, which no weather reaches.
    var isAdmin = false
    /// The log of requests; `nil` where nobody can ask for it.
    var received: ReceivedRequests?

    /// Makes options with their defaults.
    public init() {}

    /// Tells whether there is anybody whom a request could be passed on to.
    var passesOn: Bool { proxy != nil || upstream != nil || !ignoredHosts.isEmpty }
    /// Tells whether nothing is passed on, and nothing sealed.
    var onlyPlays: Bool { !passesOn && tls == nil }
  }

  /// The port it listens at.
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

  /// Starts a server that listens.
  public init(_ deck: Deck, _ options: Options = Options()) async throws {
    self.deck = deck
    if let obstacle = options.obstacle(to: deck.scenario) { throw obstacle }
    var options = options
    options.received = options.admin.map { _ in ReceivedRequests() }
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
    listeners.withLock { $0[listener.port] = listener }
    self.adminListener.withLock { $0 = adminListener }
  }

  /// The address of its admin port, `http://127.0.0.1:PORT`; `nil` where it has none.
  public var adminURL: String? { adminPort.map { "http://127.0.0.1:\($0)" } }

  /// Plays another cassette from the next request on (`Deck.load(_:matcher:)`), and counts its plays
  /// anew.
  public func load(_ cassette: Cassette, matcher: Matcher? = nil) {
    deck.load(cassette, matcher: matcher)
    options.received?.log.withLock { $0.beginTape() }
  }

  /// Its address: `http://127.0.0.1:PORT`, or by `https` where it speaks TLS.
  public var url: String {
    // Of all addresses the one is told that this machine has for sure.
    let isAny = PrivateAddress.isAnyAddress(options.host) == true
    let loopback = options.host.contains(":") ? "::1" : "127.0.0.1"
    let host = isAny ? loopback : options.host
    return "\(tls == nil ? "http" : "https")://\(host.contains(":") ? "[\(host)]" : host):\(port)"
  }

  /// The connections that it has, and has had.
  package var connections: ConnectionCounts { group.open.counts }

  /// Opens one more port whose connections all belong to a lane, for what happens before a request
  /// could name one.
  public func openPort(lane: Lane) async throws -> Int { try await openPort(of: .fixed(lane)) }

  /// Opens one more port, for lanes that have it one after the other: to each its requests come at the same
  /// address.
  package func openPort(lentTo lane: Locked<Lane>) async throws -> Int {
    try await openPort(of: .lent(lane))
  }

  private func openPort(of owner: PortOwner) async throws -> Int {
    guard let address = SocketAddress(options.host, port: 0) else {
      throw ServerError.cannotListen("\(options.host) is no address literal")
    }
    let listener = try await BoundListener.open(
      at: address,
      for: owner,
      group,
      deck,
      options,
      tls,
      opening: contexts
    )
    listeners.withLock { $0[listener.port] = listener }
    return listener.port
  }

  /// Closes a port that ``openPort(lane:)`` opened.
  public func closePort(_ port: Int) {
    guard let listener = listeners.withLock({ $0.removeValue(forKey: port) }) else { return }
    group.listening.execute { _ in listener.close() }
  }

  /// Listens no more, lets what is in flight end within `grace`, and closes every connection.
  public func stop(grace: Duration = .seconds(5)) async {
    let listeners = listeners.withLock { listeners in
      defer { listeners = [:] }
      return listeners.values.map(\.self)
    }
    await group.stop(grace: grace) {
      for listener in listeners { listener.close() }
    }
    // Last, so that it can be asked about the end.
    let adminListener = adminListener.withLock { listener in
      defer { listener = nil }
      return listener
    }
    await adminGroup?.stop(grace: .zero) { adminListener?.close() }
  }

  /// Tells whether this system can lose attempts to connect: its full accept queues drop them, and say how
  /// many.
  public static var canLoseSYNs: Bool { Platform.dropsSYNs }
}

extension ReplayServer.Options {
  /// The reason why a server cannot play a scenario; `nil` where it can. A proxy fails no
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
