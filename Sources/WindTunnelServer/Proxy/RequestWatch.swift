internal import WindTunnel

/// Follows one request through a proxy and says what was seen of it, once.
final class RequestWatch {
  var status: Int?
  var bytes = 0
  private let outcome: Outcome
  private let scenario: String
  private let start = Moment.now()
  private var observe: (@Sendable (Sighting) -> Void)?

  init?(_ outcome: Outcome, in house: House) {
    guard let observe = house.desk?.proxy.observe else { return nil }
    (self.outcome, self.observe) = (outcome, observe)
    scenario = house.deck.scenario.name
  }

  func ended(_ ending: SeenRequest.Ending) {
    guard let observe else { return }
    self.observe = nil
    let isLive = if case .forward = outcome.source { true } else { false }
    observe(
      .request(
        SeenRequest(
          scenario: scenario,
          method: outcome.request.method,
          url: outcome.request.url,
          status: status,
          bytes: bytes,
          latency: .nanoseconds(Moment.now() - start),
          ending: ending,
          isFromTape: !isLive
        )
      )
    )
  }
}
