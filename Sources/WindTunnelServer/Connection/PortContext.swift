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

    fileprivate var proxy: ProxyContext? { if case .proxy(let proxy) = self { proxy } else { nil } }
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
  /// The names of the port and the origins behind it.
  let origins: OriginContext

  init(
    deck: Deck,
    lane: Lane,
    options: ReplayServer.Options,
    live: LiveConnections,
    port: Int,
    tls: TLSContext? = nil,
    role: Role = .server,
    journal: JournalWriter? = nil
  ) {
    (self.deck, self.lane, self.options, self.live) = (deck, lane, options, live)
    (self.port, self.tls, self.role) = (port, tls, role)
    origins = OriginContext(
      deck: deck,
      port: port,
      domain: options.domain,
      upstream: options.upstream,
      ignoredHosts: options.ignoredHosts,
      recordedOrigin: options.recordedOrigin,
      leadsBack: options.leadsBack,
      keepsEncodings: options.keepsEncodings,
      closesConnections: options.closesConnections,
      limits: options.limits,
      proxy: role.proxy,
      received: options.received,
      journal: journal
    )
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

  /// Whether connections meet the scenario before there is a request. A client reaches its proxy in any
  /// weather; what is behind it is decided by request and tunnel.
  var failsConnections: Bool { if case .server = role { true } else { false } }

  /// Whether nobody is told of each answer.
  var isUnwatched: Bool { failsConnections && options.received == nil }

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
