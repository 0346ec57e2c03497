internal import WindTunnel

/// The role of an admin port: answers what is asked about a server, and does what it is told.
final class AdminHandler: RequestHandler, Sendable {
  private let admin: Admin
  private let deck: Deck
  private let received: ReceivedRequests
  private let open: ConnectionLimit

  init(_ admin: Admin, _ deck: Deck, _ received: ReceivedRequests, _ open: ConnectionLimit) {
    (self.admin, self.deck, self.received, self.open) = (admin, deck, received, open)
  }

  func handle(_ head: RequestHead) -> RequestHandling {
    .answer { [self] body in
      answer(Request(head.method, head.url, headers: head.headers, body: Body(body)))
    }
  }

  private func answer(_ request: Request) -> Response {
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

/// The requests that all connections of a server have received.
final class ReceivedRequests: Sendable {
  let log = Locked(RequestLog())
  private let start = Moment.now()

  /// How long the server has been there.
  var uptime: Duration { .nanoseconds(Moment.now() - start) }
}
