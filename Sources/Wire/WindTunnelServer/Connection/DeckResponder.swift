internal import Foundation
@_spi(WindTunnel) internal import WindTunnel

/// A connection's dealings with the deck: has its requests decided, and sends what is answered in
/// one go.
///
/// There are two ways to answer: a rendered response, which the deck says nothing changes, or a
/// player.
struct DeckResponder {
  /// The outcome of a request.
  enum Answer {
    /// The request is answered, and the connection goes on.
    case sent
    /// A player carries its answer.
    case carried(RequestExchange)
  }

  private let context: PortContext
  /// Whether a response may be sent as it was rendered, which is for HTTP/1.1.
  private let sendsRendered: Bool
  /// The moment at which the connection began.
  private let start: Moment
  /// The name that the client called this server by last.
  private var naming: OriginMapping.Naming?
  private var hasAsked = false
  /// The number of the connection; `nil` if the deck has not counted it.
  private var number: Int?
  /// The address of a proxy's client, where somebody observes what each does.
  private var client: String?
  /// The bytes that came last, where a request may have come in them and nothing else did.
  private var spelling: [UInt8]?

  init(_ context: PortContext, start: Moment, isHTTP1: Bool) {
    (self.context, self.start) = (context, start)
    sendsRendered = context.sendsRendered && isHTTP1
  }

  /// Notes whose connection it is.
  mutating func noteClient(on channel: Channel) {
    guard context.origins.proxy != nil, context.deck.isObserved else { return }
    client = channel.socket.peerAddress?.host
  }

  /// Notes the number of the connection.
  mutating func noteNumber(_ number: Int) { self.number = number }

  /// Notes that a request begins now.
  mutating func noteBegin(isSecure: Bool) -> RequestArrival {
    defer { hasAsked = true }
    return arrival(isSecure: isSecure)
  }

  private func arrival(isSecure: Bool) -> RequestArrival {
    let now = Moment.now()
    return RequestArrival(
      start: now,
      connection: SentRequest.Connection(number: number, isNew: !hasAsked, isSecure: isSecure),
      handshake: !hasAsked && isSecure ? .nanoseconds(now - start) : nil
    )
  }

  /// Notes that all of a request is here that has been decided.
  func noteEnd(of outcome: Outcome, _ arrival: RequestArrival) {
    let (isSecure, handshake) = (arrival.connection.isSecure, arrival.handshake)
    let upload = Duration.nanoseconds(Moment.now() - arrival.start)
    // Most clients call the address that they were given, and of their outcomes no copy is made;
    // nor where nobody is told.
    let host = (naming?.host).flatMap { $0.hasPrefix("127.0.0.1") ? nil : $0 }
    let isTold = context.deck.isObserved(outcome)
    guard isTold, host != nil || client != nil || isSecure else {
      context.deck.requestEnded(outcome, handshake: handshake, upload: upload)
      return
    }
    var named = outcome
    if let host { named.calledBy = host }
    (named.client, named.isSecure) = (client, isSecure)
    context.deck.requestEnded(named, handshake: handshake, upload: upload)
  }

  /// Answers a request that is here.
  ///
  /// - Parameters:
  ///   - head: The request's head.
  ///   - body: The request's content, where it is kept.
  ///   - arrival: The arrival of its head.
  ///   - channel: The client's connection.
  ///   - isLast: Whether nothing came behind it.
  /// - Returns: What became of it.
  mutating func answer(
    _ head: RequestHead,
    _ body: Data,
    _ arrival: RequestArrival,
    on channel: Channel,
    isLast: Bool
  ) -> Answer {
    let mapping = mapping(of: head, arrival)
    // Content that is only for the observer is no part of the request: a link would slow it down.
    let isPart =
      context.keepsContent || context.isWatched
      || context.origins.listsRequests && context.deck.needsRequestContent
    let request = mapping.request(head, isPart ? body : Data())
    var (outcome, prepared) = decide(request, arrival, content: Body(body))
    mapping.leadBackURLs(in: &outcome)
    if isPart || body.count < PortContext.playedBytesMax { context.played?(outcome, Body(body)) }
    if isLast { remember(prepared, head, isSecure: arrival.connection.isSecure) }
    spelling = nil
    noteEnd(of: outcome, arrival)
    if send(outcome, to: head, on: channel) != nil { return .sent }
    return .carried(exchange(head, outcome, mapping, arrival))
  }

  /// Decides a request by its head, whose content comes while it is being answered; `nil` where the
  /// deck has to have it whole.
  mutating func begin(
    _ head: RequestHead,
    _ arrival: RequestArrival
  ) -> (RequestExchange, StreamedContent)? {
    let mapping = mapping(of: head, arrival)
    let request = mapping.request(head, Data())
    guard !context.deck.records || context.deck.ignores(request.url) else { return nil }
    let content = head.framing == .none ? Body.empty : nil
    var outcome = decide(request, arrival, content: content).outcome
    mapping.leadBackURLs(in: &outcome)
    if case .length(let length) = head.framing { outcome.path?.contentBytes = length }
    let exchange = exchange(head, outcome, mapping, arrival)
    let isPassedOn = exchange.delivery.passingContent != nil
    let upload = StreamedContent(head.framing, isPassedOn: isPassedOn)
    if isPassedOn { exchange.upload = upload }
    return (exchange, upload)
  }

  private func exchange(
    _ head: RequestHead,
    _ outcome: Outcome,
    _ mapping: OriginMapping,
    _ arrival: RequestArrival
  ) -> RequestExchange {
    let isHTTP10 = head.version == .http10
    let delivery = context.deck.delivery(of: outcome, on: .onTheWire, isHTTP10: isHTTP10)
    return RequestExchange(head, outcome, mapping, delivery, arrival)
  }

  private func decide(
    _ request: Request,
    _ arrival: RequestArrival,
    content: Body?
  ) -> (outcome: Outcome, prepared: PreparedRequest) {
    var (outcome, prepared) = context.deck.prepareAndDecide(
      request,
      lane: context.lane,
      at: Date(),
      on: arrival.connection,
      content: content
    )
    if let handshakes = arrival.handshakes {
      outcome.path?.handshakes = handshakes()
    } else if arrival.handshake != nil {
      outcome.path?.isSecured = true
    }
    return (outcome, prepared)
  }

  private mutating func mapping(
    of head: RequestHead,
    _ arrival: RequestArrival
  ) -> OriginMapping {
    if let naming = arrival.naming { return OriginMapping(of: head, named: naming) }
    let scheme = arrival.connection.isSecure ? "https" : "http"
    let mapping = OriginMapping(of: head, in: context.origins, by: scheme, after: naming)
    naming = mapping.naming
    return mapping
  }

  /// Sends the response where it is rendered, or can be.
  private func send(
    _ outcome: Outcome,
    to head: RequestHead,
    on channel: Channel
  ) -> RenderedResponse? {
    guard sendsRendered, !channel.isCongested,
      let response = context.renderedResponses.response(to: head, outcome)
    else { return nil }
    var measure = ExchangeMeasure(of: outcome, in: context.origins)
    channel.write(response)
    context.deck.responseBegan(outcome)
    measure?.answered(with: outcome)
    context.deck.finished(outcome, measure?.end(.whole))
    return response
  }

  // MARK: Requests that came before

  /// Answers a request whose every byte came before; `nil` where it has to be read.
  mutating func answer(_ bytes: UnsafeRawBufferPointer, on channel: Channel) -> Answer? {
    guard let requests = context.parsedRequests, bytes.count <= ParsedRequestCache.bytesMax else {
      return nil
    }
    guard let known = requests.find(bytes, isSecure: channel.isSecure) else {
      spelling = Array(bytes)
      return nil
    }
    let arrival = arrival(isSecure: channel.isSecure)
    let rendered = channel.isCongested ? nil : known.rendered
    let decision = context.deck.decide(
      known.prepared,
      holding: rendered?.key,
      lane: context.lane,
      at: Date(),
      on: arrival.connection
    )
    switch decision {
    case .sameResponse:
      hasAsked = true
      if let rendered { channel.write(context.renderedResponses.again(rendered.response)) }
      return .sent
    case .outdated:
      // Of another cassette they may be others'.
      requests.forgetAll()
      return nil
    case .decided(let outcome):
      hasAsked = true
      noteEnd(of: outcome, arrival)
      guard let response = send(outcome, to: known.head, on: channel) else {
        let mapping = mapping(of: known.head, arrival)
        return .carried(exchange(known.head, outcome, mapping, arrival))
      }
      known.rendered = outcome.renderedKey.map { ($0, response) }
      return .sent
    }
  }

  /// Forgets the bytes that came: what comes behind them is another request.
  mutating func forgetSpelling() { spelling = nil }

  /// Remembers a request that came in one piece and alone.
  private func remember(_ prepared: PreparedRequest, _ head: RequestHead, isSecure: Bool) {
    // They spell the first request that ends in them, or nothing: another may follow.
    guard let bytes = spelling, let requests = context.parsedRequests, head.framing == .none,
      head.method == "GET",
      // Its address was worked out for this cassette, and it takes no turn in a lane of its own.
      !prepared.namesLane,
      prepared.origin == naming?.cassetteOrigin || context.origins.recordedOrigin != nil
    else { return }
    requests.keep(ParsedRequestCache.Known(bytes, head, prepared, isSecure: isSecure))
  }
}
