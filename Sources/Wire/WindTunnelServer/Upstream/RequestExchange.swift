internal import WindTunnel

/// A request that is being answered, and what answers it. It is much, and looked at often: so it is
/// shared, not copied.
final class RequestExchange {
  let head: RequestHead
  let outcome: Outcome
  let mapping: OriginMapping
  let delivery: Delivery
  let arrival: RequestArrival
  /// The request's content, where it is passed on while it comes.
  var upload: StreamedContent?
  /// The measure of the answer; `nil` where nobody is told of it.
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

  /// Tells that the answer has come to its end, once.
  func finished(_ ending: ExchangeEnd.Ending) {
    guard !isFinished else { return }
    isFinished = true
    mapping.context.deck.finished(outcome, measure?.end(ending))
  }
}

/// The arrival of a request's head on its connection.
struct RequestArrival {
  let start: Moment
  let connection: SentRequest.Connection
  /// The time from the connection to its first request, by TLS; `nil` for any other request.
  let handshake: Duration?
  /// The place that the request is meant for; `nil`: the one that its host names.
  var naming: OriginMapping.Naming?
  /// Takes the round trips that go before the request on a link; `nil`: they are the connection's
  /// own.
  var handshakes: (() -> Int)?
}

/// The measures of one exchange, for the observer of its end.
struct ExchangeMeasure {
  /// The end as far as it is known; its latency and its ending are those of ``end(_:)``.
  var known: ExchangeEnd
  private var requestEnd = Moment.now()

  /// Begins with nothing; `nil` where nobody is told.
  init?(of outcome: Outcome, in context: OriginContext) {
    let isObserved = context.deck.isObserved(outcome)
    guard isObserved || context.listsRequests || outcome.forwards else { return nil }
    // A proxy's page tells the scenarios apart.
    let scenario = context.proxy != nil && isObserved ? context.deck.scenario.name : nil
    known = ExchangeEnd(scenario: scenario, status: nil, bytes: 0, latency: .zero, ending: .whole)
  }

  /// Takes note of the head that has gone out.
  mutating func take(_ head: ResponseHead) {
    known.status = head.status
    guard head.status >= 300 else { return }
    known.retryAfter = Self.only(head.headers.values("Retry-After"))
    if head.status < 400 { known.location = Self.only(head.headers.values("Location")) }
  }

  private static func only(_ values: [String]) -> String? { values.count == 1 ? values[0] : nil }

  /// Takes note that a recorded answer has been handed over at once.
  mutating func answered(with outcome: Outcome) {
    guard case .recording(let interaction, _) = outcome.source, let response = interaction.response
    else { return }
    take(response.head)
    known.bytes = response.body.count
  }

  /// Begins to count time anew: the request has come to its end only now.
  mutating func restart() { requestEnd = Moment.now() }

  /// Returns the end of the exchange, which is now.
  func end(_ ending: ExchangeEnd.Ending) -> ExchangeEnd {
    var end = known
    (end.latency, end.ending) = (.nanoseconds(Moment.now() - requestEnd), ending)
    return end
  }
}
