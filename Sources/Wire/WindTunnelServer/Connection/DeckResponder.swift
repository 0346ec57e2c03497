internal import Foundation
@_spi(WindTunnel) internal import WindTunnel

/// Obtains the deck's decisions about a connection's requests, and sends responses that need no
/// player.
///
/// A small response that nothing changes can be sent at once: as rendered bytes over HTTP/1.1, as
/// frames over HTTP/2. Any other response is sent by a player.
struct DeckResponder {
  /// The outcome of a request.
  enum Answer {
    /// The response was sent, and the connection continues.
    case sent
    /// A player has to send the response.
    case carried(RequestExchange)
  }

  private let context: PortContext
  /// Whether the connection speaks HTTP/1.1, the only version whose responses are rendered.
  var isHTTP1: Bool
  /// The time at which the connection began.
  private let start: Moment
  /// The name by which the client addressed this server last.
  private var naming: OriginMapping.Naming?
  private var hasAsked = false
  /// The number of the connection; `nil` if the deck has not counted it.
  var number: Int?
  /// The address of a proxy's client; `nil` if the deck has no observer.
  private var client: String?
  /// The origin of the last request on the scenario's link, and the simulated connection to it.
  private var linked: (origin: String?, link: Link, connection: LinkConnection)?
  /// The bytes that are being read, if they begin with a request; `nil` otherwise.
  private var spelling: [UInt8]?
  /// The request of HTTP/2 that is being read, if it was received before.
  private var recognised: ParsedRequestCache.Known?

  init(_ context: PortContext, start: Moment, isHTTP1: Bool) {
    (self.context, self.start) = (context, start)
    self.isHTTP1 = isHTTP1
  }

  /// Notes the address of the client.
  mutating func noteClient(on channel: Channel) {
    guard context.origins.proxy != nil, context.deck.isObserved else { return }
    client = channel.socket.peerAddress?.host
  }

  /// Notes the start of a request, and returns its arrival.
  mutating func noteBegin(isSecure: Bool) -> RequestArrival {
    defer { hasAsked = true }
    return arrival(isSecure: isSecure)
  }

  private func arrival(isSecure: Bool) -> RequestArrival {
    let now = Moment.now()
    return RequestArrival(
      start: now,
      connection: connection(isSecure: isSecure),
      handshake: !hasAsked && isSecure ? .nanoseconds(now - start) : nil
    )
  }

  private func connection(isSecure: Bool) -> SentRequest.Connection {
    let isNew = !hasAsked
    return .init(number: number, isNew: isNew, isSecure: isSecure, isHTTP2: !isHTTP1)
  }

  /// Notes that a request that was decided has arrived completely.
  func noteEnd(of outcome: Outcome, _ arrival: RequestArrival) {
    let (isSecure, handshake) = (arrival.connection.isSecure, arrival.handshake)
    let upload = Duration.nanoseconds(Moment.now() - arrival.start)
    // Most clients use the address of the loopback interface. Their outcomes are not copied, and
    // neither are outcomes that are not observed.
    let host = (naming?.host).flatMap { $0.hasPrefix("127.0.0.1") ? nil : $0 }
    let isTold = context.deck.isObserved(outcome)
    guard isTold, host != nil || client != nil || isSecure || !isHTTP1 else {
      context.deck.requestEnded(outcome, handshake: handshake, upload: upload)
      return
    }
    var named = outcome
    if let host { named.calledBy = host }
    (named.client, named.isSecure, named.isHTTP2) = (client, isSecure, !isHTTP1)
    context.deck.requestEnded(named, handshake: handshake, upload: upload)
  }

  /// Responds to a request that has arrived.
  ///
  /// - Parameters:
  ///   - head: The request's head.
  ///   - body: The request's content, if it is kept.
  ///   - arrival: The arrival of its head.
  ///   - channel: The client's connection.
  ///   - isLast: Whether no further bytes arrived.
  ///   - stream: Its stream; `nil` in HTTP/1.1.
  /// - Returns: Whether the response was sent or needs a player.
  mutating func answer(
    _ head: RequestHead,
    _ body: Data,
    _ arrival: RequestArrival,
    on channel: Channel,
    isLast: Bool,
    at stream: StreamPlace? = nil
  ) -> Answer {
    let mapping = mapping(of: head, arrival)
    // Content that only the observer needs is not added to the request, because a link would then
    // delay the response.
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
    if send(outcome, to: head, on: channel, at: stream) != nil { return .sent }
    return .carried(exchange(head, outcome, mapping, arrival))
  }

  /// Decides a request by its head, before its content arrives; `nil` if the deck needs the whole
  /// content.
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

  private mutating func decide(
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
    connect(&outcome, arrival)
    return (outcome, prepared)
  }

  /// Lets an exchange use the simulated connection of the earlier ones, or its own if each response
  /// ends its connection. Notes the round trips that were already waited for.
  private mutating func connect(_ outcome: inout Outcome, _ arrival: RequestArrival) {
    guard var path = outcome.path else { return }
    if let handshakes = arrival.handshakes {
      path.handshakes = handshakes()
    } else if arrival.handshake != nil {
      path.isSecured = true
    }
    if !context.origins.closesConnections {
      let origin = outcome.request.url.origin
      // A client opens another connection to another origin.
      if linked?.origin != origin || linked?.link != path.link {
        linked = (origin, path.link, LinkConnection())
      }
      let now = Duration.nanoseconds(Moment.now() - start)
      path.exchange = linked.map { LinkExchange(on: $0.connection, at: now) }
    }
    outcome.path = path
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

  /// Sends the response as rendered bytes; `nil` if a player has to send it.
  private func send(
    _ outcome: Outcome,
    to head: RequestHead,
    on channel: Channel,
    at stream: StreamPlace?
  ) -> RenderedResponse? {
    guard isHTTP1 || stream != nil, context.sendsRendered, !channel.isCongested,
      let response = context.renderedResponses.response(to: head, outcome, in: context.origins)
    else { return nil }
    var measure = ExchangeMeasure(of: outcome, in: context.origins)
    channel.write(response, on: stream)
    context.deck.responseBegan(outcome)
    measure?.answered(with: outcome)
    context.deck.finished(outcome, measure?.end(.whole))
    return response
  }

  // MARK: Repeated requests

  /// Returns the head of a whole HTTP/2 request that was received before; `nil` if its fields have
  /// to be read.
  mutating func recognise(_ fields: [HPACKField], isSecure: Bool) -> RequestHead? {
    (recognised, spelling) = (nil, nil)
    guard !fields.isEmpty, let requests = context.parsedRequests else { return nil }
    (recognised, spelling) = requests.find(fields, isSecure: isSecure)
    return recognised?.head
  }

  /// Responds to the HTTP/2 request that was recognised; `nil` if it has to be prepared.
  mutating func answerRecognised(on channel: Channel, at stream: StreamPlace) -> Answer? {
    guard let known = recognised.take() else { return nil }
    return answer(known, on: channel, at: stream)
  }

  /// Responds to a request whose bytes were received before; `nil` if the bytes have to be parsed.
  mutating func answer(_ bytes: UnsafeRawBufferPointer, on channel: Channel) -> Answer? {
    // Fields of HTTP/2 are stored with a leading zero.
    guard let requests = context.parsedRequests, bytes.first != 0,
      bytes.count <= ParsedRequestCache.bytesMax
    else { return nil }
    guard let known = requests.find(bytes, isSecure: channel.isSecure) else {
      spelling = Array(bytes)
      return nil
    }
    return answer(known, on: channel)
  }

  private mutating func answer(
    _ known: ParsedRequestCache.Known,
    on channel: Channel,
    at stream: StreamPlace? = nil
  ) -> Answer? {
    let isSecure = channel.isSecure
    let rendered = channel.isCongested ? nil : known.rendered
    let decision = context.deck.decide(
      known.prepared,
      holding: rendered?.key,
      lane: context.lane,
      at: Date(),
      on: connection(isSecure: isSecure)
    )
    switch decision {
    case .sameResponse:
      hasAsked = true
      if let rendered {
        channel.write(context.renderedResponses.again(rendered.response), on: stream)
      }
      return .sent
    case .outdated:
      // With another cassette, the same bytes may be another request.
      context.parsedRequests?.forgetAll()
      return nil
    case .decided(var outcome):
      let arrival = arrival(isSecure: isSecure)
      hasAsked = true
      connect(&outcome, arrival)
      noteEnd(of: outcome, arrival)
      guard let response = send(outcome, to: known.head, on: channel, at: stream) else {
        let mapping = mapping(of: known.head, arrival)
        return .carried(exchange(known.head, outcome, mapping, arrival))
      }
      known.rendered = outcome.renderedKey.map { ($0, response) }
      return .sent
    }
  }

  /// Forgets the bytes that were read. Further bytes belong to another request.
  mutating func forgetSpelling() { spelling = nil }

  /// Remembers a request that arrived in one piece, without other bytes.
  private func remember(_ prepared: PreparedRequest, _ head: RequestHead, isSecure: Bool) {
    // The bytes begin with the first request that they complete. `isLast` excludes a request after
    // it.
    guard let bytes = spelling, let requests = context.parsedRequests, head.framing == .none,
      head.method == "GET",
      // Over HTTP/2, such a request has ended with its head, so the fields are its own.
      head.version != .http2 || head.headers["Content-Length"] == nil,
      // The URL must have been determined for this cassette, and the request must not name a lane.
      !prepared.namesLane,
      prepared.origin == naming?.cassetteOrigin || context.origins.recordedOrigin != nil
    else { return }
    requests.keep(ParsedRequestCache.Known(bytes, head, prepared, isSecure: isSecure))
  }
}
