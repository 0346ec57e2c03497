internal import WindTunnel
@_spi(WindTunnel) internal import WindTunnelCore

/// An open port. Other threads may hold it, but may only pass it back to its loop.
struct BoundListener: @unchecked Sendable {
  let port: Int
  private let closing: () -> Void

  /// Opens a port, and distributes its connections over the loops in turn.
  static func open(
    at address: SocketAddress,
    for owner: PortOwner,
    _ group: EventLoopGroup,
    _ deck: Deck,
    _ options: ReplayServer.Options,
    _ tls: TLSContext?,
    plainPort: Int? = nil,
    opening contexts: TunnelContexts? = nil,
    asked own: (@Sendable (_ peer: String) -> any RequestHandler)? = nil
  ) async throws -> BoundListener {
    do {
      return try await group.listening.run { reactor in
        let dispatcher = AcceptDispatcher(
          group.members.map { AcceptDispatcher.LoopReference(loop: $0.loop) },
          group.open,
          options.limits.connectionsMax
        )
        let bound = try Self.listen(at: address, for: owner, deck, options, on: reactor) {
          dispatcher.receive($0, on: reactor)
        }
        dispatcher.listener = bound.listener
        // No connection is accepted before this job ends.
        let port = bound.address.port
        let machine = OwnMachine(
          listeningAt: options.host,
          network: options.proxy == nil ? nil : .ofInterface(at: address)
        )
        let gate = options.proxy.map { Locked(PeerAuthorizer($0.admission, own: options.host)) }
        let quota = Locked(PeerQuota(connectionsMax: options.limits.connectionsMax))
        let queues = JournalWriter.Queues()
        dispatcher.receivers = group.members.map { member in
          let context = PortContext(
            deck: deck,
            owner: owner,
            options: options,
            port: port,
            plainPort: plainPort,
            tls: tls,
            proxy: options.proxy.flatMap { proxy in
              gate.map { ProxyContext(proxy, $0, machine, member.loop, opening: contexts) }
            },
            playsDeck: own == nil,
            journal: JournalWriter(queues) { [weak loop = member.loop] job in loop?.execute(job) }
          )
          return ConnectionReceiver(context: context, live: member.live, own: own, quota: quota)
        }
        return BoundListener(port: port, closing: bound.close)
      }
    } catch let error as SocketError {
      throw ServerError(error, port: address.port)
    }
  }

  /// Opens the listener, or a ``SYNGate`` if the scenario loses connection attempts.
  private static func listen(
    at address: SocketAddress,
    for owner: PortOwner,
    _ deck: Deck,
    _ options: ReplayServer.Options,
    on reactor: Reactor,
    accepted: @escaping (Socket) -> Void
  ) throws(SocketError) -> (address: SocketAddress, listener: Listener?, close: () -> Void) {
    guard options.losesSYNs(of: deck) else {
      let listener = try Listener(at: address, in: options.network, on: reactor, accepted: accepted)
      return (listener.address, listener, listener.close)
    }
    let gate = try SYNGate(
      at: address,
      in: options.network,
      on: reactor,
      fate: { deck.synFate(lane: owner.lane, ordinal: $0) },
      accepted: accepted
    )
    return (gate.address, nil, gate.close)
  }

  /// Opens the admin port; `nil` if the options have none.
  static func openAdmin(
    _ group: EventLoopGroup?,
    _ options: ReplayServer.Options,
    _ deck: Deck,
    counting open: ConnectionLimit
  ) async throws -> BoundListener? {
    guard let group, let admin = options.admin else { return nil }
    let console = options.console?.console
    let handler = AdminHandler(admin, deck, open) { scenario, seed in
      console?.begin(scenario, seed: seed)
    }
    // A cassette is the largest body.
    let most = Admin.cassetteBytesMax
    return try await openOwn(at: "127.0.0.1", admin.port, most, group, deck) { _ in
      handler
    }
  }

  /// The maximum number of connections of a port whose requests the server itself answers.
  static let ownConnectionsMax = 64

  /// Opens a port whose requests the server itself answers, without the scenario.
  static func openOwn(
    at host: String,
    _ port: Int,
    _ bodyBytesMax: Int,
    _ group: EventLoopGroup,
    _ deck: Deck,
    _ handler: @escaping @Sendable (_ peer: String) -> any RequestHandler
  ) async throws -> BoundListener {
    guard let address = SocketAddress(host, port: port) else {
      throw ServerError.cannotListen("\(host):\(port) is not an address with a port up to 65535")
    }
    var own = ReplayServer.Options()
    (own.host, own.isAdmin) = (host, true)
    (own.limits.bodyBytesMax, own.limits.connectionsMax) = (bodyBytesMax, Self.ownConnectionsMax)
    return try await BoundListener.open(
      at: address,
      for: .fixed(.deck),
      group,
      deck,
      own,
      nil,
      asked: handler
    )
  }

  /// Returns a listener that closes another listener when it is closed.
  func with(_ other: BoundListener?) -> BoundListener {
    guard let other else { return self }
    return BoundListener(port: port) {
      closing()
      other.closing()
    }
  }

  /// Closes the port. Called only on the listening loop.
  func close() { closing() }
}

extension PortContext {
  /// Creates the context of a server's port.
  convenience init(
    deck: Deck,
    owner: PortOwner,
    options: ReplayServer.Options,
    port: Int,
    plainPort: Int? = nil,
    tls: TLSContext? = nil,
    proxy: ProxyContext? = nil,
    playsDeck: Bool = true,
    journal: JournalWriter? = nil
  ) {
    let origins = OriginContext(
      deck: deck,
      port: port,
      plainPort: plainPort,
      domain: options.domain,
      upstream: options.upstream,
      ignoredHosts: options.ignoredHosts,
      recordedOrigin: options.recordedOrigin,
      leadsBack: options.leadsBack,
      rewritesURLs: options.rewritesURLs,
      plays: options.plays,
      keepsEncodings: options.keepsEncodings,
      passesMalformed: options.passesMalformed,
      closesConnections: options.closesConnections,
      limits: options.limits,
      toldBytesMax: options.console == nil ? 0 : ServedExchange.contentBytesMax,
      proxy: proxy,
      listsRequests: options.listsRequests,
      journal: journal
    )
    self.init(
      origins,
      owner: owner,
      host: options.host,
      policy: options.origins,
      tls: tls,
      httpVersions: options.spokenVersions,
      playsDeck: playsDeck,
      isReloaded: options.isReloaded,
      watchedBytesMax: options.watchedBytesMax,
      played: options.played,
      proxiedConsole: options.proxiedConsole
    )
  }
}
