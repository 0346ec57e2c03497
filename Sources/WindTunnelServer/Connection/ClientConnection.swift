internal import Foundation
internal import WindTunnel

/// One client's connection: the bytes of requests and answers, and their order.
///
/// A handler says what becomes of each request. On the loop's thread only. Requests that come while one
/// is being answered wait in the parser.
final class ClientConnection {
  let context: PortContext
  let reactor: Reactor
  /// Set right after the channel has been made, which wants its delegate first.
  private(set) var channel: Channel?
  private let handler: any RequestHandler
  /// Called with the end of the connection, and what it ended by.
  private let ended: ((Channel, SocketError?) -> Void)?
  private var parser: RequestParser
  private var state = State.idle
  private let start = Moment.now()
  private let deadline: Deadline
  private var isReading = false
  /// The name that the client called this server by last.
  private var naming: Authority.Naming?
  /// The content of a request that is being answered already.
  private var upload: Upload?
  /// The link that it was opened over; `nil`: none, or one that was waited for elsewhere.
  private var path: LinkPath?
  /// When the request that is coming began; also how long the handshake in front of it took, where there
  /// was one, and only before the connection's first request.
  private var requestStart = Moment.now()
  private var handshake: Duration?
  private var hasAsked = false
  /// The bytes that came last, where a request may have come in them and nothing else did.
  private var spelling: [UInt8]?
  /// Counts answers after which it was to end by itself, so that only the last one's timer counts.
  private var idles = 0

  private enum State {
    /// Between two requests.
    case idle
    /// It ends with the next byte that comes.
    case parting(IdleEnd.Ending)
    /// A connection fault is being carried; there will be no request.
    case opening(ResponseWriter, Data)
    /// A request is coming in.
    case receiving(RequestHead, Spool, RequestHandling)
    /// A request is being answered.
    case answering(ResponseWriter)
    /// It is a tunnel's.
    case tunnelling(Tunnel)
    /// Another protocol is spoken with the upstream.
    case relaying
    /// Nothing more will be sent, and the connection stays open.
    case stalled
    case ended
  }

  private init(
    _ context: PortContext,
    _ reactor: Reactor,
    _ handler: any RequestHandler,
    ended: ((Channel, SocketError?) -> Void)? = nil
  ) {
    (self.context, self.reactor) = (context, reactor)
    (self.handler, self.ended) = (handler, ended)
    parser = RequestParser(limits: context.requestLimits)
    deadline = Deadline(context.options.limits)
  }

  var now: Duration { .nanoseconds(Moment.now() - start) }
}

// MARK: - Beginnings

extension ClientConnection {
  /// Takes over a socket that has been accepted, and counted; `nil` where it is gone already.
  static func begin(
    _ socket: Socket,
    _ handler: any RequestHandler,
    in context: PortContext,
    on reactor: Reactor
  ) -> ClientConnection? {
    let connection = ClientConnection(context, reactor, handler)
    // A connection that is gone before it is served is the client's affair.
    guard
      let channel = try? Channel(
        socket,
        on: reactor,
        limits: context.options.limits,
        delegate: connection
      )
    else {
      context.live.forget()
      return nil
    }
    connection.channel = channel
    context.live.insert(connection)
    return connection
  }

  /// Takes a connection over that was somebody else's until now, such as one on which a CONNECT has
  /// been answered, and serves HTTP in TLS on it.
  ///
  /// - Parameters:
  ///   - channel: The connection, plain until now; its delegate is replaced.
  ///   - host: The name whose certificate is shown to a client that names nobody.
  ///   - tls: The issuer of the certificate, and the versions that are spoken.
  ///   - early: The bytes that the client has sent beforehand.
  ///   - handshake: The course of the handshake.
  ///   - context: The port that it belongs to.
  ///   - handler: The role of the connection.
  ///   - ended: Called with the end of the connection.
  /// - Throws: `ServerError.tlsUnavailable` where OpenSSL has no memory.
  static func takeOver(
    _ channel: Channel,
    as host: HostName?,
    by tls: TLSContext,
    early: [UInt8] = [],
    showing handshake: Handshake = Handshake(),
    in context: PortContext,
    _ handler: any RequestHandler,
    ended: ((Channel, SocketError?) -> Void)? = nil
  ) throws(ServerError) {
    let engine = try TLSEngine(tls, host: host, leaf: Leaf(handshake))
    engine.conduct(handshake)
    let connection = ClientConnection(context, channel.reactor, handler, ended: ended)
    channel.delegate = connection
    connection.channel = channel
    connection.awaitRequest()
    context.live.insertUncounted(connection)
    channel.startTLS(engine, early: early)
  }

  /// Says no to a peer and ends its connection.
  func turnAway(_ text: String) {
    state = .ended
    channel?.writeNotice(403, text)
    channel?.close()
  }

  private func awaitRequest() {
    deadline.isOver = { [weak self] kind in self?.isLate(kind) }
    deadline.begin(.idle, on: reactor)
  }

  /// Waits for the first request, or meets what goes before it.
  func open() {
    awaitRequest()
    guard context.failsConnections else { return }
    let (opening, path) = context.deck.openConnection(
      lane: context.lane,
      on: .onTheWire,
      at: Date()
    )
    self.path = path
    guard opening != .nothing else {
      if context.tls != nil { shakeHands(Handshake()) }
      return
    }
    carry(opening, behind: Data())
  }

  /// Carries what goes before the first request.
  private func carry(_ opening: Delivery, behind hello: Data) {
    let writer = ResponseWriter(Player(opening), to: self)
    state = .opening(writer, hello)
    writer.advance(.tick)
  }

  /// Speaks TLS from here on; what fails before it is made below it. A link's round trips for it are waited
  /// for here, behind what a client says first, where its limit for handshakes sees them.
  func shakeHands(_ handshake: Handshake) {
    var early: [UInt8] = []
    if case .opening(_, let hello) = state { early = Array(hello) }
    guard let path else { return startTLS(handshake, early) }
    self.path = nil
    // On a dead link it never ends.
    let wait = path.securing().map { Delivery.Step.wait($0) } ?? .stall
    let hello: [Delivery.Step] = early.isEmpty ? [.await(.clientHello)] : []
    carry(Delivery(hello + [wait, .shakeHands(handshake)]), behind: Data(early))
  }

  private func startTLS(_ handshake: Handshake, _ early: [UInt8]) {
    state = .idle
    // A server without TLS has been refused such weather.
    guard let channel, let tls = context.tls else { return abandon() }
    do throws(ServerError) {
      let own = channel.socket.localAddress.flatMap { HostName($0.host) }
      let engine = try TLSEngine(tls, host: own, leaf: Leaf(handshake))
      engine.conduct(handshake)
      channel.startTLS(engine, early: early)
    } catch {
      // There is no memory for one more connection.
      channel.abandon()
    }
  }
}

// MARK: - Ends

extension ClientConnection {
  /// Serves no further request; an answer that has begun is finished.
  func leaveWhenIdle() {
    switch state {
    case .idle, .parting, .receiving, .stalled, .opening, .relaying: channel?.close()
    case .tunnelling(let tunnel): tunnel.leave()
    case .answering, .ended: break
    }
  }

  /// Ends at once: the time is over in which an answer could have been finished.
  func abandon() {
    if case .answering(let writer) = state { writer.stopped() }
    channel?.abandon()
  }

  /// Gives the connection back if its end is out and the client has everything.
  func leaveIfHeard() {
    if let channel, channel.phase == .lingering, channel.socket.unsentBytes ?? 0 == 0 {
      channel.abandon()
    }
  }

  /// An answer is written: the next request, or the end of the connection.
  func next(keeps: Bool, _ afterwards: Delivery.Afterwards = .keep) {
    guard let channel else { return }
    upload = nil
    guard keeps, !context.live.isDraining, !(channel.inputEnded && parser.bufferedBytes == 0) else {
      state = .ended
      return channel.close()
    }
    state = .idle
    if case .idle(let end) = afterwards { return idle(until: end) }
    read()
  }

  /// Waits for the next request or the end, whichever comes first.
  private func idle(until end: IdleEnd) {
    switch end.moment {
    case .nextRequest:
      // It may have come before the answer to the last one was out.
      if parser.bufferedBytes > 0 { return leave(end.ending) }
      state = .parting(end.ending)
      deadline.begin(.idle, on: reactor)
    case .idle(let length):
      idles += 1
      let turn = idles
      let moment = start + (now + length).inNanoseconds
      reactor.schedule(at: moment) { [weak self] _ in
        guard let self, idles == turn, case .idle = state, parser.isBetweenRequests else { return }
        leave(end.ending)
      }
      read()
    }
  }

  private func leave(_ ending: IdleEnd.Ending) {
    state = .ended
    switch ending {
    case .close: channel?.close()
    case .reset: channel?.reset()
    }
  }

  /// Ends within an answer.
  func end(_ ending: (Channel) -> Void) {
    state = .ended
    if let channel { ending(channel) }
  }

  /// Sends nothing more and stays open; what the client still sends is no request.
  func stall(isReading: Bool) {
    state = .stalled
    if isReading { channel?.resumeReading() } else { deadline.begin(.none, on: reactor) }
  }

  /// Lets go of the channel, which is another's from here on.
  private func release() {
    channel = nil
    state = .ended
    deadline.end(on: reactor)
    context.live.remove(self)
  }

  private func isLate(_ kind: Deadline.Kind) {
    switch kind {
    case .idle, .none: channel?.close()
    case .request:
      let seconds = Int(context.options.limits.requestSeconds)
      refuse(ProtocolError(.tooSlow, "The request took longer than \(seconds) s."))
    }
  }
}

// MARK: - Bytes

extension ClientConnection: ChannelDelegate {
  func channelConnected(_ channel: Channel) {}

  func channel(_ channel: Channel, received bytes: UnsafeRawBufferPointer) {
    switch state {
    case .opening(let writer, var hello):
      hello.append(contentsOf: bytes)
      state = .opening(writer, hello)
      // RFC 8446 §5.1: type, version, and the length of the record in two bytes.
      let length = hello.count >= 5 ? 5 + Int(hello[3]) << 8 + Int(hello[4]) : Int.max
      if hello.count >= length || hello.first != 22 {
        writer.advance(.arrived(.clientHello))
      }
    case .parting(let ending): leave(ending)
    case .relaying, .stalled, .ended: break
    case .tunnelling(let tunnel): tunnel.came(bytes, .up)
    case .idle, .receiving, .answering:
      if answerKnown(bytes) { return }
      parser.feed(bytes)
      // Requests in advance wait in the system's buffers once there are enough of them here.
      if parser.bufferedBytes > context.options.limits.queuedBytesMax { channel.pauseReading() }
      read()
      spelling = nil
    }
  }

  func channelReachedEnd(_ channel: Channel) {
    switch state {
    case .idle, .receiving:
      parser.feedEnd()
      read()
      if case .idle = state { channel.close() }
    // A client that sends no more may still read; one that has left is noticed by the answer.
    case .answering(let writer):
      parser.feedEnd()
      if upload != nil { read() } else { writer.clientEnded() }
    case .opening, .stalled, .parting: channel.close()
    case .tunnelling(let tunnel): tunnel.reachedEnd(.up)
    case .relaying, .ended: break
    }
  }

  func channelGotPlainText(_ channel: Channel) { refuse(.plainOnTLSPort) }

  func channelDrained(_ channel: Channel) {
    switch state {
    case .answering(let writer): writer.clientDrained()
    case .tunnelling(let tunnel): tunnel.set(.down) { $0.isBlocked = false }
    case .idle, .parting, .opening, .receiving, .relaying, .stalled, .ended: break
    }
  }

  func channelClosed(_ channel: Channel, _ error: SocketError?) {
    switch state {
    case .answering(let writer): writer.clientLeft()
    case .tunnelling(let tunnel): tunnel.clientClosed(error)
    case .idle, .parting, .opening, .receiving, .relaying, .stalled, .ended: break
    }
    ended?(channel, error)
    release()
  }
}

// MARK: - Requests

extension ClientConnection {
  /// Reads requests until one has to wait for its answer. An answer that is there at once leads
  /// back here; it must not lead deeper, since a client may send thousands of requests in advance.
  func read() {
    guard !isReading else { return }
    isReading = true
    defer { isReading = false }
    while true {
      switch state {
      case .idle, .receiving: break
      case .answering(let writer):
        guard let upload else { return }
        if upload.isFull(context.options.limits) {
          channel?.pauseReading()
          return
        }
        guard let event = parser.next() else {
          channel?.resumeReading()
          return
        }
        take(event, of: upload, answeredBy: writer)
        continue
      case .parting, .opening, .tunnelling, .relaying, .stalled, .ended: return
      }
      guard let event = parser.next() else { break }
      switch event {
      case .head(let head): begin(head)
      case .content(let data):
        guard context.keepsContent else { continue }
        guard case .receiving(let head, var body, let handling) = state else { continue }
        state = .idle
        body.append(data)
        if body.count > Upload.wholeBytesMax, beginUpload(head, body, handling) { continue }
        if refusesContent(body.count) { return }
        state = .receiving(head, body, handling)
      case .trailers: break
      case .end:
        guard case .receiving(let head, var body, let handling) = state else { continue }
        deadline.begin(.none, on: reactor)
        give(handling, to: head, body.finish())
      case .failed(let error): return refuse(error)
      }
    }
    channel?.resumeReading()
    deadline.begin(parser.isBetweenRequests ? .idle : .request, on: reactor)
  }

  /// Notes when a request began.
  private func noteBegin(at moment: Moment = .now()) {
    requestStart = moment
    handshake = !hasAsked && channel?.isSecure == true ? .nanoseconds(requestStart - start) : nil
    hasAsked = true
  }

  private func begin(_ head: RequestHead) {
    noteBegin()
    let handling = handler.handle(head)
    if case .refuse(let response) = handling { return answer(response, to: head, isLast: true) }
    state = .receiving(head, Spool(), handling)
    if case .length(let length) = head.framing,
      length <= Upload.wholeBytesMax || !beginUpload(head, Spool(), handling),
      refusesContent(length)
    {
      return
    }
    if head.expectsContinue { channel?.write(Array("HTTP/1.1 100 Continue\r\n\r\n".utf8)) }
  }

  private func give(_ handling: RequestHandling, to head: RequestHead, _ body: Data) {
    switch handling {
    case .answer(let response): answer(response(body), to: head)
    case .answerLast(let response): answer(response(body), to: head, isLast: true)
    // Given by the head alone.
    case .refuse: break
    case .takeOver(let begin): begin(self)
    case .play(let asked):
      let authority = authority(of: head, asked)
      let request = authority.request(head, body)
      let (outcome, prepared) = decide(request, asked)
      know(prepared, head)
      give(outcome, to: head, authority)
    }
  }

  /// Gives an answer that is the server's own.
  func answer(_ response: Response, to head: RequestHead, isLast: Bool = false) {
    let framing = AnswerFraming(
      status: response.status,
      to: head,
      length: response.body.data.count,
      keepsAlive: !isLast
    )
    channel?.write { bytes in
      bytes.appendHead(response.head, framed: framing, for: head.version)
      if framing.framing != .none { bytes.append(contentsOf: response.body.data) }
    }
    guard isLast else { return next(keeps: framing.keepsAlive) }
    state = .ended
    channel?.close()
  }

  /// Refuses what is no request.
  private func refuse(_ error: ProtocolError) {
    state = .ended
    if case .truncated = error.kind {} else { channel?.writeNotice(error.status, error.sentence) }
    channel?.close()
  }

  private func authority(of head: RequestHead, _ asked: DeckRequest) -> Authority {
    if let naming = asked.naming { return Authority(of: head, named: naming) }
    let scheme = channel?.isSecure == true ? "https" : "http"
    let authority = Authority(of: head, in: context, by: scheme, after: naming)
    naming = authority.naming
    return authority
  }
}

// MARK: - The deck's answers

extension ClientConnection {
  private func decide(
    _ request: Request,
    _ asked: DeckRequest
  ) -> (outcome: Outcome, prepared: PreparedRequest) {
    var (outcome, prepared) = context.deck.prepareAndDecide(
      request,
      lane: context.lane,
      at: Date()
    )
    if let handshakes = asked.handshakes {
      outcome.path?.handshakes = handshakes()
    } else if handshake != nil {
      outcome.path?.isSecured = true
    }
    return (outcome, prepared)
  }

  /// Gives a request that is here what was decided for it.
  private func give(
    _ outcome: Outcome,
    to head: RequestHead,
    _ naming: @autoclosure () -> Authority
  ) {
    noteRequestEnd(of: outcome)
    if context.isUnwatched, answerPlainly(outcome, to: head) {
      context.deck.passed(.firstByte, of: outcome)
      context.deck.finished(outcome)
      return next(keeps: true)
    }
    let authority = naming()
    let delivery = context.deck.delivery(of: outcome, on: .onTheWire)
    if outcome.path == nil, context.isUnwatched, let channel, !channel.isCongested,
      let whole = delivery.whole, whole.body.count <= ResponseWriter.sliceBytes
    {
      let keeps = channel.write(whole.head, whole.body, to: head, as: authority, in: context)
      keepPlainAnswer(whole, outcome, to: head)
      context.deck.passed(.firstByte, of: outcome)
      context.deck.finished(outcome)
      return next(keeps: keeps)
    }
    perform(head, outcome, authority, delivery, nil)
  }

  /// Calls back at a moment of the connection's own clock.
  func schedule(at moment: Duration, _ action: @escaping () -> Void) {
    reactor.schedule(at: start + moment.inNanoseconds) { _ in action() }
  }

  /// Tells that all of a request is here that has been decided before.
  func noteRequestEnd(of outcome: Outcome) {
    let upload = Duration.nanoseconds(Moment.now() - requestStart)
    context.deck.passed(.requestEnd(handshake: handshake, upload: upload), of: outcome)
  }

  /// Begins an answer, to a request that is here or to one whose content is still coming.
  private func perform(
    _ head: RequestHead,
    _ outcome: Outcome,
    _ authority: Authority,
    _ delivery: Delivery,
    _ upload: Upload?
  ) {
    let exchange = ResponseWriter.Exchange(head, outcome, authority, delivery)
    exchange.watch = RequestWatch(outcome, in: context)
    exchange.upload = upload?.isPassedOn == true ? upload : nil
    let player = Player(delivery, shaper: outcome.shaper, metersLive: true)
    let writer = ResponseWriter(player, of: exchange, to: self)
    state = .answering(writer)
    writer.advance(.arrived(upload == nil ? .requestEnd : .requestHead))
  }
}

// MARK: - Requests that came before

extension ClientConnection {
  /// Answers a request whose every byte came before; false where it has to be read.
  private func answerKnown(_ bytes: UnsafeRawBufferPointer) -> Bool {
    guard let requests = context.parsedRequests, let channel, case .idle = state,
      !isReading, bytes.count <= ParsedRequestCache.bytesMax, parser.isFresh
    else { return false }
    guard let known = requests.find(bytes, isSecure: channel.isSecure) else {
      spelling = Array(bytes)
      return false
    }
    let begin = Moment.now()
    let ready = channel.isCongested ? nil : known.ready
    let arrival = context.deck.decide(
      known.prepared,
      holding: ready?.key,
      lane: context.lane,
      at: Date()
    )
    let outcome: Outcome
    switch arrival {
    case .sameResponse:
      hasAsked = true
      if let ready { channel.write(ready.answer) }
      next(keeps: true)
      return true
    case .decided(let decided): outcome = decided
    case .outdated:
      // Of another cassette they may be others'.
      requests.forgetAll()
      return false
    }
    noteBegin(at: begin)
    deadline.begin(.none, on: reactor)
    // What follows comes behind it.
    give(outcome, to: known.head, authority(of: known.head, DeckRequest()))
    guard known.head.takesPlainAnswers else { return true }
    known.ready = outcome.renderedKey.flatMap { key in
      context.plainAnswers.kept.find(key).map { (key, $0) }
    }
    return true
  }

  /// Remembers a request that came in one piece and alone.
  private func know(_ prepared: PreparedRequest, _ head: RequestHead) {
    // They spell the first request that ends in them, or nothing: another may follow.
    guard let bytes = spelling else { return }
    spelling = nil
    guard let requests = context.parsedRequests, let channel, head.framing == .none,
      head.method == "GET", parser.isBetweenRequests
    else { return }
    // Its address was worked out for this cassette, and it takes no turn in a lane of its own.
    guard !prepared.namesLane,
      prepared.origin == naming?.tape || context.options.recordedOrigin != nil
    else { return }
    requests.keep(ParsedRequestCache.Known(bytes, head, prepared, isSecure: channel.isSecure))
  }

  /// Answers what was answered before by the same bytes; false where they have to be put together.
  private func answerPlainly(_ outcome: Outcome, to head: RequestHead) -> Bool {
    guard let key = outcome.renderedKey, head.takesPlainAnswers, let channel,
      !channel.isCongested, let answer = context.plainAnswers.kept.find(key)
    else { return false }
    channel.write(answer)
    return true
  }

  /// Keeps the head of an answer that is the same for everybody.
  private func keepPlainAnswer(
    _ answer: (head: ResponseHead, body: Data),
    _ outcome: Outcome,
    to head: RequestHead
  ) {
    guard let key = outcome.renderedKey, head.takesPlainAnswers, !context.options.closesConnections,
      // A redirect is told in the words of who asks.
      answer.head.headers["Location"] == nil
    else { return }
    var bytes: [UInt8] = []
    let framing = AnswerFraming(
      status: answer.head.status,
      to: head,
      length: ResponseWriter.length(answer.head, to: head) { answer.body.count }
    )
    let hasBody: Bool
    switch framing.framing {
    case .none: hasBody = false
    case .length: hasBody = true
    case .chunked, .untilClose: return
    }
    bytes.appendHead(answer.head, framed: framing, for: head.version)
    let kept = WireAnswers.Answer(head: bytes, body: hasBody ? answer.body : Data())
    context.plainAnswers.kept.keep(kept, under: key, weighing: bytes.count + kept.body.count)
  }
}

// MARK: - Content that goes on while it comes

extension ClientConnection {
  /// Whether more content is refused, now that a request turns out to have so much.
  private func refusesContent(_ count: Int) -> Bool {
    // Elsewhere the parser has looked.
    guard context.streamsContent, count > context.options.limits.bodyBytesMax else { return false }
    refuse(.tooLarge(context.options.limits))
    return true
  }

  /// Decides a request by its head, since nothing needs its content as a whole; false where it has to be
  /// read first.
  private func beginUpload(
    _ head: RequestHead,
    _ begun: Spool,
    _ handling: RequestHandling
  ) -> Bool {
    guard context.streamsContent, case .play(let asked) = handling else { return false }
    // Only a length that is known can be weighed by a link.
    if head.framing == .chunked, context.deck.scenario.link != nil { return false }
    let authority = authority(of: head, asked)
    let request = authority.request(head, Data())
    guard !context.deck.records || context.deck.ignores(request.url) else { return false }
    var outcome = decide(request, asked).outcome
    if case .length(let length) = head.framing { outcome.path?.contentBytes = length }
    let delivery = context.deck.delivery(of: outcome, on: .onTheWire)
    let upload = Upload(head.framing, isPassedOn: delivery.passingContent != nil)
    // A long upload takes its time; whoever waits for it notices a halt.
    if upload.isPassedOn { deadline.begin(.none, on: reactor) }
    var begun = begun
    upload.append(begun.finish())
    self.upload = upload
    perform(head, outcome, authority, delivery.passingContent ?? delivery, upload)
    return true
  }

  /// Takes what is read of a request that is being answered already.
  private func take(
    _ event: RequestParser.Event,
    of upload: Upload,
    answeredBy writer: ResponseWriter
  ) {
    switch event {
    case .content(let data):
      upload.append(data)
      writer.contentCame()
    case .end:
      self.upload = nil
      upload.isWhole = true
      deadline.begin(.none, on: reactor)
      writer.contentEnded()
    case .failed(let error): breakOff(error)
    case .head, .trailers: break
    }
  }

  /// Ends a request that breaks off while it is being answered.
  func breakOff(_ error: ProtocolError) {
    upload = nil
    guard case .answering(let writer) = state, writer.requestBrokeOff() else {
      return refuse(error)
    }
    state = .ended
    channel?.close()
  }
}

// MARK: - Origins

extension ClientConnection {
  /// The reason why the client is not connected to an address; `nil` where it is.
  func refusal(of address: SocketAddress) -> AddressRefusal? {
    context.proxy?.refusal(of: address, for: channel?.socket.peerAddress)
  }

  /// Gives what comes to a tunnel, from here on.
  func pass(to tunnel: (Channel) -> Tunnel) {
    guard let channel else { return }
    let tunnel = tunnel(channel)
    state = .tunnelling(tunnel)
    tunnel.begin(parser.takeRemainder())
  }

  /// Lets go of the client, which is served in TLS and by another handler from here on
  /// (``takeOver(_:as:by:early:showing:in:_:ended:)``).
  func handOver(
    to handler: any RequestHandler,
    as host: HostName?,
    by tls: TLSContext,
    early: [UInt8],
    showing handshake: Handshake,
    ended: @escaping (Channel, SocketError?) -> Void
  ) {
    guard let channel else { return }
    do throws(ServerError) {
      try Self.takeOver(
        channel,
        as: host,
        by: tls,
        early: early,
        showing: handshake,
        in: context,
        handler,
        ended: ended
      )
    } catch {
      // There is no memory for one more connection.
      return channel.abandon()
    }
    channel.resumeReading()
    release()
  }

  /// Passes on both ways whatever comes, once a request has been answered by 101: a WebSocket (RFC 6455
  /// §4.1, RFC 9110 §7.8). Nothing of it is kept.
  ///
  /// - Parameters:
  ///   - upstream: The origin's connection, on which the other protocol is spoken by now.
  ///   - early: The bytes that the origin has said in it.
  func relay(to upstream: Channel, early: Data) {
    guard let channel else { return upstream.abandon() }
    let rest = parser.takeRemainder()
    deadline.begin(.none, on: reactor)
    state = .relaying
    let relay = Relay(channel, upstream) { [weak self] _ in self?.release() }
    relay.begin(with: early, to: channel)
    relay.begin(with: rest, to: upstream)
    channel.resumeReading()
    upstream.resumeReading()
    let seconds = context.options.limits.tunnelSeconds
    reactor.schedule(after: Int64(nanosecondsOf: seconds)) { [weak channel] _ in channel?.close() }
  }
}
