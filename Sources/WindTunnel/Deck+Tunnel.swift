public import Foundation

extension Deck {
  /// Keeps that the live origin of a tunnel could not be reached, where anything is recorded.
  public func keep(_ failure: Failure, for tunnel: TunnelDecision, to authority: String) {
    guard let ticket = tunnel.ticket else { return }
    keep(Interaction(Request(tunnelTo: authority), .failure(failure)), under: ticket)
  }

  /// Decides what a tunnel to `host:port` meets. The *n*-th to the same place meets the same for the
  /// same seed, whatever else is going on.
  ///
  /// Where `isOpened` says that the proxy looks into the tunnel, only what is meant for tunnels and
  /// connections is decided, since the requests within meet the rest.
  public func openTunnel(
    to authority: String,
    lane: Lane = .deck,
    isOpened: Bool = false,
    at now: Date? = nil
  ) -> TunnelDecision {
    tell { state in state.openTunnel(to: authority, lane: lane, isOpened: isOpened, at: now) }
  }
}

extension Deck.State {
  mutating func openTunnel(
    to authority: String,
    lane: Lane,
    isOpened: Bool,
    at now: Date?
  ) -> (Journal.Entry, TunnelDecision) {
    let request = Request(tunnelTo: authority)
    if ruleUse.isWaiting { ruleUse.meet(request) }
    let decision = scenario.decideTunnel(
      request,
      at: Scenario.Moment(
        seed,
        lane,
        request.tunnelKey,
        count(Fingerprint(request.tunnelKey), in: lane),
        beginning.circumstances(scenario, of: request, in: lane, at: now)
      ),
      isOpened: isOpened
    )
    let entry = Journal.Entry(id: newID(), decision: decision, take: .connection)
    keep(entry)
    var tunnel = TunnelDecision(
      decision: decision,
      path: path(decision),
      scenario: scenario.name,
      isOnTape: isOnTape(request.url),
      isOpened: isOpened
    )
    if mode != .none { tunnel.ticket = entry.id }
    if tunnel.isOnTape {
      // A miss is nobody's to explain: the tunnel goes on.
      var later: Deck.Later?
      let asked = front.prepare(request)
      let (source, _) = deal(asked, decision, id: entry.id, later: &later)
      if case .recording(let interaction, _) = source { tunnel.failure = interaction.failure }
    }
    return (entry, tunnel)
  }
}

extension Request {
  /// What asks a proxy for a tunnel.
  package init(tunnelTo authority: String) {
    // The scheme is a guess that only a default port depends on, and an authority has its own.
    self.init("CONNECT", RequestURL("https://\(authority)"))
  }

  var tunnelKey: String { "CONNECT \(url.host ?? ""):\(url.effectivePort ?? 443)" }
}
