internal import WindTunnel

/// What the connections of a port share that are on one loop.
final class PortContext: Sendable {
  let deck: Deck
  let lane: Lane
  let options: ReplayServer.Options
  let live: LiveConnections
  let port: Int
  /// What connections speak TLS by; `nil`: they speak plain HTTP.
  let tls: TLSContext?
  /// What makes it a proxy's.
  let proxy: ProxyContext?
  /// What makes it an admin port's.
  let admin: AdminHandler?
  /// Whether the content of requests is kept until it is whole.
  let keepsContent: Bool
  /// Whether content may be passed on while it comes, without its ever being here as a whole.
  let streamsContent: Bool
  /// Whether there is anybody whom a request could be passed on to.
  let passesOn: Bool
  /// Requests that came before; `nil` where more than the tape has a say in what they come to.
  let parsedRequests: ParsedRequestCache?
  /// What was answered before, for those who ask for the same.
  let plainAnswers = WireAnswers()
  /// Connections to upstreams that wait for their next request.
  let upstreams = UpstreamPool()
  /// The writer of the journal; `nil`: the loop writes it itself.
  let journalWriting: JournalWriting?

  init(
    deck: Deck,
    lane: Lane,
    options: ReplayServer.Options,
    live: LiveConnections,
    port: Int,
    tls: TLSContext? = nil,
    proxy: ProxyContext? = nil,
    admin: AdminHandler? = nil,
    journalWriting: JournalWriting? = nil
  ) {
    self.journalWriting = journalWriting
    (self.deck, self.lane, self.options, self.live) = (deck, lane, options, live)
    (self.port, self.tls, self.proxy) = (port, tls, proxy)
    self.admin = admin
    passesOn = options.proxy != nil || options.upstream != nil || !options.ignoredHosts.isEmpty
    keepsContent =
      deck.needsRequestContent || options.isReloaded || admin != nil || options.upstream != nil
      || !options.ignoredHosts.isEmpty
      || options.proxy != nil
    parsedRequests =
      keepsContent || proxy != nil || options.received != nil || lane != .deck
        || options.closesConnections ? nil : ParsedRequestCache()
    streamsContent =
      (options.proxy != nil || !options.ignoredHosts.isEmpty) && !deck.comparesContent
      && !options.isReloaded && admin == nil && options.received == nil
  }

  /// The server that an outcome is forwarded to.
  func upstream(for outcome: Outcome) -> Upstream? {
    guard let proxy else { return options.upstream(for: outcome) }
    guard outcome.forwards else { return nil }
    return Upstream(of: outcome.forwarded.url, by: proxy.contexts?.origin)
  }

  /// What a request may ask for: content that is not kept takes no memory.
  var requestLimits: Limits {
    var limits = options.limits
    if !keepsContent || streamsContent { limits.bodyBytesMax = limits.unreadBodyBytesMax }
    return limits
  }
}

/// The connections that are open on one loop. On that loop's thread only.
final class LiveConnections: @unchecked Sendable {
  private var connections: [ObjectIdentifier: ClientConnection] = [:]
  private let open: ConnectionLimit
  /// Whether no further request is served, from the moment on that the server is told to end.
  private(set) var isDraining = false
  private var drained: (() -> Void)?

  init(_ open: ConnectionLimit) { self.open = open }

  /// Takes a connection in that was counted when it came.
  func insert(_ connection: ClientConnection) {
    connections[ObjectIdentifier(connection)] = connection
  }

  /// Takes a connection in that did not come by a listener.
  func insertUncounted(_ connection: ClientConnection) {
    _ = open.enter()
    insert(connection)
  }

  /// A connection that was counted when it came is not taken in.
  func forget() { open.leave() }

  func remove(_ connection: ClientConnection) {
    guard connections.removeValue(forKey: ObjectIdentifier(connection)) != nil else { return }
    open.leave()
    tellIfEmpty()
  }

  /// Closes idle connections now and busy ones after their answer.
  func drain(on reactor: Reactor) {
    isDraining = true
    for connection in connections.values { connection.leaveWhenIdle() }
    look(on: reactor, again: 100_000)
  }

  /// Ends what is left, now.
  func abandon() {
    for connection in connections.values { connection.abandon() }
  }

  /// Tells once that no connection is left.
  func whenEmpty(_ drained: @escaping () -> Void) {
    self.drained = drained
    tellIfEmpty()
  }

  /// A client that pools its connections leaves its end open for as long as it likes. Once it has
  /// everything that was said, it is not waited for; no event tells of that moment.
  private func look(on reactor: Reactor, again nanoseconds: Int64) {
    for connection in connections.values { connection.leaveIfHeard() }
    guard !connections.isEmpty else { return }
    reactor.schedule(after: nanoseconds) { [self] reactor in
      look(on: reactor, again: min(nanoseconds * 2, 5_000_000))
    }
  }

  private func tellIfEmpty() {
    guard connections.isEmpty, let drained else { return }
    self.drained = nil
    drained()
  }
}
