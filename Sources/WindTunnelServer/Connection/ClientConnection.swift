internal import Foundation
internal import WindTunnel

/// One client's connection: the bytes of requests and answers, and their order.
///
/// A handler says what becomes of each request. On the loop's thread only. Requests that come while
/// one is being answered wait in the parser.
final class ClientConnection {
  let context: PortContext
  let reactor: Reactor
  /// Set right after the channel has been made, which wants its delegate first.
  private(set) var channel: Channel?
  private let live: LiveConnections
  private let handler: any RequestHandler
  /// Called with the end of the connection, and what it ended by.
  private let ended: ((Channel, SocketError?) -> Void)?
  private var parser: RequestParser
  private var state = State.idle
  let start: Moment
  /// Whether the head of a request has arrived.
  private(set) var hasHead = false
  private var deck: DeckResponder
  private let deadline: Deadline
  private var isReading = false
  /// The content of a request that is being answered already.
  private var upload: StreamedContent?
  /// The link that it was opened over; `nil`: none, or one that was waited for elsewhere.
  private var path: LinkPath?
  /// Counts answers after which it was to end by itself, so that only the last one's timer counts.
  private var idles = 0

  private enum State {
    /// The connection is between two requests.
    case idle
    /// The connection ends with the next byte that arrives.
    case parting(IdleEnd.Ending)
    /// A connection fault is being carried; there will be no request.
    case opening(ResponseWriter, Data)
    /// A request is coming in.
    case receiving(RequestHead, Spool, RequestHandling)
    /// A request is being answered.
    case answering(ResponseWriter)
    /// The connection belongs to a tunnel.
    case tunnelling(Tunnel)
    /// Another protocol is spoken with the upstream, or has been refused.
    case relaying(LinkedChannel)
    /// Somebody writes from here on, and nothing more is read.
    case streaming(any OutgoingStream)
    /// A recorded conversation is played.
    case conversing(ReplayedConversation)
    /// Nothing more will be sent, and the connection stays open; the answer was that to a request.
    case stalled(Outcome?)
    case ended
  }

  private init(
    _ context: PortContext,
    _ live: LiveConnections,
    _ reactor: Reactor,
    _ handler: any RequestHandler,
    _ limits: Limits? = nil,
    ended: ((Channel, SocketError?) -> Void)? = nil
  ) {
    (self.context, self.live, self.reactor) = (context, live, reactor)
    (self.handler, self.ended) = (handler, ended)
    start = .now()
    deck = DeckResponder(context, start: start)
    parser = RequestParser(limits: context.requestLimits)
    deadline = Deadline(limits ?? context.limits)
  }

  var now: Duration { .nanoseconds(Moment.now() - start) }

  // MARK: - Beginnings

  /// Takes over a socket that has been accepted, and counted; `nil` where it is gone already.
  static func begin(
    _ socket: Socket,
    _ handler: any RequestHandler,
    in context: PortContext,
    _ live: LiveConnections,
    at place: PeerPlace?,
    on reactor: Reactor
  ) -> ClientConnection? {
    let limits = place?.kind == .unpaired ? context.limits.whileUnpaired : context.limits
    let connection = ClientConnection(context, live, reactor, handler, limits)
    // A connection that is gone before it is served is the client's affair.
    guard let channel = try? Channel(socket, on: reactor, limits: limits, delegate: connection)
    else {
      live.discard()
      return nil
    }
    connection.channel = channel
    channel.held = place
    connection.deck.noteClient(on: channel)
    live.insert(connection)
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
  ///   - live: The connections of its loop.
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
    _ live: LiveConnections,
    _ handler: any RequestHandler,
    ended: ((Channel, SocketError?) -> Void)? = nil
  ) throws(ServerError) {
    let engine = try TLSEngine(tls, host: host, leaf: Leaf(handshake))
    engine.conduct(handshake)
    let connection = ClientConnection(context, live, channel.reactor, handler, ended: ended)
    channel.delegate = connection
    connection.channel = channel
    connection.deck.noteClient(on: channel)
    connection.awaitRequest()
    live.insertUncounted(connection)
    channel.startTLS(engine, early: early)
  }

  /// Refuses a peer and ends its connection.
  func reject(_ text: String) {
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
    let (opening, path, number) = context.deck.openConnection(
      lane: context.lane,
      on: .onTheWire,
      at: Date()
    )
    self.path = path
    deck.noteNumber(number)
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

  /// Speaks TLS from here on; what fails before it is made below it. A link's round trips for it
  /// are waited for here, behind what a client says first, where its limit for handshakes sees
  /// them.
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

  // MARK: - Ends

  /// Serves no further request; an answer that has begun is finished.
  func closeWhenIdle() {
    // What a client has said by now, or that it has left, was so before the end.
    if case .conversing = state { channel?.takeInput() }
    switch state {
    case .idle, .parting, .receiving, .stalled, .opening: channel?.close()
    case .relaying(let client): client.close()
    case .tunnelling(let tunnel): tunnel.stop()
    case .conversing(let conversation): conversation.goAway()
    case .streaming(let stream): stream.end()
    case .answering, .ended: break
    }
  }

  /// Ends at once: the time is over in which an answer could have been finished.
  func abandon() {
    switch state {
    case .answering(let writer): writer.stopped()
    // Bytes of a client that is gone may be on their way.
    case .relaying(let client): client.abandon()
    case .conversing(let conversation): conversation.abandon()
    default: break
    }
    channel?.abandon()
  }

  /// Gives the connection back if its end is out and the client has everything.
  func closeIfDelivered() {
    if let channel, channel.phase == .lingering, channel.socket.unsentBytes ?? 0 == 0 {
      channel.abandon()
    }
  }

  /// Tells whether a part of what was said is still on this side.
  var hasUnread: Bool {
    guard let channel else { return false }
    switch state {
    case .relaying(let client) where client.hasUnread: return true
    case .conversing(let conversation) where conversation.hasUnread: return true
    default: break
    }
    return channel.queuedBytes > 0 || channel.socket.unsentBytes ?? 0 > 0
  }

  /// Goes on after an answer: with the next request, or the end of the connection.
  func next(keeps: Bool, _ afterwards: Delivery.Afterwards = .keep) {
    guard let channel else { return }
    upload = nil
    guard keeps, !live.isDraining, !(channel.inputEnded && parser.bufferedBytes == 0) else {
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
      if parser.bufferedBytes > 0 { return terminate(by: end.ending) }
      state = .parting(end.ending)
      deadline.begin(.idle, on: reactor)
    case .idle(let length):
      idles += 1
      let turn = idles
      let moment = start + (now + length).inNanoseconds
      reactor.schedule(at: moment) { [weak self] _ in
        guard let self, idles == turn, case .idle = state, parser.isBetweenRequests else { return }
        terminate(by: end.ending)
      }
      read()
    }
  }

  private func terminate(by ending: IdleEnd.Ending) {
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
  func stall(isReading: Bool, _ outcome: Outcome?) {
    state = .stalled(outcome)
    if isReading { channel?.resumeReading() } else { deadline.begin(.none, on: reactor) }
  }

  /// Lets go of the channel, which is another's from here on.
  private func release() {
    channel = nil
    state = .ended
    deadline.end(on: reactor)
    live.remove(self)
  }

  private func isLate(_ kind: Deadline.Kind) {
    switch kind {
    case .idle, .none: channel?.close()
    case .request:
      let seconds = Int(deadline.limits.requestSeconds)
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
      if context.isWatched, hello.first?.beginsMethod == true {
        state = .idle
        return hello.withUnsafeBytes { self.channel(channel, received: $0) }
      }
      state = .opening(writer, hello)
      // RFC 8446 §5.1: type, version, and the length of the record in two bytes.
      let length = hello.count >= 5 ? 5 + Int(hello[3]) << 8 + Int(hello[4]) : Int.max
      if hello.count >= length || hello.first != 22 { writer.advance(.arrived(.clientHello)) }
    case .parting(let ending): terminate(by: ending)
    case .relaying, .streaming, .conversing, .stalled, .ended: break
    case .tunnelling(let tunnel): tunnel.clientSent(bytes)
    case .idle, .receiving, .answering:
      if answerKnown(bytes, on: channel) { return }
      parser.feed(bytes)
      // Requests in advance wait in the system's buffers once there are enough of them here.
      if parser.bufferedBytes > context.limits.queuedBytesMax { channel.pauseReading() }
      read()
      deck.forgetSpelling()
    }
  }

  func channelReachedEnd(_ channel: Channel) {
    switch state {
    case .idle, .receiving:
      parser.feedEnd()
      read()
      // Requests that wait for the responses before them are still answered.
      if case .idle = state, parser.bufferedBytes == 0 || !channel.isCongested { channel.close() }
    // A client that sends no more may still read; one that has left is noticed by the answer.
    case .answering(let writer):
      parser.feedEnd()
      if upload != nil { read() } else { writer.clientEnded() }
    case .opening, .stalled, .parting: channel.close()
    case .tunnelling(let tunnel): tunnel.clientReachedEnd()
    case .relaying, .streaming, .conversing, .ended: break
    }
  }

  func channel(_ channel: Channel, gotPlainText bytes: UnsafeRawBufferPointer) {
    guard context.isWatched else { return refuse(.plainOnTLSPort) }
    // What the client does without TLS is to be seen.
    self.channel(channel, received: bytes)
  }

  func channelDrained(_ channel: Channel) {
    switch state {
    case .answering(let writer): writer.clientDrained()
    case .tunnelling(let tunnel): tunnel.clientDrained()
    case .idle: read()
    case .parting, .opening, .receiving, .relaying, .streaming, .conversing, .stalled, .ended: break
    }
  }

  func channelClosed(_ channel: Channel, _ error: SocketError?) {
    switch state {
    case .answering(let writer): writer.clientLeft()
    case .tunnelling(let tunnel): tunnel.clientClosed(error)
    // A server of recorded answers is told by who asks.
    case .stalled(let outcome?) where context.origins.proxy != nil:
      context.deck.tell(.left(outcome), of: outcome)
    case .idle, .parting, .opening, .receiving, .relaying, .streaming, .conversing, .stalled,
      .ended:
      break
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
      // The next request is taken when the client has read most of the responses before it.
      case .idle where channel?.isCongested == true:
        channel?.pauseReading()
        channel?.notifyWhenDrained()
        deadline.begin(.idle, on: reactor)
        return
      case .idle, .receiving: break
      case .answering(let writer):
        guard let upload else { return }
        if upload.isFull(context.limits) {
          channel?.pauseReading()
          return
        }
        guard let event = parser.next() else {
          channel?.resumeReading()
          return
        }
        handle(event, of: upload, answeredBy: writer)
        continue
      case .parting, .opening, .tunnelling, .relaying, .streaming, .conversing, .stalled, .ended:
        return
      }
      guard let event = parser.next() else { break }
      switch event {
      case .head(let head): begin(head)
      case .content(let data):
        guard context.keepsContent || context.readBytesMax > 0,
          case .receiving(let head, var body, let handling) = state
        else { continue }
        state = .idle
        if !context.keepsContent {
          body.append(data.prefix(max(0, context.readBytesMax - body.count)))
          state = .receiving(head, body, handling)
          continue
        }
        body.append(data)
        if body.count > StreamedContent.wholeBytesMax, beginUpload(head, body, handling) {
          continue
        }
        if refusesContent(body.count) { return }
        state = .receiving(head, body, handling)
      case .trailers: break
      case .end:
        guard case .receiving(let head, var body, let handling) = state else { continue }
        deadline.begin(.none, on: reactor)
        respond(to: head, body.finish(), by: handling)
      case .failed(let error): return refuse(error)
      }
    }
    channel?.resumeReading()
    deadline.begin(parser.isBetweenRequests ? .idle : .request, on: reactor)
  }

  private func begin(_ head: RequestHead) {
    hasHead = true
    deck.noteBegin(isSecure: channel?.isSecure == true)
    let handling = handler.handle(head)
    if case .refuse(let response) = handling { return answer(response, to: head, isLast: true) }
    // The last is the form of a peer that is not served so far.
    if case .answerLast = handling {
    } else if deadline.limits != context.limits {
      deadline.limits = context.limits
      deadline.begin(.request, on: reactor)
    }
    state = .receiving(head, Spool(), handling)
    if case .length(let length) = head.framing,
      length <= StreamedContent.wholeBytesMax || !beginUpload(head, Spool(), handling),
      refusesContent(length)
    {
      return
    }
    if head.expectsContinue { channel?.write(Array("HTTP/1.1 100 Continue\r\n\r\n".utf8)) }
  }

  private func respond(to head: RequestHead, _ body: Data, by handling: RequestHandling) {
    switch handling {
    case .answer(let response): answer(response(body), to: head)
    case .answerLast(let response): answer(response(body), to: head, isLast: true)
    // Given by the head alone.
    case .refuse: break
    case .takeOver(let begin): begin(self)
    case .play(let asked):
      guard let channel else { return }
      let isLast = parser.isBetweenRequests
      finish(deck.answer(head, body, asked, on: channel, isLast: isLast))
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
    if case .truncated = error.kind {
    } else {
      channel?.writeLast(handler.refusal(error.status, error.sentence))
    }
    channel?.close()
  }

  /// Answers a request whose every byte came before; false where it has to be read.
  private func answerKnown(_ bytes: UnsafeRawBufferPointer, on channel: Channel) -> Bool {
    guard case .idle = state, !isReading, parser.isFresh,
      let answer = deck.answer(bytes, on: channel)
    else { return false }
    hasHead = true
    deadline.begin(.none, on: reactor)
    finish(answer)
    return true
  }

  private func finish(_ answer: DeckResponder.Answer) {
    switch answer {
    case .sent: next(keeps: true)
    case .carried(let exchange): carry(exchange, exchange.delivery, from: .requestEnd)
    }
  }

  /// Has a player carry an answer, to a request that is here or to one whose content is still
  /// coming.
  private func carry(
    _ exchange: RequestExchange,
    _ delivery: Delivery,
    from arrival: Delivery.Arrival
  ) {
    let player = Player(delivery, shaper: exchange.outcome.shaper, metersLive: true)
    let writer = ResponseWriter(player, of: exchange, to: self)
    state = .answering(writer)
    writer.advance(.arrived(arrival))
  }

  /// Calls back at a moment of the connection's own clock.
  func schedule(at moment: Duration, _ action: @escaping () -> Void) {
    reactor.schedule(at: start + moment.inNanoseconds) { _ in action() }
  }

  /// Tells that all of a request is here that is being answered already.
  func noteRequestEnd(of outcome: Outcome) { deck.noteEnd(of: outcome) }

  // MARK: - Content that goes on while it comes

  /// Tells whether more content is refused, now that a request turns out to have so much.
  private func refusesContent(_ count: Int) -> Bool {
    // Elsewhere the parser has looked.
    guard context.streamsContent, count > context.limits.bodyBytesMax else { return false }
    refuse(.tooLarge(context.limits))
    return true
  }

  /// Decides a request by its head, since nothing needs its content as a whole; false where it has
  /// to be read first.
  private func beginUpload(
    _ head: RequestHead,
    _ begun: Spool,
    _ handling: RequestHandling
  ) -> Bool {
    guard context.streamsContent, case .play(let asked) = handling else { return false }
    // Only a length that is known can be weighed by a link.
    if head.framing == .chunked, context.deck.scenario.link != nil { return false }
    let isSecure = channel?.isSecure == true
    guard let (exchange, upload) = deck.begin(head, asked, isSecure: isSecure) else { return false }
    // A long upload takes its time; whoever waits for it notices a halt.
    if upload.isPassedOn { deadline.begin(.none, on: reactor) }
    var begun = begun
    upload.append(begun.finish())
    self.upload = upload
    let delivery = exchange.delivery.passingContent ?? exchange.delivery
    carry(exchange, delivery, from: .requestHead)
    return true
  }

  /// Takes what is read of a request that is being answered already.
  private func handle(
    _ event: RequestParser.Event,
    of upload: StreamedContent,
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

extension ClientConnection: UpstreamClient {
  /// Goes on after a live answer: with the next request, or the end of the connection.
  func answered(keepsAlive: Bool) { next(keeps: keepsAlive) }

  /// Gives what comes to a tunnel, from here on.
  func pass(to tunnel: (Channel) -> Tunnel) {
    guard let channel else { return }
    let tunnel = tunnel(channel)
    state = .tunnelling(tunnel)
    tunnel.begin(parser.takeRemainder())
  }

  /// Gives the connection to a stream, which writes from here on.
  func stream(_ make: (Channel, @escaping () -> Void) -> any OutgoingStream) {
    // Whoever has no channel any more has ended, and nothing is made for it.
    guard let channel else { return }
    deadline.begin(.none, on: reactor)
    let stream = make(channel) { [weak self] in self?.release() }
    state = .streaming(stream)
    channel.delegate = stream
    channel.resumeReading()
    stream.begin()
  }

  /// Lets go of the client, which is served in TLS and by another handler from here on
  /// (``takeOver(_:as:by:early:showing:in:_:_:ended:)``).
  func handOver(by takeOver: (Channel, LiveConnections) throws(ServerError) -> Void) {
    guard let channel else { return }
    do throws(ServerError) {
      try takeOver(channel, live)
    } catch {
      // There is no memory for one more connection.
      return channel.abandon()
    }
    channel.resumeReading()
    release()
  }

  /// Passes on both ways whatever comes, once a request has been answered by 101: a WebSocket (RFC
  /// 6455 §4.1, RFC 9110 §7.8).
  ///
  /// - Parameters:
  ///   - exchange: The exchange of the handshake.
  ///   - upstream: The origin's connection, on which the other protocol is spoken by now.
  ///   - answer: The origin's answer to the handshake.
  ///   - early: The bytes that the origin has said behind it.
  ///   - observe: Told of all that passes, before it does.
  func relay(
    _ exchange: RequestExchange,
    to upstream: Channel,
    behind answer: ResponseStart,
    early: Data,
    observing observe: ((Relay.Side, Relay.Event) -> Void)?
  ) {
    guard let channel else { return upstream.abandon() }
    let rest = parser.takeRemainder()
    deadline.begin(.none, on: reactor)
    // The exchange is over (RFC 9110 §15.2.2); what follows is no HTTP.
    let client = LinkedChannel(channel, of: exchange.outcome) { exchange.finished(.whole) }
    state = .relaying(client)
    let faults = exchange.delivery.liveFaults
    let conversation =
      faults.isEmpty ? nil : ConversationRelay(faults, most: context.limits.messageBytesMax)
    let relay = Relay(
      client,
      upstream,
      through: conversation,
      observing: observe,
      telling: { [context] in context.deck.tell($0, of: exchange.outcome) },
      ended: { [weak self] _ in
        exchange.finished(.clientLeft)
        self?.release()
      }
    )
    var head: [UInt8] = []
    head.appendHead(faults.broken(answer.head), reason: answer.reason)
    relay.begin(behind: head, with: early)
    client.begin(with: rest)
    let seconds = context.limits.tunnelSeconds
    reactor.schedule(after: Int64(nanosecondsOf: seconds)) { [weak channel] _ in channel?.close() }
  }
}

extension LinkedChannel {
  /// Takes over the connection on which a request has been answered by 101, with the link that the
  /// request has come over.
  fileprivate convenience init(_ channel: Channel, of outcome: Outcome, began: @escaping () -> Void)
  {
    self.init(channel, down: outcome.shaper(.down), up: outcome.shaper(.up), began: began)
  }
}

// MARK: - Conversations

extension ClientConnection {
  /// Answers the handshake of a WebSocket by a recorded one, and goes on with what was recorded
  /// behind it.
  func converse(
    _ exchange: RequestExchange,
    answering recorded: ResponseHead,
    _ faults: [ConversationFault]
  ) {
    guard let channel else { return }
    // A delivery without a conversation does not come here.
    guard let player = context.deck.conversation(of: exchange.outcome) else {
      return end { $0.close() }
    }
    let head = exchange.head
    do throws(WebSocketHandshake.Refusal) {
      let server = try ConversationServer(
        answering: Request(head.method, head.url, headers: head.headers),
        head.version.rawValue,
        as: recorded,
        player,
        faults,
        most: context.limits.messageBytesMax
      )
      var shown = server.head
      exchange.authority.localise(&shown)
      exchange.measure?.take(shown)
      let client = linked(channel, exchange)
      var bytes: [UInt8] = []
      bytes.appendHead(shown, reason: nil)
      bytes.withUnsafeBytes { client.write($0) }
      deadline.begin(.none, on: reactor)
      let conversation = ReplayedConversation(
        server,
        of: exchange.outcome,
        on: client,
        in: context
      ) { [weak self] in
        exchange.finished(.clientLeft)
        self?.release()
      }
      state = .conversing(conversation)
      conversation.begin()
      client.begin(with: parser.takeRemainder())
    } catch {
      var response = Response.notice(error.head.status, error.reason)
      for field in error.head.headers { response.head.headers[field.name] = field.value }
      exchange.measure?.take(response.head)
      refuse(response, exchange, on: linked(channel, exchange))
    }
  }

  /// Takes a connection over for a conversation, or for the answer that refuses one.
  private func linked(_ channel: Channel, _ exchange: RequestExchange) -> LinkedChannel {
    LinkedChannel(channel, of: exchange.outcome) { [deck = context.deck] in
      deck.responseBegan(exchange.outcome)
      // The exchange is over (RFC 9110 §15.2.2); what follows is no HTTP.
      exchange.finished(.whole)
    }
  }

  /// Refuses a handshake, and ends the connection behind the answer.
  private func refuse(_ response: Response, _ exchange: RequestExchange, on client: LinkedChannel) {
    let (head, body) = (exchange.head, response.body.data)
    let framing = AnswerFraming(
      status: response.status,
      to: head,
      length: body.count,
      keepsAlive: false
    )
    var bytes: [UInt8] = []
    bytes.appendHead(response.head, framed: framing, for: head.version)
    if framing.framing != .none { bytes.append(contentsOf: body) }
    let refused = RefusedUpgrade { [weak self] in
      // It may have left before the answer has come over the link.
      exchange.finished(.clientLeft)
      self?.release()
    }
    client.delegate = refused
    state = .relaying(client)
    bytes.withUnsafeBytes { client.write($0) }
    client.close()
  }
}

/// The end of a connection on which an upgrade has been refused: what comes is thrown away.
private final class RefusedUpgrade: ChannelDelegate {
  private let ended: () -> Void

  init(ended: @escaping () -> Void) { self.ended = ended }

  func channel(_ channel: Channel, received bytes: UnsafeRawBufferPointer) {}
  func channelReachedEnd(_ channel: Channel) {}
  func channelClosed(_ channel: Channel, _ error: SocketError?) { ended() }
}
