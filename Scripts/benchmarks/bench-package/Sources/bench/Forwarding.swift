internal import WindTunnel
internal import WindTunnelServer

/// Servers that only pass on what comes.
enum Forwarding {
  /// Passes requests to a host that the deck leaves alone, and keeps nothing.
  static func server(to origin: RequestURL) async throws -> ReplayServer {
    let name = "\(origin.host ?? ""):\(origin.effectivePort ?? 80)"
    let deck = Deck(
      Cassette(),
      options: PlaybackOptions(matcher: .pathAndQuery, then: .repeat, ignoring: [name])
    )
    var options = ReplayServer.Options()
    options.ignoredHosts = [try Upstream(origin)]
    return try await ReplayServer(deck, options)
  }

  /// A forward proxy; with a link, one whose shaper is asked of every byte and lets it pass.
  static func tunnels(isShaped: Bool) async throws -> ReplayServer {
    let link = Link(up: Link.Direction(), down: Link.Direction())
    let scenario = isShaped ? Scenario("unlimited", link: link) : .calm
    let deck = Deck(
      Cassette(),
      scenario: scenario,
      options: PlaybackOptions(then: .repeat, isProxied: true)
    )
    var options = ReplayServer.Options()
    options.proxy = Proxying()
    return try await ReplayServer(deck, options)
  }
}
