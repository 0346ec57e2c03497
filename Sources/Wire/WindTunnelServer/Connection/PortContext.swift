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
  /// The maximum number of bytes of content to keep if it need not be whole.
  let watchedBytesMax: Int
  /// Called with each decided request and the beginning of its content.
  let played: (@Sendable (Outcome, Body) -> Void)?
  /// The maximum number of bytes of content that are kept for ``played`` alone.
  static let playedBytesMax = 64 * 1024
  /// The maximum number of bytes that are read of content that need not be whole.
  let readBytesMax: Int
  /// Tells whether the requests of clients are judged.
  var isWatched: Bool { watchedBytesMax > 0 }
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
  ///   - origins: The names of the port and the origins behind it.
  ///   - owner: The lane of requests that name none.
  ///   - host: The address that is listened at.
  ///   - policy: The policy by which requests are answered.
  ///   - tls: What connections speak TLS by.
  ///   - playsDeck: False where a handler of its own answers.
  ///   - isReloaded: Whether rules may come that look at bodies.
  ///   - watchedBytesMax: The maximum number of bytes of content to keep in any case.
  ///   - played: Called with each decided request.
  ///   - proxiedConsole: The place of a console that may be opened later.
  init(
    _ origins: OriginContext,
    owner: PortOwner,
    host: String,
    policy: OriginPolicy?,
    tls: TLSContext?,
    playsDeck: Bool,
    isReloaded: Bool,
    watchedBytesMax: Int,
    played: (@Sendable (Outcome, Body) -> Void)?,
    proxiedConsole: Locked<ProxiedConsole?>
  ) {
    (self.proxiedConsole, self.watchedBytesMax) = (proxiedConsole, watchedBytesMax)
    self.played = played
    // One byte more than is kept, so that larger content is not taken for whole.
    let keptBytesMax = origins.deck.exchanges == nil ? 0 : ExchangeRecords.bodyBytesMax + 1
    readBytesMax = max(watchedBytesMax, played == nil ? 0 : Self.playedBytesMax, keptBytesMax)
    (self.origins, self.owner, self.host, self.policy, self.tls) = (
      origins, owner, host, policy, tls
    )
    (deck, limits) = (origins.deck, origins.limits)
    failsConnections = playsDeck && origins.proxy == nil
    keepsContent = deck.needsRequestContent || isReloaded || !playsDeck || origins.passesOn
    sendsRendered =
      failsConnections && !origins.listsRequests && !origins.closesConnections
      && deck.exchangeTime == .zero
    parsedRequests =
      sendsRendered && !keepsContent && owner.lane == .deck && !origins.rewritesURLs
      ? ParsedRequestCache() : nil
    streamsContent =
      (origins.proxy != nil || !origins.ignoredHosts.isEmpty) && !deck.comparesContent
      && !isReloaded && playsDeck && !origins.listsRequests
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
