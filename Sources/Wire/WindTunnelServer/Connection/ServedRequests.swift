internal import Foundation
internal import WindTunnel

/// The requests of one connection, from their first bytes to the end of their responses.
///
/// A codec reads and writes the protocol, a handler decides about each request, and a stream number
/// identifies it. Owned by its connection; on the loop's thread only.
final class ServedRequests {
  private unowned let connection: ServedConnection
  private let context: PortContext
  private let reactor: Reactor
  private let handler: any RequestHandler
  private let deadline: Deadline
  private let live: LiveConnections
  let codec: any ConnectionCodec
  /// The codec if it is HTTP/1.1, by which a request may be known by its bytes.
  private let http1: HTTP1Codec?
  var deck: DeckResponder
  /// Whether the head of a request has arrived.
  private(set) var hasHead = false
  private var isReading = false
  /// The requests that are being received.
  private var incoming: [IncomingRequest] = []
  /// The responses that are being sent.
  private var answering: [OutgoingResponse] = []
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

  private var channel: Channel? { connection.channel }
  /// Whether no request is being received and no response is being sent.
  private var isIdle: Bool { incoming.isEmpty && answering.isEmpty }
  /// Whether a response is being sent.
  var isAnswering: Bool { !answering.isEmpty }

  // MARK: - Events of the connection

  func receive(_ bytes: UnsafeRawBufferPointer, on channel: Channel) {
    if answerKnown(bytes, on: channel) { return }
    codec.feed(bytes)
    // Requests in advance wait in the system's buffers once there are enough of them here.
    if codec.bufferedBytes > context.limits.queuedBytesMax { channel.pauseReading() }
    read()
    deck.forgetSpelling()
  }

  func clientEnded(on channel: Channel) {
    codec.feedEnd()
    // A client that sends no more may still read; if it has left, the response fails.
    let whole = answering.filter { $0.upload == nil }.map { $0.writer }
    let wasAnswering = !answering.isEmpty
    if whole.isEmpty || !codec.servesInOrder { read() }
    for writer in whole { writer.clientEnded() }
    // Requests that wait for earlier responses are still served.
    guard !wasAnswering, connection.isServing, isIdle else { return }
    if codec.bufferedBytes == 0 || !channel.isCongested { channel.close() }
  }

  /// Continues after the client has read the queue.
  func clientDrained() {
    if isIdle { return read() }
    for response in answering { response.writer.clientDrained() }
  }

  /// Ends all responses, since the client's connection has ended.
  func clientLeft() {
    for response in answering { response.writer.clientLeft() }
    answering = []
  }

  /// Ends all responses, since the server stops.
  func stop() { for response in answering { response.writer.stopped() } }

  /// Ends all requests for another protocol; returns the bytes that were received for it.
  func takeRemainder() -> Data {
    answering = []
    return codec.takeRemainder()
  }

  func remove(_ writer: ResponseWriter) { answering.removeAll { $0.writer === writer } }

  /// Continues after a response: with the next request, or with the end of the connection.
  func next(_ afterwards: Delivery.Afterwards) {
    guard connection.isServing, let channel else { return }
    guard afterwards.keepsConnection, !live.isDraining,
      !(channel.inputEnded && codec.bufferedBytes == 0)
    else {
      if answering.isEmpty { connection.terminate(by: .close) }
      return
    }
    if case .idle(let end) = afterwards, isIdle { return idle(until: end) }
    read()
  }

  /// Waits for the next request, or ends the connection if none arrives.
  private func idle(until end: IdleEnd) {
    switch end.moment {
    case .nextRequest:
      // It may have arrived during the response.
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
        connection.terminate(by: end.ending)
      }
      read()
    }
  }

  // MARK: - Requests

  /// Reads requests until one waits for its response. An immediate response continues this loop and
  /// does not recurse: a client may send thousands of requests in advance.
  func read() {
    guard !isReading else { return }
    isReading = true
    defer { isReading = false }
    // Held until the end of the loop, also if a request hands it over.
    let connection = connection
    while connection.isServing {
      // The next request waits until the client has read most of the earlier responses.
      if isIdle, let channel, channel.isCongested { return awaitRequest(on: channel) }
      if codec.servesInOrder, let response = answering.first, response.upload == nil { return }
      if answering.contains(where: { $0.upload?.isFull(context.limits) == true }) {
        channel?.pauseReading()
        return
      }
      guard let (stream, event) = codec.next() else {
        channel?.resumeReading()
        guard answering.isEmpty || !incoming.isEmpty else { return }
        let isWaiting = incoming.isEmpty && codec.isBetweenRequests
        return deadline.begin(isWaiting ? .idle : .request, on: reactor)
      }
      take(event, on: stream)
    }
  }

  /// Waits for the first byte of a request.
  private func awaitRequest(on channel: Channel) {
    if channel.isCongested {
      channel.pauseReading()
      channel.notifyWhenDrained()
    } else {
      channel.resumeReading()
    }
    deadline.begin(.idle, on: reactor)
  }

  private func take(_ event: RequestParser.Event, on stream: Int) {
    if case .failed = event, !codec.servesInOrder, cancel(stream) { return }
    if let response = answering.first(where: { $0.stream == stream }) {
      return take(event, of: response)
    }
    // The rest of a request with an early response is skipped.
    let index = incoming.firstIndex { $0.stream == stream }
    switch event {
    case .head(let head): begin(head, on: stream)
    case .content(let data): if let index { append(data, at: index) }
    case .trailers: break
    case .end:
      guard let index else { return }
      var request = incoming.remove(at: index)
      if incoming.isEmpty { deadline.begin(.none, on: reactor) }
      respond(to: request, request.body.finish(), by: request.handling)
    case .failed(let error): refuse(error)
    }
  }

  /// Ends one of several requests; false if there is none on this stream.
  private func cancel(_ stream: Int) -> Bool {
    let count = incoming.count + answering.count
    for response in answering where response.stream == stream { response.writer.clientLeft() }
    answering.removeAll { $0.stream == stream }
    incoming.removeAll { $0.stream == stream }
    if incoming.isEmpty { deadline.begin(.none, on: reactor) }
    return incoming.count + answering.count < count
  }

  private func begin(_ head: RequestHead, on stream: Int) {
    hasHead = true
    var arrival = deck.noteBegin(isSecure: channel?.isSecure == true)
    let handling = handler.handle(head)
    if case .play(let naming, let handshakes) = handling {
      (arrival.naming, arrival.handshakes) = (naming, handshakes)
    }
    let request = IncomingRequest(stream: stream, head: head, arrival: arrival, handling: handling)
    if case .refuse(let response) = handling { return answer(response, to: request, isLast: true) }
    // A peer that is not served yet sends a form for the last response.
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
      if room > 0 { incoming[index].body.append(data.prefix(room)) }
      return
    }
    incoming[index].body.append(data)
    let count = incoming[index].body.count
    if count > StreamedContent.wholeBytesMax, beginUpload(incoming[index]) { return }
    _ = refusesContent(count)
  }

  private func respond(to request: IncomingRequest, _ body: Data, by handling: RequestHandling) {
    switch handling {
    case .answer(let response): answer(response(body), to: request)
    case .answerLast(let response): answer(response(body), to: request, isLast: true)
    // Given by the head alone.
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
        isLast: codec.isBetweenRequests
      )
      switch answer {
      case .sent: next(.keep)
      case .carried(let exchange):
        carry(exchange, exchange.delivery, on: request.stream, from: .requestEnd)
      }
    }
  }

  /// Sends a response of the server's own.
  private func answer(_ response: Response, to request: IncomingRequest, isLast: Bool = false) {
    var encoder = ResponseEncoder(request.head, on: request.stream, by: codec)
    encoder.frame(response.status, length: response.body.data.count, keepsAlive: !isLast)
    channel?.write { encoder.append(response, to: &$0) }
    if isLast {
      connection.terminate(by: .close)
    } else {
      next(encoder.keepsAlive ? .keep : .close)
    }
  }

  /// Refuses an invalid request, and ends the connection.
  func refuse(_ error: ProtocolError) {
    if codec.servesInOrder { (answering, incoming) = ([], []) }
    if case .truncated = error.kind {
    } else {
      let response = handler.refusal(error.status, error.sentence)
      channel?.write { codec.appendLast(response, on: nil, to: &$0) }
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
    case .carried(let exchange):
      deadline.begin(.none, on: reactor)
      carry(exchange, exchange.delivery, on: HTTP1Codec.stream, from: .requestEnd)
    }
    return true
  }

  /// Sends a response by a player, to a whole request or to one whose content still arrives.
  private func carry(
    _ exchange: RequestExchange,
    _ delivery: Delivery,
    on stream: Int,
    receiving upload: StreamedContent? = nil,
    from arrival: Delivery.Arrival
  ) {
    let encoder = ResponseEncoder(exchange.head, on: stream, by: codec)
    let player = Player(delivery, shaper: exchange.outcome.shaper, metersLive: true)
    let writer = ResponseWriter(player, of: exchange, by: encoder, to: connection)
    answering.append(OutgoingResponse(stream: stream, writer: writer, upload: upload))
    writer.advance(.arrived(arrival))
  }

  // MARK: - Content that is passed on

  /// Whether content of this size is refused; ends the connection if so.
  private func refusesContent(_ count: Int) -> Bool {
    // Otherwise the codec has checked it.
    guard context.streamsContent, count > context.limits.bodyBytesMax else { return false }
    refuse(.tooLarge(context.limits))
    return true
  }

  /// Decides a request by its head, because nothing needs its whole content; false if the content
  /// must be read first.
  private func beginUpload(_ request: IncomingRequest) -> Bool {
    guard context.streamsContent, case .play = request.handling else { return false }
    // A link needs to know the length.
    if request.head.framing == .chunked, context.deck.scenario.link != nil { return false }
    guard let (exchange, upload) = deck.begin(request.head, request.arrival) else { return false }
    // A long upload takes its time; the upstream's own limit ends one that stalls.
    if upload.isPassedOn { deadline.begin(.none, on: reactor) }
    incoming.removeAll { $0.stream == request.stream }
    var request = request
    upload.append(request.body.finish())
    let delivery = exchange.delivery.passingContent ?? exchange.delivery
    carry(exchange, delivery, on: request.stream, receiving: upload, from: .requestHead)
    return true
  }

  /// Handles the rest of a request whose response has begun.
  private func take(_ event: RequestParser.Event, of response: OutgoingResponse) {
    let writer = response.writer
    switch event {
    case .content(let data):
      response.upload?.append(data)
      writer.contentCame()
    case .end:
      guard let upload = response.upload, let exchange = writer.exchange else { return }
      for index in answering.indices where answering[index].writer === writer {
        answering[index].upload = nil
      }
      upload.isWhole = true
      if incoming.isEmpty { deadline.begin(.none, on: reactor) }
      exchange.measure?.restart()
      deck.noteEnd(of: exchange.outcome, exchange.arrival)
      writer.contentEnded()
    case .failed(let error): breakOff(writer, error)
    case .head, .trailers: break
    }
  }

  /// Ends a request that is cut off after its response has begun.
  func breakOff(_ writer: ResponseWriter, _ error: ProtocolError) {
    let index = answering.firstIndex { $0.writer === writer }
    if let index { answering.remove(at: index) }
    guard index != nil, writer.requestBrokeOff() else { return refuse(error) }
    connection.terminate(by: .close)
  }
}

/// A request that is being received.
private struct IncomingRequest {
  let stream: Int
  let head: RequestHead
  let arrival: RequestArrival
  let handling: RequestHandling
  var body = Spool()
}

/// A response that is being sent.
private struct OutgoingResponse {
  let stream: Int
  let writer: ResponseWriter
  /// The rest of its request; `nil` if the request is whole.
  var upload: StreamedContent?
}
