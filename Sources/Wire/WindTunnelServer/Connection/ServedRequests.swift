internal import Foundation
internal import WindTunnel

/// The requests of one connection, from their first bytes to the end of their responses.
///
/// A codec reads and writes the protocol, a handler decides about each request, and a stream number
/// identifies it. Owned by its connection, and used only on the loop's thread.
final class ServedRequests {
  /// The maximum number of events that a connection with streams reads before others have a turn.
  private static let eventsPerTurn = 128
  /// The number of further events as which a reset counts, so that floods have short turns.
  private static let eventsPerReset = 8

  unowned let connection: ServedConnection
  let context: PortContext
  let reactor: Reactor
  let handler: any RequestHandler
  let deadline: Deadline
  let live: LiveConnections
  private(set) var codec: any ConnectionCodec
  /// The codec if it is HTTP/1.1, whose requests are recognised by their bytes.
  private var http1: HTTP1Codec?
  /// The codec if it is HTTP/2.
  private(set) var http2: HTTP2Codec?
  var deck: DeckResponder
  /// Whether the head of a request has arrived.
  private(set) var hasHead = false
  private(set) var isReading = false
  /// The requests that are being received.
  var incoming: [IncomingRequest] = []
  /// The responses that are being sent.
  var answering: [OutgoingResponse] = []
  /// The streams that have neither an incoming request nor a writer, but are still open.
  var streams = OpenStreams()
  /// The number of idle timers so far: only the last one counts.
  private var idles = 0

  init(
    of connection: ServedConnection,
    _ handler: any RequestHandler,
    _ codec: any ConnectionCodec,
    _ deadline: Deadline,
    _ live: LiveConnections
  ) {
    (self.connection, context, reactor) = (connection, connection.context, connection.reactor)
    (self.handler, self.codec, self.deadline, self.live) = (handler, codec, deadline, live)
    http1 = codec as? HTTP1Codec
    deck = DeckResponder(context, start: connection.start, isHTTP1: http1 != nil)
  }

  var channel: Channel? { connection.channel }
  /// Whether no request is received, no response is sent, and no other protocol is spoken.
  var isIdle: Bool { incoming.isEmpty && answering.isEmpty && !streams.isConversing }

  /// Replaces the protocol before its first byte.
  func speak(_ codec: any ConnectionCodec) {
    self.codec = codec
    (http1, http2) = (codec as? HTTP1Codec, codec as? HTTP2Codec)
    deck.isHTTP1 = http1 != nil
    let isSecure = channel?.isSecure == true
    http2?.knownHead = { [unowned self] in deck.recognise($0, isSecure: isSecure) }
  }

  // MARK: - Events of the connection

  func receive(_ bytes: UnsafeRawBufferPointer, on channel: Channel) {
    if answerKnown(bytes, on: channel) { return }
    codec.feed(bytes)
    // Pipelined requests wait in the system's buffers if enough of them are buffered here.
    if codec.bufferedBytes > context.limits.queuedBytesMax { channel.pauseReading() }
    read()
    deck.forgetSpelling()
  }

  func clientEnded(on channel: Channel) {
    codec.feedEnd()
    // A client that sends no more may still read. If it has left, sending the response fails.
    let whole = answering.filter { $0.upload == nil }.map { $0.writer }
    let wasAnswering = !answering.isEmpty
    if whole.isEmpty || !codec.servesInOrder { read() }
    for writer in whole { writer.clientEnded() }
    guard codec.servesInOrder else { return endAfterInput() }
    // Requests that wait for earlier responses are still served.
    guard !wasAnswering, connection.isServing, isIdle else { return }
    if codec.bufferedBytes == 0 || !channel.isCongested { channel.close() }
  }

  /// Continues after the client has read the queue.
  func clientDrained() {
    if !codec.servesInOrder { return readOn() }
    if isIdle { return read() }
    for response in answering { response.writer.clientDrained() }
  }

  /// Ends all responses, since the client's connection has ended.
  func clientLeft(_ error: SocketError? = nil) {
    for response in answering { response.writer.clientLeft() }
    let tunnels = streams.tunnels.values
    (answering, streams.tunnels) = ([], [:])
    for tunnel in tunnels { tunnel.closed(error) }
  }

  /// Ends all responses, since the server stops.
  func stop() { for response in answering { response.writer.stopped() } }

  /// Removes a response whose delivery has ended; returns its stream.
  func remove(_ writer: ResponseWriter) -> Int? {
    answering.firstIndex { $0.writer === writer }.map { answering.remove(at: $0).stream }
  }

  /// Continues after a response: with the next request, or with the end of the connection.
  func next(_ afterwards: Delivery.Afterwards) {
    let connection = connection
    guard connection.isServing, let channel = connection.channel else { return }
    guard afterwards.keepsConnection, !live.isDraining, streams.ending == nil,
      !(channel.inputEnded && codec.bufferedBytes == 0)
    else { return end(by: .close) }
    if case .idle(let end) = afterwards { streams.idleEnd = end }
    if !idleIfAsked() { read() }
  }

  /// Begins the idle end that a response has asked for, if no request is open; false if not.
  func idleIfAsked() -> Bool {
    guard let end = streams.idleEnd, isIdle, connection.isServing else { return false }
    streams.idleEnd = nil
    idle(until: end)
    return true
  }

  /// Waits for the next request, or ends the connection if none arrives.
  private func idle(until end: IdleEnd) {
    switch end.moment {
    case .nextRequest:
      guard codec.servesInOrder else {
        streams.nextRequestEnds = end.ending
        return read()
      }
      // The next request may have arrived during the response.
      if codec.bufferedBytes > 0 { return connection.terminate(by: end.ending) }
      connection.part(by: end.ending)
    case .idle(let length):
      idles += 1
      let turn = idles
      let moment = Moment.now() + length.inNanoseconds
      reactor.schedule(at: moment) { [weak self] _ in
        guard let self, idles == turn, connection.isServing, isIdle, codec.isBetweenRequests else {
          return
        }
        self.end(by: end.ending)
      }
      read()
    }
  }

  // MARK: - Requests

  /// Reads requests until one waits for its response. An immediate response continues this loop
  /// instead of recursing, because a client may pipeline thousands of requests.
  func read() {
    guard !isReading else { return }
    // Retained until the end of the loop, because a request may hand the connection over.
    let connection = connection
    isReading = true
    readRequests(on: connection)
    isReading = false
    if !codec.servesInOrder { flush() }
  }

  private func readRequests(on connection: ServedConnection) {
    var left = Self.eventsPerTurn + (http2?.resets ?? 0) * Self.eventsPerReset
    while connection.isServing {
      // The next request waits until the client has read most of the earlier responses.
      if let channel = connection.channel, channel.isCongested, isIdle || !codec.servesInOrder {
        return awaitRequest(on: channel)
      }
      if codec.servesInOrder, let response = answering.first, response.upload == nil { return }
      if context.streamsContent,
        answering.contains(where: { $0.upload?.isFull(context.limits) == true })
      {
        channel?.pauseReading()
        return
      }
      guard let (stream, event) = codec.next() else {
        channel?.resumeReading()
        guard answering.isEmpty || !incoming.isEmpty else { return }
        return deadline.begin(awaited, on: reactor)
      }
      take(event, on: stream)
      left -= 1
      let resets = http2?.resets ?? 0
      if left <= resets * Self.eventsPerReset, !codec.servesInOrder { return readLater() }
    }
  }

  /// The event that is expected from the client while no response is being sent.
  var awaited: Deadline.Kind {
    guard incoming.isEmpty else { return .request }
    // Undelivered responses have a deadline of their own.
    if !streams.stalled.isEmpty || !streams.undelivered.isEmpty || streams.isConversing {
      return .none
    }
    return codec.isBetweenRequests ? .idle : .request
  }

  /// Waits for the first byte of a request.
  private func awaitRequest(on channel: Channel) {
    if channel.isCongested {
      streams.isReadingLater = true
      channel.pauseReading()
      channel.notifyWhenDrained()
    } else {
      channel.resumeReading()
    }
    if isIdle { deadline.begin(.idle, on: reactor) }
  }

  private func take(_ event: RequestParser.Event, on stream: Int) {
    if case .failed(let error) = event, !codec.servesInOrder, stream != 0 {
      return cancel(stream, error)
    }
    // No other response begins before its request has ended.
    if context.streamsContent, let response = answering.first(where: { $0.stream == stream }) {
      return take(event, of: response)
    }
    // The rest of a request with an early response is skipped.
    let index = incoming.firstIndex { $0.stream == stream }
    switch event {
    case .head(let head): begin(head, on: stream)
    case .content(let data):
      if let index { append(data, at: index) } else { streams.tunnels[stream]?.receive(data) }
    case .trailers: break
    case .end:
      guard let index else {
        streams.tunnels[stream]?.receiveEnd()
        return
      }
      var request = incoming.remove(at: index)
      awaitOldest()
      respond(to: request, request.body.finish(), by: request.handling)
    case .failed(let error): refuse(error)
    }
  }

  private func begin(_ head: RequestHead, on stream: Int) {
    if !codec.servesInOrder, refuses(stream) { return }
    hasHead = true
    if answerKnown(on: stream) { return }
    if head.opensTunnel, let channel {
      streams.tunnels[stream] = StreamTunnel(stream, of: self, on: channel)
    }
    var arrival = deck.noteBegin(isSecure: channel?.isSecure == true)
    let handling = handler.handle(head)
    if case .play(let naming, let handshakes) = handling {
      (arrival.naming, arrival.handshakes) = (naming, handshakes)
    }
    let request = IncomingRequest(stream: stream, head: head, arrival: arrival, handling: handling)
    if case .refuse(let response) = handling { return answer(response, to: request, isLast: true) }
    // An unpaired peer keeps its shorter timeouts while it sends the pairing form, whose response
    // is the last one.
    if case .answerLast = handling {
    } else if deadline.limits != context.limits {
      deadline.limits = context.limits
      deadline.begin(.request, on: reactor)
    }
    incoming.append(request)
    if case .length(let length) = head.framing,
      length <= StreamedContent.wholeBytesMax || !beginUpload(request), refusesContent(length)
    {
      return
    }
    if head.expectsContinue { channel?.write { codec.appendContinue(on: stream, to: &$0) } }
  }

  private func append(_ data: Data, at index: Int) {
    guard context.keepsContent else {
      let room = context.readBytesMax - incoming[index].body.count
      if room > 0 { incoming.append(data.prefix(room), at: index) }
      return
    }
    incoming.append(data, at: index)
    let count = incoming[index].body.count
    if count > StreamedContent.wholeBytesMax, beginUpload(incoming[index]) { return }
    _ = refusesContent(count)
  }

  private func respond(to request: IncomingRequest, _ body: Data, by handling: RequestHandling) {
    switch handling {
    case .answer(let response): answer(response(body), to: request)
    case .answerLast(let response): answer(response(body), to: request, isLast: true)
    // The response was sent after the head.
    case .refuse: break
    case .takeOver(let begin):
      if let own = begin(connection) { respond(to: request, body, by: own) }
    case .play:
      guard let channel else { return }
      let answer = deck.answer(
        request.head,
        body,
        request.arrival,
        on: channel,
        isLast: http1 == nil || codec.isBetweenRequests,
        at: http2.map { StreamPlace(codec: $0, stream: request.stream) }
      )
      proceed(with: answer, on: request.stream)
    }
  }

  /// Continues after a decision of the deck about a complete request.
  func proceed(with answer: DeckResponder.Answer, on stream: Int) {
    switch answer {
    case .sent:
      noteWritten(stream)
      next(.keep)
    case .carried(let exchange):
      carry(exchange, exchange.delivery, on: stream, from: .requestEnd)
    }
  }

  /// Sends a response of the server's own.
  private func answer(_ response: Response, to request: IncomingRequest, isLast: Bool = false) {
    var encoder = ResponseEncoder(request.head, on: request.stream, by: codec)
    channel?.write { encoder.append(response, keepsAlive: !isLast, to: &$0) }
    noteWritten(request.stream)
    if isLast {
      end(by: .close)
    } else {
      next(encoder.keepsAlive ? .keep : .close)
    }
  }

  /// Refuses a request that is not complete in time, and ends the connection.
  func refuseLate() {
    let seconds = Int(deadline.limits.requestSeconds)
    let stream = codec.servesInOrder ? nil : incoming.first?.stream
    refuse(ProtocolError(.tooSlow, "The request took longer than \(seconds) s."), on: stream)
  }

  /// Refuses an invalid request, and ends the connection.
  func refuse(_ error: ProtocolError, on stream: Int? = nil) {
    if codec.servesInOrder {
      (answering, incoming) = ([], [])
    } else {
      cutAll(because: "The connection ended: \(error.sentence)")
    }
    if case .truncated = error.kind {
    } else {
      let response = handler.refusal(error.status, error.sentence)
      channel?.write { bytes in
        codec.appendLast(response, on: stream, to: &bytes)
        _ = codec.appendPending(upTo: .max, to: &bytes)
      }
    }
    connection.terminate(by: .close)
  }

  /// Serves a request that was received before in the same bytes; false if it must be parsed.
  private func answerKnown(_ bytes: UnsafeRawBufferPointer, on channel: Channel) -> Bool {
    guard let http1, isIdle, !isReading, http1.isFresh, let answer = deck.answer(bytes, on: channel)
    else { return false }
    hasHead = true
    switch answer {
    // No other bytes were received.
    case .sent where live.isDraining || channel.inputEnded: connection.terminate(by: .close)
    case .sent: awaitRequest(on: channel)
    case .carried:
      deadline.begin(.none, on: reactor)
      proceed(with: answer, on: HTTP1Codec.stream)
    }
    return true
  }

  /// Sends a response with a player, for a complete request or for one whose content still arrives.
  func carry(
    _ exchange: RequestExchange,
    _ delivery: Delivery,
    on stream: Int,
    receiving upload: StreamedContent? = nil,
    from arrival: Delivery.ClientEvent
  ) {
    let encoder = ResponseEncoder(exchange.head, on: stream, by: codec)
    let player = Player(delivery, shaper: exchange.outcome.shaper, metersLive: true)
    let writer = ResponseWriter(player, of: exchange, by: encoder, to: connection)
    if !answering.isEmpty, exchange.outcome.path?.exchange != nil { wake(at: connection.now) }
    answering.append(OutgoingResponse(stream: stream, writer: writer, upload: upload))
    writer.advance(.arrived(arrival))
  }
}
