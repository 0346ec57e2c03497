internal import Foundation
internal import WindTunnel

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
      case .answering, .forwarding:
        guard let upload else { return }
        if upload.isFull(house.options.limits) {
          channel?.pauseReading()
          return
        }
        guard let event = parser.next() else {
          channel?.resumeReading()
          return
        }
        take(event, of: upload)
        continue
      case .parting, .opening, .tunnelling, .relaying, .stalled, .ended: return
      }
      guard let event = parser.next() else { break }
      switch event {
      case .head(let head): begin(head)
      case .content(let data):
        guard house.keepsContent else { continue }
        guard case .receiving(let head, var body) = state else { continue }
        state = .idle
        body.append(data)
        if body.count > Upload.wholeBytesMax, beginUpload(head, body) { continue }
        if refusesContent(body.count) { return }
        state = .receiving(head, body)
      case .trailers: break
      case .end:
        guard case .receiving(let head, var body) = state else { continue }
        answer(head, body.finish())
      case .failed(let error): return refuse(error)
      }
    }
    channel?.resumeReading()
    deadline.begin(parser.isBetweenRequests ? .idle : .request, on: reactor)
  }

  /// Notes when a request began.
  func noteBegin(at moment: Moment = .now()) {
    requestStart = moment
    handshake = !hasAsked && channel?.isSecure == true ? .nanoseconds(requestStart - start) : nil
    hasAsked = true
  }

  private func begin(_ head: RequestHead) {
    state = .receiving(head, Spool())
    noteBegin()
    if let refusal = house.refusalOfStranger(head) { return turnAway(refusal) }
    guard isLetIn(head) else { return }
    var isStreamed = false
    if case .length(let length) = head.framing {
      isStreamed = length > Upload.wholeBytesMax && beginUpload(head, Spool())
      if !isStreamed, refusesContent(length) { return }
    }
    if head.expectsContinue { channel?.write(Array("HTTP/1.1 100 Continue\r\n\r\n".utf8)) }
  }

  func refuse(_ error: ProtocolError) {
    state = .ended
    if case .truncated = error.kind {
      channel?.close()
    } else {
      let text = Array("\(error.sentence)\n".utf8)
      channel?.write { bytes in
        bytes.appendHead(
          ResponseHead(
            status: error.status,
            headers: [
              "Content-Type": "text/plain; charset=utf-8", "Content-Length": String(text.count),
              "Connection": "close",
            ]
          )
        )
        bytes.append(contentsOf: text)
      }
      channel?.close()
    }
  }

  private func answer(_ head: RequestHead, _ body: Data) {
    deadline.begin(.none, on: reactor)
    if answerForm(head, body) { return }
    if answerAsAdmin(head, body) || answerAsProxy(head) { return }
    if let refusal = refusal(ofUpgradeIn: head) { return answer(refusal, to: head) }
    let authority = authority(of: head)
    let request = authority.request(head, body)
    let (outcome, prepared) = decide(request)
    know(prepared, head)
    give(outcome, to: head, authority)
  }

  /// Gives a request that is here what was decided for it.
  func give(
    _ outcome: Outcome,
    to head: RequestHead,
    _ naming: @autoclosure () -> Authority
  ) {
    tellRequestEnd(of: outcome)
    let isUnwatched = house.desk == nil && house.options.received == nil
    if isUnwatched, answerPlainly(outcome, to: head) {
      house.deck.passed(.firstByte, of: outcome)
      house.deck.finished(outcome)
      return next(keeps: true)
    }
    let authority = naming()
    let delivery = house.deck.delivery(of: outcome, on: .onTheWire)
    if outcome.path == nil, isUnwatched, let channel, !channel.isCongested,
      let whole = delivery.whole, whole.body.count <= Performance.sliceBytes
    {
      let keeps = channel.write(whole.head, whole.body, to: head, as: authority, in: house)
      keepPlainAnswer(whole, outcome, to: head)
      house.deck.passed(.firstByte, of: outcome)
      house.deck.finished(outcome)
      return next(keeps: keeps)
    }
    perform(head, outcome, authority, delivery, nil)
  }

  /// All of a request is here that has been decided before.
  func tellRequestEnd(of outcome: Outcome) {
    let upload = Duration.nanoseconds(Moment.now() - requestStart)
    house.deck.passed(.requestEnd(handshake: handshake, upload: upload), of: outcome)
  }

  func decide(_ request: Request) -> (outcome: Outcome, prepared: PreparedRequest) {
    var (outcome, prepared) = house.deck.prepareAndDecide(request, lane: house.lane, at: Date())
    if let opened {
      outcome.path?.handshakes = opened.takeHandshakes()
    } else if handshake != nil {
      outcome.path?.isSecured = true
    }
    return (outcome, prepared)
  }

  /// Begins an answer, to a request that is here or to one whose content is still coming.
  func perform(
    _ head: RequestHead,
    _ outcome: Outcome,
    _ authority: Authority,
    _ delivery: Delivery,
    _ upload: Upload?
  ) {
    let player = Player(
      delivery,
      shaper: outcome.shaper,
      metersLive: true
    )
    let exchange = Performance.Exchange(head, outcome, authority, delivery)
    exchange.watch = RequestWatch(outcome, in: house)
    exchange.upload = upload?.isPassedOn == true ? upload : nil
    let performance = Performance(player, for: exchange, in: house)
    state = .answering(performance)
    advance(performance, .arrived(upload == nil ? .requestEnd : .requestHead))
  }

  func authority(of head: RequestHead) -> Authority {
    if let opened { return Authority(of: head, named: opened.naming) }
    let scheme = channel?.isSecure == true ? "https" : "http"
    let authority = Authority(of: head, in: house, by: scheme, after: naming)
    naming = authority.naming
    return authority
  }
}
