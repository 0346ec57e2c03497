@_spi(WindTunnel) internal import WindTunnel
@_spi(WindTunnel) internal import WindTunnelCore

/// The state that a port's connections on one loop share.
final class PortContext: Sendable {
  let deck: Deck
  private let owner: PortOwner
  /// The address of the listener.
  let host: String
  /// The policy that decides which requests are served; `nil` if all are.
  let policy: OriginPolicy?
  let limits: Limits
  /// The TLS settings; `nil` if connections speak plain HTTP.
  let tls: TLSContext?
  /// The versions of HTTP that connections may speak: only HTTP/1.1 if requests can be forwarded.
  let httpVersions: HTTPVersions
  /// The names of the port and the origins behind it.
  let origins: OriginContext
  /// Whether the scenario's connection faults apply. A proxy accepts every connection; the scenario
  /// then applies to each request and tunnel.
  let failsConnections: Bool
  /// Whether the content of requests is kept until it is complete.
  let keepsContent: Bool
  /// The maximum number of bytes of content to keep if the complete content is not required.
  let watchedBytesMax: Int
  /// Called with each decided request and the beginning of its content.
  let played: (@Sendable (Outcome, Body) -> Void)?
  /// The maximum number of bytes of content that are kept for ``played`` alone.
  static let playedBytesMax = 64 * 1024
  /// The maximum number of bytes of content to read if the complete content is not required.
  let readBytesMax: Int
  /// Whether the requests of clients are judged.
  var isWatched: Bool { watchedBytesMax > 0 }
  /// Whether content may be passed on while it arrives, without being stored as a whole.
  let streamsContent: Bool
  /// Whether rendered responses may be sent. Responses must not be listed, delayed by a minimum
  /// time, or end their connections.
  let sendsRendered: Bool
  /// A cache of parsed requests; `nil` if their decisions depend on more than the cassette.
  let parsedRequests: ParsedRequestCache?
  let renderedResponses = RenderedResponses()
  /// The console that a device opens through the proxy; `nil` until it is open.
  let proxiedConsole: Locked<ProxiedConsole?>

  /// Creates the context of a port.
  ///
  /// - Parameters:
  ///   - origins: The names of the port and the origins behind it.
  ///   - owner: The lane of requests that name none.
  ///   - host: The address of the listener.
  ///   - policy: The policy that decides which requests are served.
  ///   - tls: The TLS settings of the connections.
  ///   - httpVersions: The versions of HTTP that connections may speak.
  ///   - playsDeck: Whether the deck decides responses. If not, a handler of the server does.
  ///   - isReloaded: Whether rules that compare bodies may be loaded later.
  ///   - watchedBytesMax: The maximum number of bytes of content to keep if the complete content is
  ///     not required.
  ///   - played: Called with each decided request.
  ///   - proxiedConsole: The place of a console that may be opened later.
  init(
    _ origins: OriginContext,
    owner: PortOwner,
    host: String,
    policy: OriginPolicy?,
    tls: TLSContext?,
    httpVersions: HTTPVersions,
    playsDeck: Bool,
    isReloaded: Bool,
    watchedBytesMax: Int,
    played: (@Sendable (Outcome, Body) -> Void)?,
    proxiedConsole: Locked<ProxiedConsole?>
  ) {
    (self.proxiedConsole, self.watchedBytesMax) = (proxiedConsole, watchedBytesMax)
    (self.played, self.httpVersions) = (played, httpVersions)
    // One byte more than the limit distinguishes larger content from complete content.
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

  /// Returns the codec of a connection that speaks HTTP/2.
  func http2Codec() -> any ConnectionCodec {
    HTTP2Codec(limits: requestLimits, acceptsWebSockets: failsConnections)
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
