internal import WindTunnel

/// What the connections of a port share that are on one loop.
final class PortContext: Sendable {
  /// The role of the port.
  enum Role: Sendable {
    /// It plays the deck as the recorded servers.
    case server
    /// It is a forward proxy.
    case proxy(ProxyContext)
    /// A handler of its own answers, and no deck.
    case other(any RequestHandler & Sendable)
  }

  let deck: Deck
  let lane: Lane
  let options: ReplayServer.Options
  let live: LiveConnections
  let port: Int
  /// What connections speak TLS by; `nil`: they speak plain HTTP.
  let tls: TLSContext?
  let role: Role
  /// Whether the content of requests is kept until it is whole.
  let keepsContent: Bool
  /// Whether content may be passed on while it comes, without its ever being here as a whole.
  let streamsContent: Bool
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
    role: Role = .server,
    journalWriting: JournalWriting? = nil
  ) {
    (self.deck, self.lane, self.options, self.live) = (deck, lane, options, live)
    (self.port, self.tls, self.role, self.journalWriting) = (port, tls, role, journalWriting)
    let playsDeck = if case .other = role { false } else { true }
    keepsContent =
      deck.needsRequestContent || options.isReloaded || !playsDeck || options.passesOn
    parsedRequests =
      keepsContent || options.received != nil || lane != .deck || options.closesConnections
      ? nil : ParsedRequestCache()
    streamsContent =
      (options.proxy != nil || !options.ignoredHosts.isEmpty) && !deck.comparesContent
      && !options.isReloaded && playsDeck && options.received == nil
  }

  /// The proxy that the port is; `nil` for any other.
  var proxy: ProxyContext? { if case .proxy(let proxy) = role { proxy } else { nil } }

  /// Whether connections meet the scenario before there is a request. A client reaches its proxy in any
  /// weather; what is behind it is decided by request and tunnel.
  var failsConnections: Bool { if case .server = role { true } else { false } }

  /// Whether nobody is told of each answer.
  var isUnwatched: Bool { failsConnections && options.received == nil }

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

  /// The refusal of a WebSocket that cannot be asked for here, with the other way out; `nil` for all
  /// other requests.
  func refusalOfUpgrade(_ head: RequestHead, orElse remedy: String) -> Response? {
    guard head.asksForWebSocket else { return nil }
    let scenario = deck.scenario
    guard scenario.link != nil else { return nil }
    return .notice(
      501,
      "Scenario \"\(scenario.name)\" has a link, and that does not reach into a WebSocket. "
        + "Fly it without the link, or \(remedy)."
    )
  }
}
