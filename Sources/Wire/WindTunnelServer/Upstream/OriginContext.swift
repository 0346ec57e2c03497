internal import WindTunnel

/// The names of a port and the origins behind it, for its connections on one loop.
struct OriginContext: Sendable {
  let deck: Deck
  let port: Int
  /// The port of the same lane without TLS; `nil` if there is no other one.
  let plainPort: Int?
  /// A domain whose names also belong to this port.
  let domain: String?
  /// The server to which requests of a recording deck are forwarded.
  let upstream: Upstream?
  /// The servers of the hosts that the deck ignores.
  let ignoredHosts: [Upstream]
  /// The origin on the cassette in place of the upstream's; `nil` for the upstream's own.
  let recordedOrigin: RequestURL?
  /// Whether redirects to other hosts lead back to this server.
  let leadsBack: Bool
  /// Whether absolute URLs of the recorded origin in JSON lead back to this server.
  let rewritesURLs: Bool
  /// The plays that requests can name; `nil` if there is only one.
  let plays: Plays?
  /// Whether an origin that is recorded may use any content coding.
  let keepsEncodings: Bool
  /// Whether a response with an invalid head is passed on unchanged.
  let passesMalformed: Bool
  /// Whether each response ends its connection.
  let closesConnections: Bool
  let limits: Limits
  /// The maximum size of a live response's content for observers, in bytes; 0 if there are no
  /// observers.
  let toldBytesMax: Int
  /// The settings of the proxy; `nil` if the port is not a proxy.
  let proxy: ProxyContext?
  /// Whether an admin port lists the requests, so that the end of each is measured.
  let listsRequests: Bool
  /// The writer of the journal; `nil` if the loop writes it.
  let journal: JournalWriter?
  /// The connections to upstreams that wait for their next request.
  let pool = ConnectionPool()

  /// Whether observers see the origin's response to a request.
  func shows(_ outcome: Outcome) -> Bool { toldBytesMax > 0 && outcome.isFollowed }

  /// Whether there is any server to which a request could be forwarded.
  var passesOn: Bool { proxy != nil || upstream != nil || !ignoredHosts.isEmpty }

  /// Returns the server of an ignored host; `nil` if the URL's host is not ignored at its port.
  func ignoredHost(_ url: RequestURL) -> Upstream? {
    // A URL without a port means the default port of the host's own scheme.
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

  /// Returns the server to which an outcome is forwarded; `nil` if it is not forwarded.
  func server(for outcome: Outcome) -> Upstream? {
    guard outcome.forwards else { return nil }
    if let proxy { return Upstream(of: outcome.forwarded.url, by: proxy.contexts?.origin) }
    guard case .forward(let ticket) = outcome.source else { return nil }
    let url = outcome.request.url
    // If a redirect has led to another host, that host is not the recorded one.
    if leadsBack, url.origin != (recordedOrigin ?? upstream?.url)?.origin { return nil }
    guard ticket == nil, upstream?.url.origin != url.origin else { return upstream }
    return ignoredHost(url)
  }

  /// Keeps an exchange. The client's output and `proceed` wait until it has been written.
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
