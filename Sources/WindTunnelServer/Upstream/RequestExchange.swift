internal import WindTunnel

/// A request that is being answered, and what answers it. It is much, and looked at often: so it is
/// shared, not copied.
final class RequestExchange {
  let head: RequestHead
  let outcome: Outcome
  let authority: Authority
  let delivery: Delivery
  /// The observer of the exchange, where somebody wants to know.
  let watch: RequestWatch?
  /// The request's content, where it is passed on while it comes.
  let upload: Upload?

  init(
    _ head: RequestHead,
    _ outcome: Outcome,
    _ authority: Authority,
    _ delivery: Delivery,
    _ watch: RequestWatch?,
    _ upload: Upload?
  ) {
    (self.head, self.outcome, self.authority) = (head, outcome, authority)
    (self.delivery, self.watch, self.upload) = (delivery, watch, upload)
  }
}

/// Follows one request through a server and says what was seen of it, once.
final class RequestWatch {
  var status: Int?
  var bytes = 0
  private let outcome: Outcome
  private let scenario: String
  private let received: ReceivedRequests?
  private var isOver = false
  private var start = Moment.now()
  private let observe: (@Sendable (Sighting) -> Void)?

  /// `nil` where nobody wants to know.
  init?(_ outcome: Outcome, in context: OriginContext) {
    observe = context.proxy?.settings.observe
    received = context.received
    guard observe != nil || received != nil else { return nil }
    self.outcome = outcome
    scenario = observe == nil ? "" : context.deck.scenario.name
    if let received {
      received.log.withLock { $0.begin(outcome, at: received.uptime) }
    }
  }

  /// The request has come to its end only now.
  func restart() { start = Moment.now() }

  func ended(_ ending: SeenRequest.Ending) {
    guard !isOver else { return }
    isOver = true
    let latency = Duration.nanoseconds(Moment.now() - start)
    received?.log.withLock {
      $0.finish(
        outcome.id,
        RequestLog.End(status: status, bytes: bytes, latency: latency, ending: ending)
      )
    }
    guard let observe else { return }
    let isLive = if case .forward = outcome.source { true } else { false }
    observe(
      .request(
        SeenRequest(
          scenario: scenario,
          method: outcome.request.method,
          url: outcome.request.url,
          status: status,
          bytes: bytes,
          latency: latency,
          ending: ending,
          isFromTape: !isLive
        )
      )
    )
  }
}

/// The requests that all connections of a server have received.
final class ReceivedRequests: Sendable {
  let log = Locked(RequestLog())
  private let start = Moment.now()

  /// How long the server has been there.
  var uptime: Duration { .nanoseconds(Moment.now() - start) }
}
