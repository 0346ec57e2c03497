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
  /// The moment at which the connection began.
  private let start: Moment
  /// The name that the client called this server by last.
  private var naming: Authority.Naming?
  /// The beginning of the request that is coming, and the length of the handshake in front of it,
  /// where there was one, and only before the connection's first request.
  private var requestStart = Moment.now()
  private var handshake: Duration?
  private var hasAsked = false
  /// The connection as the deck keeps it with the next request.
  private var connection = SentRequest.Connection(isNew: true, isSecure: false)
  /// The address of a proxy's client, where somebody observes what each does.
  private var client: String?
  /// The bytes that came last, where a request may have come in them and nothing else did.
  private var spelling: [UInt8]?

  init(_ context: PortContext, start: Moment) { (self.context, self.start) = (context, start) }

  /// Notes whose connection it is.
  mutating func noteClient(on channel: Channel) {
    guard context.origins.proxy != nil, context.deck.isObserved else { return }
    client = channel.socket.peerAddress?.host
  }

  /// Notes the number of the connection.
  mutating func noteNumber(_ number: Int) { connection.number = number }

  /// Notes when a request began.
  mutating func noteBegin(isSecure: Bool, at moment: Moment = .now()) {
    requestStart = moment
    (connection.isNew, connection.isSecure) = (!hasAsked, isSecure)
    handshake = !hasAsked && isSecure ? .nanoseconds(requestStart - start) : nil
    hasAsked = true
  }

  /// Notes that all of a request is here that has been decided.
  func noteEnd(of outcome: Outcome) {
    let upload = Duration.nanoseconds(Moment.now() - requestStart)
    // Most clients call the address that they were given, and of their outcomes no copy is made;
    // nor where nobody is told.
    let host = (naming?.host).flatMap { $0.hasPrefix("127.0.0.1") ? nil : $0 }
    let isTold = context.deck.isObserved(outcome)
    guard isTold, host != nil || client != nil || connection.isSecure else {
      context.deck.requestEnded(outcome, handshake: handshake, upload: upload)
      return
    }
    var named = outcome
    if let host { named.calledBy = host }
    (named.client, named.isSecure) = (client, connection.isSecure)
    context.deck.requestEnded(named, handshake: handshake, upload: upload)
  }

  /// Answers a request that is here.
  ///
  /// - Parameters:
  ///   - head: The request's head.
  ///   - body: The request's content, where it is kept.
  ///   - asked: The deck's view of it.
  ///   - channel: The client's connection.
  ///   - isLast: Whether nothing came behind it.
  /// - Returns: What became of it.
  mutating func answer(
    _ head: RequestHead,
    _ body: Data,
    _ asked: DeckRequest,
    on channel: Channel,
    isLast: Bool
  ) -> Answer {
    let authority = authority(of: head, asked, isSecure: channel.isSecure)
    // Content that is only for the observer is no part of the request: a link would slow it down.
    let isPart =
      context.keepsContent || context.isWatched
      || context.origins.listsRequests && context.deck.needsRequestContent
    let request = authority.request(head, isPart ? body : Data())
    var (outcome, prepared) = decide(request, asked, content: Body(body))
    authority.leadBackURLs(in: &outcome)
    if isPart || body.count < PortContext.playedBytesMax { context.played?(outcome, Body(body)) }
    if isLast { remember(prepared, head, isSecure: channel.isSecure) }
    spelling = nil
    noteEnd(of: outcome)
    if send(outcome, to: head, on: channel) != nil { return .sent }
    return .carried(exchange(head, outcome, authority))
  }

  /// Decides a request by its head, whose content comes while it is being answered; `nil` where the
  /// deck has to have it whole.
  mutating func begin(
    _ head: RequestHead,
    _ asked: DeckRequest,
    isSecure: Bool
  ) -> (RequestExchange, StreamedContent)? {
    let authority = authority(of: head, asked, isSecure: isSecure)
    let request = authority.request(head, Data())
    guard !context.deck.records || context.deck.ignores(request.url) else { return nil }
    let content = head.framing == .none ? Body.empty : nil
    var outcome = decide(request, asked, content: content).outcome
    authority.leadBackURLs(in: &outcome)
    if case .length(let length) = head.framing { outcome.path?.contentBytes = length }
    let delivery = delivery(of: outcome, to: head)
    let upload = StreamedContent(head.framing, isPassedOn: delivery.passingContent != nil)
    return (exchange(head, outcome, authority, delivery, upload), upload)
  }

  private func delivery(of outcome: Outcome, to head: RequestHead) -> Delivery {
    context.deck.delivery(of: outcome, on: .onTheWire, isHTTP10: head.version == .http10)
  }

  private func exchange(
    _ head: RequestHead,
    _ outcome: Outcome,
    _ authority: Authority,
    _ delivery: Delivery? = nil,
    _ upload: StreamedContent? = nil
  ) -> RequestExchange {
    RequestExchange(
      head,
      outcome,
      authority,
      delivery ?? self.delivery(of: outcome, to: head),
      upload?.isPassedOn == true ? upload : nil,
      in: context.origins
    )
  }

  private func decide(
    _ request: Request,
    _ asked: DeckRequest,
    content: Body?
  ) -> (outcome: Outcome, prepared: PreparedRequest) {
    var (outcome, prepared) = context.deck.prepareAndDecide(
      request,
      lane: context.lane,
      at: Date(),
      on: connection,
      content: content
    )
    if let handshakes = asked.handshakes {
      outcome.path?.handshakes = handshakes()
    } else if handshake != nil {
      outcome.path?.isSecured = true
    }
    return (outcome, prepared)
  }

  private mutating func authority(
    of head: RequestHead,
    _ asked: DeckRequest,
    isSecure: Bool
  ) -> Authority {
    if let naming = asked.naming { return Authority(of: head, named: naming) }
    let scheme = isSecure ? "https" : "http"
    let authority = Authority(of: head, in: context.origins, by: scheme, after: naming)
    naming = authority.naming
    return authority
  }

  /// Sends the response where it is rendered, or can be.
  private func send(
    _ outcome: Outcome,
    to head: RequestHead,
    on channel: Channel
  ) -> RenderedResponse? {
    guard context.sendsRendered, !channel.isCongested,
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
    let begin = Moment.now()
    let rendered = channel.isCongested ? nil : known.rendered
    (connection.isNew, connection.isSecure) = (!hasAsked, channel.isSecure)
    let arrival = context.deck.decide(
      known.prepared,
      holding: rendered?.key,
      lane: context.lane,
      at: Date(),
      on: connection
    )
    switch arrival {
    case .sameResponse:
      hasAsked = true
      if let rendered { channel.write(context.renderedResponses.again(rendered.response)) }
      return .sent
    case .outdated:
      // Of another cassette they may be others'.
      requests.forgetAll()
      return nil
    case .decided(let outcome):
      noteBegin(isSecure: channel.isSecure, at: begin)
      noteEnd(of: outcome)
      guard let response = send(outcome, to: known.head, on: channel) else {
        let authority = authority(of: known.head, DeckRequest(), isSecure: channel.isSecure)
        return .carried(exchange(known.head, outcome, authority))
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
