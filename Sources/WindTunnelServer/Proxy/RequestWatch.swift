internal import WindTunnel

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
  init?(_ outcome: Outcome, in context: PortContext) {
    observe = context.proxy?.settings.observe
    received = context.options.received
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
