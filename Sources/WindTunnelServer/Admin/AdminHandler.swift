internal import WindTunnel

/// What the connections of an admin port ask, and what is done at their word.
final class AdminHandler: Sendable {
  private let admin: Admin
  private let deck: Deck
  private let received: ReceivedRequests
  private let open: ConnectionLimit

  init(_ admin: Admin, _ deck: Deck, _ received: ReceivedRequests, _ open: ConnectionLimit) {
    (self.admin, self.deck, self.received, self.open) = (admin, deck, received, open)
  }

  func answer(_ request: Request) -> Response {
    let snapshot = AdminSnapshot(
      log: received.log.withLock { $0 },
      interactions: deck.interactions,
      scenario: deck.scenario,
      seed: deck.seed,
      shipped: admin.scenarios,
      openConnections: open.count,
      uptime: received.uptime
    )
    let answer = AdminAnswer(to: request, seeing: snapshot, refusing: admin.refusal)
    switch answer.change {
    case .reset?:
      deck.reset()
      received.log.withLock { $0.reset() }
    case .fly(let order)?:
      admin.swapped?(order.scenario)
      deck.swap(order.scenario, seed: order.seed)
    case nil: break
    }
    return answer.response
  }
}
