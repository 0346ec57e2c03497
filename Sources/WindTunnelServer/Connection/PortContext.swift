internal import WindTunnel

/// What the connections of a port share that are on one loop.
final class PortContext: Sendable {
  let deck: Deck
  let lane: Lane
  let options: ReplayServer.Options
  let port: Int
  /// What connections speak TLS by; `nil`: they speak plain HTTP.
  let tls: TLSContext?
  /// What a forward proxy has beside what every server has.
  let proxy: ProxyContext?
  /// Whether it is the deck that answers.
  let playsDeck: Bool
  /// Whether the content of requests is kept until it is whole.
  let keepsContent: Bool
  /// Whether content may be passed on while it comes, without its ever being here as a whole.
  let streamsContent: Bool
  /// Requests that came before; `nil` where more than the tape has a say in what they come to.
  let parsedRequests: ParsedRequestCache?
  let renderedResponses = RenderedResponses()
  /// Connections to upstreams that wait for their next request.
  let upstreams = UpstreamPool()
  /// The writer of the journal; `nil`: the loop writes it itself.
  let journalWriting: JournalWriting?

  init(
    deck: Deck,
    lane: Lane,
    options: ReplayServer.Options,
    port: Int,
    tls: TLSContext? = nil,
    proxy: ProxyContext? = nil,
    playsDeck: Bool = true,
    journalWriting: JournalWriting? = nil
  ) {
    (self.deck, self.lane, self.options, self.port) = (deck, lane, options, port)
    (self.tls, self.proxy, self.playsDeck) = (tls, proxy, playsDeck)
    self.journalWriting = journalWriting
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
  var failsConnections: Bool { playsDeck && proxy == nil }

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
