internal import WindTunnel
@_spi(WindTunnel) internal import WindTunnelCore

/// The names of a port and the origins behind it, for its connections that are on one loop.
final class OriginContext: Sendable {
  let deck: Deck
  let port: Int
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
  /// Tells whether an origin that is recorded may answer in every content coding.
  let keepsEncodings: Bool
  /// Tells whether every answer ends its connection.
  let closesConnections: Bool
  let limits: Limits
  /// The proxy that the port is; `nil` for any other.
  let proxy: ProxyContext?
  /// The log of requests; `nil` where nobody can ask for it.
  let received: ReceivedRequests?
  /// The writer of the journal; `nil`: the loop writes it itself.
  let journal: JournalWriter?
  /// The connections to upstreams that wait for their next request.
  let pool = UpstreamPool()

  init(
    deck: Deck,
    port: Int,
    domain: String?,
    upstream: Upstream?,
    ignoredHosts: [Upstream],
    recordedOrigin: RequestURL?,
    leadsBack: Bool,
    keepsEncodings: Bool,
    closesConnections: Bool,
    limits: Limits,
    proxy: ProxyContext?,
    received: ReceivedRequests?,
    journal: JournalWriter?
  ) {
    (self.deck, self.port, self.domain, self.limits) = (deck, port, domain, limits)
    (self.upstream, self.ignoredHosts, self.recordedOrigin) = (
      upstream, ignoredHosts, recordedOrigin
    )
    (self.leadsBack, self.keepsEncodings) = (leadsBack, keepsEncodings)
    self.closesConnections = closesConnections
    (self.proxy, self.received, self.journal) = (proxy, received, journal)
  }

  /// Tells whether there is anybody whom a request could be passed on to.
  var passesOn: Bool { proxy != nil || upstream != nil || !ignoredHosts.isEmpty }

  /// The server of an ignored host.
  func ignoredHost(_ url: RequestURL) -> Upstream? {
    // Without a port the one is meant that the host's own scheme has.
    func port(by host: Upstream) -> Int? {
      var meant = url
      if url.port == nil { meant.scheme = host.url.scheme }
      return meant.effectivePort
    }
    let named = ignoredHosts.filter { $0.url.host == url.host }
    if let exact = named.first(where: { $0.url.effectivePort == port(by: $0) }) { return exact }
    guard let host = named.first(where: \.isAnyPort), let port = port(by: host) else {
      return nil
    }
    return host.at(port: port)
  }

  /// The server that an outcome is forwarded to.
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

  /// Tells the deck's observer and the log of the admin port that a request has come to its end.
  func requestEnded(_ outcome: Outcome, handshake: Duration?, upload: Duration?) {
    deck.requestEnded(outcome, handshake: handshake, upload: upload)
    received?.apply(.requestEnd(outcome, handshake: handshake, upload: upload))
  }

  /// Tells the deck's observer and the log of the admin port that an exchange has ended.
  func finished(_ outcome: Outcome, _ end: ExchangeEnd?) {
    received?.apply(.ended(outcome, end))
    deck.finished(outcome, end)
  }
}

/// A request that is being answered, and what answers it. It is much, and looked at often: so it is
/// shared, not copied.
final class RequestExchange {
  let head: RequestHead
  let outcome: Outcome
  let authority: Authority
  let delivery: Delivery
  /// The request's content, where it is passed on while it comes.
  let upload: Upload?
  /// The measure of the answer; `nil` where nobody is told of it.
  var measure: ExchangeMeasure?
  private let context: OriginContext
  private var isFinished = false

  init(
    _ head: RequestHead,
    _ outcome: Outcome,
    _ authority: Authority,
    _ delivery: Delivery,
    _ upload: Upload?,
    in context: OriginContext
  ) {
    (self.head, self.outcome, self.authority) = (head, outcome, authority)
    (self.delivery, self.upload, self.context) = (delivery, upload, context)
    measure = ExchangeMeasure(in: context)
  }

  /// Tells that the answer has come to its end, once.
  func finished(_ ending: ExchangeEnd.Ending) {
    guard !isFinished else { return }
    isFinished = true
    context.finished(outcome, measure?.end(ending))
  }
}

/// The measures of one exchange, for the observer of its end.
struct ExchangeMeasure {
  /// The status that went out; `nil` while none has.
  var status: Int?
  /// The content that has gone to the client, in bytes.
  var bytes = 0
  /// The scenario that the exchange was decided in, where a proxy's page tells them apart.
  private let scenario: String?
  private var requestEnd = Moment.now()

  /// Begins with nothing; `nil` where nobody is told.
  init?(in context: OriginContext) {
    let isObserved = context.deck.isObserved
    guard isObserved || context.received != nil else { return nil }
    scenario = context.proxy != nil && isObserved ? context.deck.scenario.name : nil
  }

  /// Takes note that a recorded answer has been handed over at once.
  mutating func answered(with outcome: Outcome) {
    guard case .recording(let interaction, _) = outcome.source,
      let response = interaction.response
    else { return }
    (status, bytes) = (response.status, response.body.count)
  }

  /// Begins to count time anew: the request has come to its end only now.
  mutating func restart() { requestEnd = Moment.now() }

  /// Returns the end of the exchange, which is now.
  func end(_ ending: ExchangeEnd.Ending) -> ExchangeEnd {
    ExchangeEnd(
      scenario: scenario,
      status: status,
      bytes: bytes,
      latency: .nanoseconds(Moment.now() - requestEnd),
      ending: ending
    )
  }
}

/// The requests that all connections of a server have received.
final class ReceivedRequests: Sendable {
  let log = Locked(RequestLog())
  private let start = Moment.now()

  /// The time that the server has been there.
  var uptime: Duration { .nanoseconds(Moment.now() - start) }

  fileprivate func apply(_ event: ExchangeEvent) {
    log.withLock { $0.apply(event, at: uptime) }
  }
}
