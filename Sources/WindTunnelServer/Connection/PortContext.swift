@_spi(WindTunnel) internal import WindTunnel
@_spi(WindTunnel) internal import WindTunnelCore

/// The state that a port's connections on one loop share.
final class PortContext: Sendable {
  let deck: Deck
  private let owner: PortOwner
  /// The address that is listened at.
  let host: String
  /// The policy by which requests are answered; `nil`: all are.
  let policy: OriginPolicy?
  let limits: Limits
  /// The context of TLS; `nil`: connections speak plain HTTP.
  let tls: TLSContext?
  /// The names of the port and the origins behind it.
  let origins: OriginContext
  /// Tells whether connections meet the scenario before there is a request. A client reaches its
  /// proxy in any weather; what is behind it is decided by request and tunnel.
  let failsConnections: Bool
  /// Tells whether the content of requests is kept until it is whole.
  let keepsContent: Bool
  /// The number of bytes of content that are kept where it need not be whole.
  let watchedBytesMax: Int
  /// Tells whether content may be passed on while it comes, without its ever being here as a whole.
  let streamsContent: Bool
  /// Tells whether responses may be sent as they were rendered: nobody is told of each, and none
  /// ends its connection.
  let sendsRendered: Bool
  /// Requests that came before; `nil` where more than the cassette has a say in what they come to.
  let parsedRequests: ParsedRequestCache?
  let renderedResponses = RenderedResponses()
  /// The console that a device sees through the proxy that it is behind, once it is open.
  let proxiedConsole: Locked<ProxiedConsole?>

  /// Makes the context of a port.
  ///
  /// - Parameters:
  ///   - deck: The deck that is played.
  ///   - owner: The lane of requests that name none.
  ///   - options: The settings of the server.
  ///   - port: The number of the port.
  ///   - plainPort: The port of the same lane that speaks no TLS.
  ///   - tls: What connections speak TLS by.
  ///   - proxy: The proxy that the port is.
  ///   - playsDeck: False where a handler of its own answers.
  ///   - journal: The writer of the journal.
  init(
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
      deck,
      options,
      port: port,
      plainPort: plainPort,
      proxy: proxy,
      journal: journal
    )
    (self.deck, self.owner, self.origins, self.tls) = (deck, owner, origins, tls)
    (host, policy, limits) = (options.host, options.origins, options.limits)
    proxiedConsole = options.proxiedConsole
    failsConnections = playsDeck && proxy == nil
    keepsContent = deck.needsRequestContent || options.isReloaded || !playsDeck || origins.passesOn
    watchedBytesMax = options.watchedBytesMax
    sendsRendered =
      failsConnections && origins.received == nil && !origins.closesConnections
      && deck.exchangeTime == .zero
    parsedRequests =
      sendsRendered && !keepsContent && owner.lane == .deck ? ParsedRequestCache() : nil
    streamsContent =
      (proxy != nil || !origins.ignoredHosts.isEmpty) && !deck.comparesContent
      && !options.isReloaded && playsDeck && origins.received == nil
  }

  /// The lane of requests that name none.
  var lane: Lane { owner.lane }

  /// The limits of a request: content that is not kept takes no memory.
  var requestLimits: Limits {
    var limits = limits
    if !keepsContent || streamsContent { limits.bodyBytesMax = limits.unreadBodyBytesMax }
    return limits
  }
}
