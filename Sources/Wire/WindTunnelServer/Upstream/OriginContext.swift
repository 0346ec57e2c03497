internal import WindTunnel
@_spi(WindTunnel) internal import WindTunnelCore

/// The names of a port and the origins behind it, for its connections that are on one loop.
struct OriginContext: Sendable {
  let deck: Deck
  let port: Int
  /// The port of the same lane that speaks no TLS; `nil` where there is none beside this one.
  let plainPort: Int?
  /// The domain whose names are this port's, too.
  let domain: String?
  /// The server that a recording deck's requests go to.
  let upstream: Upstream?
  /// The servers of hosts that the deck ignores.
  let ignoredHosts: [Upstream]
  /// The origin that stands on the cassette in place of the upstream's; `nil`: the upstream's own.
  let recordedOrigin: RequestURL?
  /// Tells whether redirects to other hosts lead back here.
  let leadsBack: Bool
  /// Whether absolute URLs of the recorded origin in JSON lead back here.
  let rewritesURLs: Bool
  /// The plays that requests name; `nil`: there is one.
  let plays: Plays?
  /// Tells whether an origin that is recorded may answer in every content coding.
  let keepsEncodings: Bool
  /// Whether a response with an invalid head is passed on unchanged.
  let passesMalformed: Bool
  /// Tells whether every answer ends its connection.
  let closesConnections: Bool
  let limits: Limits
  /// The greatest content of a live answer that observers are told of; 0: they are told of none.
  let toldBytesMax: Int
  /// The proxy that the port is; `nil` for any other.
  let proxy: ProxyContext?
  /// Whether an admin port lists the requests, so that the end of each is measured.
  let listsRequests: Bool
  /// The writer of the journal; `nil`: the loop writes it itself.
  let journal: JournalWriter?
  /// The connections to upstreams that wait for their next request.
  let pool = ConnectionPool()

  /// Tells whether somebody looks at what an origin says to a request.
  func shows(_ outcome: Outcome) -> Bool { toldBytesMax > 0 && outcome.isFollowed }

  /// Tells whether there is anybody whom a request could be passed on to.
  var passesOn: Bool { proxy != nil || upstream != nil || !ignoredHosts.isEmpty }

  /// Returns the server of an ignored host.
  func ignoredHost(_ url: RequestURL) -> Upstream? {
    // Without a port the one is meant that the host's own scheme has.
    func port(by host: Upstream) -> Int? {
      var meant = url
      if url.port == nil { meant.scheme = host.url.scheme }
      return meant.effectivePort
    }
    let named = ignoredHosts.filter { $0.url.host == url.host }
    if let exact = named.first(where: { $0.url.effectivePort == port(by: $0) }) { return exact }
    guard let host = named.first(where: \.isAnyPort), let port = port(by: host) else { return nil }
    return host.at(port: port)
  }

  /// Returns the server that an outcome is forwarded to.
  func server(for outcome: Outcome) -> Upstream? {
    guard outcome.forwards else { return nil }
    if let proxy { return Upstream(of: outcome.forwarded.url, by: proxy.contexts?.origin) }
    guard case .forward(let ticket) = outcome.source else { return nil }
    let url = outcome.request.url
    // Where a redirect has led to another host, that is not the one that is recorded.
    if leadsBack, url.origin != (recordedOrigin ?? upstream?.url)?.origin { return nil }
    guard ticket == nil, upstream?.url.origin != url.origin else { return upstream }
    return ignoredHost(url)
  }

  /// Keeps an exchange. Its client's output waits until it is written down, and so does `proceed`.
  func keep(
    _ interaction: Interaction,
    for outcome: Outcome,
    before client: Channel?,
    then proceed: @escaping () -> Void
  ) {
    guard let write = deck.remember(interaction, for: outcome) else { return proceed() }
    guard let journal else {
      write()
      return proceed()
    }
    client?.isOutputHeld = true
    journal.write(interaction.bodyBytes, write) { [weak client] in
      client?.isOutputHeld = false
      proceed()
    }
  }
}
