internal import WindTunnel

// Requests whose responses begin before their content has arrived.
extension ServedRequests {
  /// Returns whether content of this size is too large. If so, the request is refused and the
  /// connection ends.
  func refusesContent(_ count: Int) -> Bool {
    // Without streaming, the codec checks the size.
    guard context.streamsContent, count > context.limits.bodyBytesMax else { return false }
    refuse(.tooLarge(context.limits))
    return true
  }

  /// Decides a request by its head; false if its complete content is needed first.
  func beginUpload(_ request: IncomingRequest) -> Bool {
    guard context.streamsContent, case .play = request.handling else { return false }
    // A link needs to know the length.
    if request.head.framing == .chunked, context.deck.scenario.link != nil { return false }
    guard let (exchange, upload) = deck.begin(request.head, request.arrival) else { return false }
    // The upstream's own timeout ends an upload that stalls.
    if upload.isPassedOn { deadline.begin(.none, on: reactor) }
    incoming.removeAll { $0.stream == request.stream }
    var request = request
    upload.append(request.body.finish())
    let delivery = exchange.delivery.passingContent ?? exchange.delivery
    carry(exchange, delivery, on: request.stream, receiving: upload, from: .requestHead)
    return true
  }

  /// Handles the rest of a request whose response has begun.
  func take(_ event: RequestParser.Event, of response: OutgoingResponse) {
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
