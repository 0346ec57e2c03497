internal import Foundation
internal import WindTunnel
internal import WindTunnelSymptoms

/// One request passed to the upstream, its answer passed back while it comes, and both kept.
///
/// On the loop's thread only.
final class UpstreamExchange {
  private let exchange: RequestExchange
  private let upstream: Upstream
  private let origins: OriginContext
  private let reactor: Reactor
  /// The writer if it meters what passes; `nil`: everything passes at once.
  private var meter: ResponseWriter?
  private weak var client: ResponseWriter?
  /// The exchange with the upstream, which lives as long as it takes.
  private weak var live: ClientExchange?
  /// The response as it is kept and shown.
  private let recorder: ResponseRecorder

  private var encoder: ResponseEncoder
  private var isOver = false { didSet { if isOver { recorder.endParts() } } }
  /// The bytes that wait for the player, as they will stand on the wire.
  private var waiting = ByteQueue()
  private var isHeld = false
  /// Tells whether the answer is being written down, and the client waits for the end of it.
  private var isWritten = false
  /// Tells whether the recording ends before the answer does.
  private var isStopped = false
  /// The time at which the client was seen to send no more, which may be its leaving.
  private var clientEnd: Duration?

  init(
    _ exchange: RequestExchange,
    _ upstream: Upstream,
    answering encoder: ResponseEncoder,
    for client: ResponseWriter,
    isMetered: Bool,
    on reactor: Reactor
  ) {
    (self.exchange, self.upstream, origins) = (exchange, upstream, exchange.mapping.context)
    (self.encoder, recorder) = (encoder, ResponseRecorder(of: exchange, on: reactor))
    (self.client, meter, self.reactor) = (client, isMetered ? client : nil, reactor)
  }

  /// Tells whether the client has a part of the answer.
  var hasBegun: Bool { recorder.head != nil }

  private var connection: ServedConnection? { client?.connection }
  private var outcome: Outcome { exchange.outcome }
  private var deck: Deck { origins.deck }
  /// Tells whether the client's wish to go on in another protocol is passed on.
  private var asksForUpgrade: Bool { exchange.head.asksForWebSocket }

  // MARK: - The request

  /// Tells whether the connection may have been another request's and may become one's.
  ///
  /// A request that is recorded has a connection of its own, so that how one ends says nothing
  /// about another.
  /// A response that is passed on unchanged ends with its connection.
  private var isShared: Bool {
    !recorder.isKept && exchange.upload == nil && !origins.passesMalformed
  }

  /// Connects; the request goes out as soon as the connection is there.
  func begin() {
    let limits = origins.limits
    var destination = upstream.destination(limits)
    destination.resolver = origins.proxy?.resolver
    // A connection that another client has opened may lead to where this one is not connected to.
    destination.refusal = { [self] address in
      origins.proxy?.refusal(of: address, for: client?.channel?.socket.peerAddress)
    }
    var terms = ClientExchange.Terms(patience: .silence, seconds: limits.responseSeconds)
    terms.asksForUpgrade = asksForUpgrade
    terms.takesMalformed = origins.passesMalformed
    terms.boundsConnecting = false
    if isShared { (terms.pool, terms.idleSeconds) = (origins.pool, limits.upstreamIdleSeconds) }
    // A connection may be dead without anybody knowing, and the others cannot be tried again.
    terms.takesKept = RequestHead.idempotentMethods.contains(outcome.request.method)
    let live = ClientExchange(outgoing, to: destination, on: terms, by: reactor) { [self] in
      take($0)
    }
    self.live = live
    live.begin()
  }

  private var outgoing: OutgoingRequest {
    let request = outcome.request
    var headers = request.headers
    if recorder.isKept, !origins.keepsEncodings { headers.acceptOnlyOpenedCodings() }
    if asksForUpgrade {
      if exchange.delivery.liveFaults.needPlainMessages {
        headers.remove("Sec-WebSocket-Extensions")
      } else if recorder.isKept {
        headers.keepReadExtensions()
      }
      headers.append("Connection", "Upgrade")
      headers.append("Upgrade", "websocket")
    }
    return OutgoingRequest(
      request.method,
      // Known by the recorded name, an upstream says that name wherever it speaks of itself.
      to: (recorder.isKept ? origins.recordedOrigin : nil) ?? upstream.url,
      request.url.target,
      headers,
      exchange.upload.map { SentContent($0) } ?? SentContent(request.body.data),
      endsConnection: !isShared && !asksForUpgrade,
      takesTrailers: !asksForUpgrade && exchange.head.headers.contains(token: "trailers", in: "TE")
    )
  }

  /// Passes on the content that has come, as fast as the upstream takes it.
  func passContent() { live?.passContent() }

  private func take(_ event: ClientExchange.Event) {
    switch event {
    case .head(let start): began(start)
    case .content(let data): receive(data)
    case .caughtUp: if !isOver { recorder.journalPart() }
    case .sent: connection?.requests.read()
    case .malformed(let error): beginUnread(error)
    case .bytes(let bytes):
      put { $0.append(contentsOf: bytes) }
      holdBack()
    case .upgraded(let start, let channel, let early): upgraded(start, channel, early)
    case .end(let trailers, _): ended(trailers)
    case .failed(let failure): failed(failure)
    }
  }

  private func beginUnread(_ error: ProtocolError) {
    recorder.isUnread = true
    exchange.measure?.known.problem = error.sentence
    deck.couldNotRead(outcome, "its head is invalid, and it was passed on unchanged")
    leaveUndone("the response is passed on unchanged")
  }
}

extension HeaderFields {
  /// Offers no extension of WebSocket but those that can be read here (RFC 6455 §9.1).
  fileprivate mutating func keepReadExtensions() {
    let name = "Sec-WebSocket-Extensions"
    let offers = (WebSocketExtension.list(values(name)) ?? []).filter { $0.isRead }
    remove(name)
    if !offers.isEmpty { append(name, offers.map(\.description).joined(separator: ", ")) }
  }
}

// MARK: - The answer

extension UpstreamExchange {
  private func began(_ start: ResponseStart) {
    recorder.began(start)
    guard client?.channel != nil else { return }
    leaveUndone("the answer is no WebSocket")
    var shown = start.head
    exchange.mapping.localise(&shown)
    // RFC 9110 §7.6.1: what speaks of the origin's connection says nothing about the client's.
    shown.headers.removeConnectionFields(keepingCoding: start.framing == .chunked)
    let length: Int? =
      if case .length(let length) = start.framing { length } else {
        // An answer to HEAD that leaves the length open leaves it open to the client, too.
        start.framing == .none && exchange.head.method != "HEAD" ? 0 : nil
      }
    encoder.frame(
      start.head.status,
      length: length,
      // What is left of a request that is answered early is not waited for.
      keepsAlive: !origins.closesConnections && exchange.upload?.isWhole != false
    )
    exchange.measure?.take(shown)
    put { encoder.append(shown, reason: start.reason, to: &$0) }
  }

  /// Tells that no fault of a conversation is done, since there is none.
  private func leaveUndone(_ reason: String) {
    deck.tell(exchange.delivery.liveFaults.map { $0.undone(reason) }, of: outcome)
  }

  private func receive(_ data: Data) {
    recorder.take(data)
    exchange.measure?.known.bytes += data.count
    put { encoder.append(data, to: &$0) }
    holdBack()
  }

  /// Reads the upstream no faster than the client reads.
  private func holdBack() {
    if let client = client?.channel, client.isCongested {
      live?.pauseReading(true)
      client.notifyWhenDrained()
    }
  }

  private func ended(_ trailers: HeaderFields) {
    guard hasBegun else {
      // It was passed on unchanged.
      isOver = true
      return clientGetsEnd()
    }
    recorder.ended(trailers)
    keep(.response(recorder.response ?? Response())) { passing in
      passing.put { passing.encoder.appendEnd(trailers, to: &$0) }
      passing.clientGetsEnd()
    }
  }

  private func clientGetsEnd() {
    if let meter { meter.advance(.ended(.down)) } else { clientHasAll() }
  }

  /// The last byte is with the client.
  func clientHasAll() {
    exchange.finished(.whole)
    if let client { connection?.ended(client, by: .whole(encoder.keepsAlive ? .keep : .close)) }
  }

  /// Goes on in the other protocol, and reads along where the exchange is recorded.
  private func upgraded(_ start: ResponseStart, _ channel: Channel, _ early: Data) {
    guard let connection, connection.channel != nil else { return }
    isOver = true
    // What follows is metered by the link of both ways.
    meter = nil
    exchange.measure?.known.status = start.head.status
    let recorder = ConversationRecorder(
      exchange,
      behind: start.head,
      after: recorder.elapsed,
      on: channel,
      to: connection.channel
    )
    connection.relay(
      exchange,
      answering: start,
      to: channel,
      with: early,
      observing: recorder.map { $0.observe }
    )
  }

  private func failed(_ failure: ExchangeFailure) {
    switch failure {
    // That says nothing about the host, so nothing is kept.
    case .forbidden(let refusal): refuse(403, "\(refusal)", .whole)
    case .socket(let error) where error.isOwn && !hasBegun:
      deck.couldNotAsk(outcome, "\(error)")
      // RFC 9110 §15.6.4: nothing is said of the upstream, which was not asked.
      refuse(
        503,
        "The upstream was not asked: \(error).",
        .failed(error.symptom),
        notice: "The upstream \(upstream.url) was not asked: \(error)."
      )
    case .stalledContent(let text):
      if let client { connection?.requests.breakOff(client, ProtocolError(.tooSlow, text)) }
    case .message(let error) where !hasBegun && error.symptom == .malformedResponse:
      exchange.measure?.known.problem = error.sentence
      fallthrough
    default: failed(failure.symptom, failure.text)
    }
  }

  /// Ends the exchange for want of a connection to the upstream.
  private func refuse(
    _ status: Int,
    _ text: String,
    _ ending: ExchangeEnd.Ending,
    notice: String? = nil
  ) {
    isOver = true
    deck.tell(.notAsked(outcome, text), of: outcome)
    leaveUndone("the origin has not answered")
    exchange.measure?.known.status = status
    exchange.finished(ending)
    let channel = client?.channel
    channel?.write { encoder.appendNotice(status, notice ?? text, to: &$0) }
    channel?.close()
  }

  private func failed(_ symptom: Symptom, _ text: String) {
    let failure = Failure(
      symptom,
      text: recorder.isKept ? exchange.mapping.recorded(text, of: upstream) : text
    )
    if !hasBegun, client?.channel != nil { leaveUndone("the origin has not answered") }
    recorder.show(isWhole: false)
    keep(recorder.result(endedBy: failure, keepsEncoded: true)) { passing in
      let (hasBegun, client) = (passing.hasBegun, passing.client?.channel)
      if !hasBegun { passing.exchange.measure?.known.status = 502 }
      passing.exchange.finished(.failed(symptom))
      passing.pass(passing.waiting.count)
      let notice = "The upstream \(passing.upstream.url) failed: \(text.withoutFullStop)."
      if !hasBegun { client?.write { passing.encoder.appendNotice(502, notice, to: &$0) } }
      if symptom == .connectionLost, hasBegun { client?.reset() } else { client?.close() }
    }
  }

  /// Keeps what came of the request. What the client gets then waits until that is written down,
  /// and nobody but this client waits for it.
  private func keep(
    _ result: @autoclosure () -> RecordedResult,
    at time: Duration? = nil,
    then proceed: @escaping (UpstreamExchange) -> Void
  ) {
    isOver = true
    guard recorder.isKept, !recorder.isUnread, client?.channel != nil else { return proceed(self) }
    let interaction = recorder.interaction(result(), at: time ?? recorder.elapsed)
    isWritten = true
    origins.keep(interaction, for: outcome, before: client?.channel) { [self] in
      isWritten = false
      proceed(self)
    }
  }

  // MARK: - What comes back goes to the client at once, or when a player says so

  /// Hands bytes over as they will stand on the wire.
  private func put(_ write: (inout [UInt8]) -> Void) {
    guard let client = client?.channel else { return }
    guard let meter else { return client.write(with: write) }
    var bytes: [UInt8] = []
    write(&bytes)
    if bytes.isEmpty { return }
    bytes.withUnsafeBytes { waiting.append($0) }
    meter.advance(.came(.down, bytes.count))
  }

  /// Lets so many of the bytes that wait go.
  func pass(_ count: Int) {
    guard count > 0 else { return }
    client?.channel?.write(waiting.take(atMost: count))
  }

  func hold(_ isHeld: Bool) {
    self.isHeld = isHeld
    updateReading()
  }

  /// The client has taken what was queued.
  func clientDrained() {
    updateReading()
    meter?.carry()
  }

  private func updateReading() {
    live?.pauseReading(isHeld || client?.channel?.isCongested == true)
  }

  // MARK: - Waiting

  /// The client sends no more: it may still read, or have left, which only bytes to it can show.
  func clientEnded() {
    guard client?.channel != nil else { return }
    clientEnd = clientEnd ?? recorder.elapsed
    let before = live?.lastMove
    let seconds = origins.limits.halfClosedSeconds
    reactor.schedule(after: Int64(nanosecondsOf: seconds)) { [weak self] _ in
      guard let self, !isOver || isWritten else { return }
      // It is only now that the client gets what it waits for.
      if live?.lastMove != before || isWritten { return clientEnded() }
      // It is told of that as of any end.
      client?.channel?.abandon()
    }
  }

  /// The recording ends before the answer does.
  func stop() {
    isStopped = true
    exchange.finished(.stopped)
  }

  /// The client is gone; what came until then is kept as what it left.
  func clientLeft() {
    defer { exchange.finished(.clientLeft) }
    // What has come to its end is kept as that, though it may be that it is still being written
    // down.
    guard !isOver else { return }
    isOver = true
    recorder.show(isWhole: false)
    live?.cancel()
    // Where the recording ends nobody has left.
    if isStopped, clientEnd == nil { return }
    let failure = Failure(.cancelled, text: "the client left")
    keep(
      recorder.result(endedBy: failure, keepsEncoded: false),
      at: clientEnd ?? recorder.elapsed
    ) { _ in }
  }
}
