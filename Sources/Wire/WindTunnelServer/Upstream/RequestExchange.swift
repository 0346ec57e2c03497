internal import WindTunnel

/// A request in progress, with the parts that produce its response. It is large and often read, so
/// it is shared instead of copied.
final class RequestExchange {
  let head: RequestHead
  let outcome: Outcome
  let mapping: OriginMapping
  let delivery: Delivery
  let arrival: RequestArrival
  /// The request's content, if it is forwarded while it arrives.
  var upload: StreamedContent?
  /// The measure of the response; `nil` if it is not reported.
  var measure: ExchangeMeasure?
  private var isFinished = false

  init(
    _ head: RequestHead,
    _ outcome: Outcome,
    _ mapping: OriginMapping,
    _ delivery: Delivery,
    _ arrival: RequestArrival
  ) {
    (self.head, self.outcome, self.mapping) = (head, outcome, mapping)
    (self.delivery, self.arrival) = (delivery, arrival)
    measure = ExchangeMeasure(of: outcome, in: mapping.context)
  }

  /// Reports the end of the response, once.
  func finished(_ ending: ExchangeEnd.Reason) {
    guard !isFinished else { return }
    isFinished = true
    outcome.path?.exchange?.leave()
    mapping.context.deck.finished(outcome, measure?.end(ending))
  }
}

/// The arrival of a request's head on its connection.
struct RequestArrival {
  let start: Moment
  let connection: SentRequest.Connection
  /// The time from the connection to its first request, over TLS; `nil` for any other request.
  let handshake: Duration?
  /// The destination of the request; `nil` if the request's host determines it.
  var naming: OriginMapping.Naming?
  /// Returns the round trips before the request on a link, and counts them; `nil` if they are the
  /// connection's own.
  var handshakes: (() -> Int)?
}

/// The measures of one exchange, for the observer of its end.
struct ExchangeMeasure {
  /// The end as far as it is known. ``end(_:)`` sets its latency and its ending.
  var known: ExchangeEnd
  private var requestEnd = Moment.now()

  /// Begins without measures; `nil` if the end is not reported.
  init?(of outcome: Outcome, in context: OriginContext) {
    let isObserved = context.deck.isObserved(outcome)
    guard isObserved || context.listsRequests || outcome.forwards else { return nil }
    // The proxy's page distinguishes the scenarios.
    let scenario = context.proxy != nil && isObserved ? context.deck.scenario.name : nil
    known = ExchangeEnd(scenario: scenario, status: nil, bytes: 0, latency: .zero, ending: .whole)
  }

  /// Records the head that was sent.
  mutating func take(_ head: ResponseHead) {
    known.status = head.status
    guard head.status >= 300 else { return }
    known.retryAfter = Self.only(head.headers.values("Retry-After"))
    if head.status < 400 { known.location = Self.only(head.headers.values("Location")) }
  }

  private static func only(_ values: [String]) -> String? { values.count == 1 ? values[0] : nil }

  /// Records that a recorded response was passed on at once.
  mutating func answered(with outcome: Outcome) {
    guard case .recording(let interaction, _) = outcome.source, let response = interaction.response
    else { return }
    take(response.head)
    known.bytes = response.body.count
  }

  /// Restarts the measured time, because the request has ended only now.
  mutating func restart() { requestEnd = Moment.now() }

  /// Returns the end of the exchange, which is now.
  func end(_ ending: ExchangeEnd.Reason) -> ExchangeEnd {
    var end = known
    (end.latency, end.ending) = (.nanoseconds(Moment.now() - requestEnd), ending)
    return end
  }
}
