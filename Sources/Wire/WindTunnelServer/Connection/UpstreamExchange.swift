internal import Foundation
internal import WindTunnel
internal import WindTunnelSymptoms

/// Forwards one request to the upstream, passes its response to the client, and records both.
///
/// Used only on the loop's thread.
final class UpstreamExchange {
  private let exchange: RequestExchange
  private let upstream: Upstream
  private let origins: OriginContext
  private let reactor: Reactor
  /// The writer if it meters the response; `nil` if bytes are passed on at once.
  private var meter: ResponseWriter?
  private weak var client: ResponseWriter?
  /// The exchange with the upstream, which retains itself until its end.
  private weak var live: ClientExchange?
  /// The recorder of the response, for the cassette and for observers.
  private let recorder: ResponseRecorder

  private var encoder: ResponseEncoder
  private var isOver = false { didSet { if isOver { recorder.endParts() } } }
  /// The encoded bytes that wait for the player.
  private var waiting = ByteQueue()
  private var isHeld = false
  /// Whether the result is being written to disk, so that the client waits for the end of the
  /// response.
  private var isWritten = false
  /// Whether the recording was stopped before the end of the response.
  private var isStopped = false
  /// The time at which the client closed its sending side, which may mean that it left.
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

  /// Whether the head of the response has arrived.
  var hasBegun: Bool { recorder.head != nil }
  /// Whether the client receives the chunks as they arrive.
  private var isRaw: Bool { takesRawChunks && recorder.head?.framing == .chunked }

  private var connection: ServedConnection? { client?.connection }
  private var outcome: Outcome { exchange.outcome }
  private var deck: Deck { origins.deck }
  /// Whether the client's upgrade to WebSocket is forwarded.
  private var asksForUpgrade: Bool { exchange.head.asksForWebSocket }

  // MARK: - The request

  /// Whether the connection to the upstream may be reused.
  ///
  /// A recorded request has its own connection, so that the end of one connection affects no other
  /// recording. A response that is passed on unchanged ends with its connection.
  private var isShared: Bool {
    !recorder.isKept && exchange.upload == nil && !origins.passesMalformed
  }

  /// Whether the client can receive chunks as they arrive, and the end of invalid ones.
  private var takesRawChunks: Bool { origins.passesMalformed && exchange.head.version == .http11 }

  /// Connects, and sends the request when the connection is open.
  func begin() {
    let limits = origins.limits
    var destination = upstream.destination(limits)
    destination.resolver = origins.proxy?.resolver
    // The check applies to reused connections as well, because another client may have opened them.
    destination.refusal = { [self] address in
      origins.proxy?.refusal(of: address, for: client?.channel?.socket.peerAddress)
    }
    var terms = ClientExchange.Terms(patience: .silence, seconds: limits.responseSeconds)
    terms.asksForUpgrade = asksForUpgrade
    terms.takesMalformed = origins.passesMalformed
    terms.takesRawChunks = takesRawChunks
    terms.boundsConnecting = false
    if isShared { (terms.pool, terms.idleSeconds) = (origins.pool, limits.upstreamIdleSeconds) }
    // A reused connection may be closed already, and only idempotent requests can be retried.
    terms.takesKept = RequestHead.idempotentMethods.contains(outcome.request.method)
    let live = ClientExchange(
      exchange.outgoing(to: upstream, recorded: recorder.isKept, endsConnection: !isShared),
      to: destination,
      on: terms,
      by: reactor
    ) { [self] in take($0) }
    self.live = live
    live.begin()
  }

  /// Passes on the content that has arrived, at the speed of the upstream.
  func passContent() { live?.passContent() }

  private func take(_ event: ClientExchange.Event) {
    switch event {
    case .informational(let start): preceded(by: start)
    case .head(let start): began(start)
    case .content(let data): receive(data)
    case .caughtUp: if !isOver { recorder.journalPart() }
    case .sent: connection?.requests.read()
    case .malformed(let error): beginUnread(error)
    case .bytes(let bytes):
      put { $0.append(contentsOf: bytes) }
      holdBack()
    case .surplus(let count):
      exchange.measure?.known.problem =
        "The server sent surplus bytes after the response (\(count)), which were dropped."
    case .upgraded(let start, let channel, let early): upgraded(start, channel, early)
    case .end(let trailers, _): ended(trailers)
    case .failed(let failure): failed(failure)
    }
  }

  private func beginUnread(_ error: ProtocolError) {
    recorder.isUnread = true
    exchange.measure?.known.problem =
      "\(error.sentence) It was passed on unchanged and not recorded."
    deck.couldNotRead(outcome, "the response is invalid, and it was passed on unchanged")
    leaveUndone("the response is passed on unchanged")
  }
}

// MARK: - The response

extension UpstreamExchange {
  /// Passes an interim response on. A client of HTTP/1.0 receives none (RFC 9110 §15.2).
  private func preceded(by start: ResponseStart) {
    recorder.preceded(by: start)
    guard exchange.head.version != .http10, client?.channel != nil else { return }
    encoder.frame(start.head.status, length: nil, keepsAlive: false)
    put { encoder.append(exchange.mapping.shown(start), reason: start.reason, to: &$0) }
    holdBack()
  }

  private func began(_ start: ResponseStart) {
    recorder.began(start)
    guard client?.channel != nil else { return }
    leaveUndone("the response is not a WebSocket")
    let shown = exchange.mapping.shown(start)
    let length: Int? =
      if case .length(let length) = start.framing { length } else {
        // A response to HEAD without a length is passed on without one.
        start.framing == .none && exchange.head.method != "HEAD" ? 0 : nil
      }
    encoder.frame(
      start.head.status,
      length: length,
      // After an early response, the connection ends, so that the rest of the request is not
      // awaited.
      keepsAlive: !origins.closesConnections && exchange.upload?.isWhole != false
    )
    exchange.measure?.take(shown)
    put { encoder.append(shown, reason: start.reason, to: &$0) }
  }

  /// Reports that no fault of the conversation was applied, because there is no conversation.
  private func leaveUndone(_ reason: String) {
    deck.tell(exchange.delivery.liveFaults.map { $0.undone(reason) }, of: outcome)
  }

  private func receive(_ data: Data) {
    recorder.take(data)
    exchange.measure?.known.bytes += data.count
    if isRaw { return }
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
    guard hasBegun, !recorder.isUnread else {
      // The response was passed on unchanged.
      isOver = true
      return clientGetsEnd()
    }
    recorder.ended(trailers)
    let last = live?.takeBytes() ?? []
    keep(.response(recorder.response ?? Response())) { passing in
      passing.put { bytes in
        if passing.isRaw { bytes += last } else { passing.encoder.appendEnd(trailers, to: &bytes) }
      }
      passing.clientGetsEnd()
    }
  }

  private func clientGetsEnd() {
    if let meter { meter.advance(.ended(.down)) } else { clientHasAll() }
  }

  /// Ends the exchange after the last byte was passed to the client.
  func clientHasAll() {
    exchange.finished(.whole)
    let keeps = encoder.keepsAlive && !recorder.isUnread
    if let client { connection?.ended(client, by: .whole(keeps ? .keep : .close)) }
  }

  /// Continues as a WebSocket, and records its messages if the exchange is recorded.
  private func upgraded(_ start: ResponseStart, _ channel: Channel, _ early: Data) {
    guard let connection, connection.channel != nil else { return }
    isOver = true
    // The link meters the WebSocket in both directions.
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
    // The refusal is the proxy's own, so nothing is recorded for the origin.
    case .forbidden(let refusal): refuse(403, "\(refusal)", .whole)
    case .socket(let error) where error.isOwn && !hasBegun:
      deck.couldNotAsk(outcome, "\(error)")
      // RFC 9110 §15.6.4: the response is 503, because the upstream was not contacted.
      refuse(
        503,
        "The upstream was not asked: \(error).",
        .failed(error.symptom),
        notice: "The upstream \(upstream.url) was not asked: \(error)."
      )
    case .stalledContent(let text):
      if let client { connection?.requests.breakOff(client, ProtocolError(.tooSlow, text)) }
    case .message(let error) where error.symptom == .malformedResponse:
      exchange.measure?.known.problem = error.sentence
      fallthrough
    default: failed(failure.symptom, failure.text)
    }
  }

  /// Ends the exchange with a response of the server, because there is no connection to the
  /// upstream.
  private func refuse(
    _ status: Int,
    _ text: String,
    _ ending: ExchangeEnd.Reason,
    notice: String? = nil
  ) {
    isOver = true
    deck.tell(.notAsked(outcome, text), of: outcome)
    leaveUndone("the origin has not answered")
    exchange.measure?.known.status = status
    exchange.finished(ending)
    let channel = client?.channel
    channel?.write { encoder.appendLast(.notice(status, notice ?? text), to: &$0) }
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
      if !hasBegun { client?.write { passing.encoder.appendLast(.notice(502, notice), to: &$0) } }
      if symptom == .connectionLost, hasBegun { client?.reset() } else { client?.close() }
    }
  }

  /// Records the result of the request, and then calls `proceed`.
  ///
  /// If the result is recorded, `proceed` waits until it is on disk. Only this client is delayed.
  private func keep(
    _ result: @autoclosure () -> RecordedResult,
    at time: Duration? = nil,
    then proceed: @escaping (UpstreamExchange) -> Void
  ) {
    isOver = true
    guard recorder.isKept, !recorder.isUnread, client?.channel != nil else { return proceed(self) }
    let result = recorder.interaction(result(), at: time ?? recorder.elapsed)
    let interaction = result.isPart ? result.inWholeLines : result
    isWritten = true
    origins.keep(interaction, for: outcome, before: client?.channel) { [self] in
      isWritten = false
      proceed(self)
    }
  }

  // MARK: - Bytes for the client, at once or when a player passes them

  /// Sends encoded bytes to the client, or queues them for the player.
  private func put(_ write: (inout [UInt8]) -> Void) {
    guard let client = client?.channel else { return }
    guard let meter else { return client.write(with: write) }
    var bytes: [UInt8] = []
    write(&bytes)
    if bytes.isEmpty { return }
    bytes.withUnsafeBytes { waiting.append($0) }
    meter.advance(.came(.down, bytes.count))
  }

  /// Sends a number of the waiting bytes.
  func pass(_ count: Int) {
    guard count > 0 else { return }
    client?.channel?.write(waiting.take(atMost: count))
  }

  func hold(_ isHeld: Bool) {
    self.isHeld = isHeld
    updateReading()
  }

  /// Continues after the client has read the queued bytes.
  func clientDrained() {
    updateReading()
    meter?.carry()
  }

  private func updateReading() {
    live?.pauseReading(isHeld || client?.channel?.isCongested == true)
  }

  // MARK: - Waiting

  /// Processes the end of the client's bytes. The client may still read, or may have left, which
  /// only sending can show.
  func clientEnded() {
    guard client?.channel != nil else { return }
    clientEnd = clientEnd ?? recorder.elapsed
    let before = live?.lastMove
    let seconds = origins.limits.halfClosedSeconds
    reactor.schedule(after: Int64(nanosecondsOf: seconds)) { [weak self] _ in
      guard let self, !isOver || isWritten else { return }
      // The exchange has made progress since, or the client is waiting for the recording.
      if live?.lastMove != before || isWritten { return clientEnded() }
      // The end of the channel is then reported as usual.
      client?.channel?.abandon()
    }
  }

  /// Notes that the recording was stopped before the end of the response.
  func stop() {
    isStopped = true
    exchange.finished(.stopped)
  }

  /// Ends the exchange because the client has left. The response so far is recorded as cancelled.
  func clientLeft() {
    defer { exchange.finished(.clientLeft) }
    // A result that has ended is recorded as it is, even if it is still being written.
    guard !isOver else { return }
    isOver = true
    recorder.show(isWhole: false)
    live?.cancel()
    // The stop of the recording closed the connection, not the client. Only a recording with a
    // journal keeps parts.
    let isCut = isStopped && clientEnd == nil
    if isCut, !hasBegun || deck.recordingJournal == nil { return }
    let failure = isCut ? Interaction.cut : Failure(.cancelled, text: "the client left")
    keep(
      recorder.result(endedBy: failure, keepsEncoded: false),
      at: clientEnd ?? recorder.elapsed
    ) { _ in }
  }
}
