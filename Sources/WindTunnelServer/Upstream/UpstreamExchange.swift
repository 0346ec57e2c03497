internal import Foundation
internal import WindTunnel
internal import WindTunnelSymptoms

/// The client's side of an exchange with an upstream.
protocol UpstreamClient: AnyObject {
  /// The client's connection; `nil` once that has ended.
  var channel: Channel? { get }
  /// The answer is with the client.
  func answered(keepsAlive: Bool)
  /// Reads more of the request's content.
  func read()
  /// Ends a request whose content does not come to its end.
  func breakOff(_ error: ProtocolError)
  /// Passes on the answer to an upgrade, and both ways whatever comes behind it; `early` is what
  /// the upstream has said in the other protocol.
  func relay(
    _ exchange: RequestExchange,
    to upstream: Channel,
    behind answer: ResponseStart,
    early: Data,
    observing observe: ((Relay.Side, Relay.Event) -> Void)?
  )
}

/// The player of an exchange, where it says what passes when.
protocol UpstreamMeter: AnyObject {
  /// Tells the player of an event, and does what it says.
  func advance(_ event: Player.Event)
  /// Goes on with what the player said, as far as the client takes it.
  func carry()
}

/// One request passed to the upstream, its answer passed back while it comes, and both kept.
///
/// On the loop's thread only.
final class UpstreamExchange {
  private let exchange: RequestExchange
  private let upstream: Upstream
  private let origins: OriginContext
  private let reactor: Reactor
  /// The player; `nil`: everything passes at once.
  private var meter: (any UpstreamMeter)?
  private weak var client: (any UpstreamClient)?
  private var request: UpstreamRequest
  /// The search for a connection, which lives as long as it takes.
  private weak var connector: OriginConnector?
  private var channel: Channel?
  private var parser = ResponseParser()
  private let start = Moment.now()

  private var answer: ResponseStart?
  private var framing: AnswerFraming?
  private var body = Spool()
  private var trailers: HeaderFields = [:]
  private var unread = UnreadAnswer.none
  /// The answer as observers are told of it.
  private var told: LiveContent
  private var timing = Timing(firstByte: .zero, lastByte: .zero)
  private var pieces = ArrivingPieces()
  private var isOver = false { didSet { if isOver { parts = nil } } }
  /// The journal of the part that arrived before the end; `nil` as long as the answer may come at
  /// once.
  private var parts: PartJournal?
  /// The bytes that wait for the player, as they will stand on the wire.
  private var waiting = ByteQueue()
  private var isHeld = false
  /// Tells whether the answer is being written down, and the client waits for the end of it.
  private var isWritten = false
  /// Tells whether the recording ends before the answer does.
  private var isStopped = false
  /// The time at which the client was seen to send no more, which may be its leaving.
  private var clientEnd: Duration?
  /// Tells whether the connection was another request's before, and nothing has come over it since.
  private var isUntried = false
  /// The end of the waiting for the upstream.
  private var patience: Reactor.Timer?
  /// The time at which something moved last.
  private var lastMove = Moment.now()

  init(
    _ exchange: RequestExchange,
    _ upstream: Upstream,
    for client: any UpstreamClient,
    meter: (any UpstreamMeter)?,
    in origins: OriginContext,
    on reactor: Reactor
  ) {
    (self.exchange, self.upstream, self.origins) = (exchange, upstream, origins)
    (self.client, self.meter, self.reactor) = (client, meter, reactor)
    request = UpstreamRequest(exchange.outcome.request, exchange.upload)
    told = LiveContent(bytesMax: origins.shows(exchange.outcome) ? origins.toldBytesMax : 0)
  }

  /// Tells whether the client has a part of the answer.
  var hasBegun: Bool { answer != nil }

  private var outcome: Outcome { exchange.outcome }
  private var deck: Deck { origins.deck }
  /// The number under which the answer is kept; `nil`: it only passes.
  private var ticket: Int? {
    if case .forward(let ticket) = outcome.source { ticket } else { nil }
  }
  /// Tells whether the client's wish to go on in another protocol is passed on.
  private var asksForUpgrade: Bool { exchange.head.asksForWebSocket }
  private var extensions: UpstreamRequest.Extensions {
    exchange.delivery.liveFaults.needPlainMessages ? .none : ticket != nil ? .read : .all
  }
  private var elapsed: Duration { .microseconds((Moment.now() - start) / 1000) }
}

// MARK: - The connection

extension UpstreamExchange: ChannelDelegate {
  /// Connects; the request goes out as soon as the connection is there.
  func begin() {
    if !beginReusing() { connect() }
  }

  private func connect() {
    parser = ResponseParser()
    parser.expectAnswer(to: exchange.head.method)
    let url = upstream.url
    guard upstream.addresses.isEmpty, let resolver = origins.proxy?.resolver, let host = url.host
    else { return connect(to: upstream.addresses) }
    resolver.resolve(host.withoutBrackets, port: url.effectivePort ?? 80) { [weak self] answer in
      guard let self, !isOver else { return }
      switch answer {
      case .success(let found): connect(to: found)
      case .failure(let error): failed(error)
      }
    }
  }

  private func connect(to addresses: [SocketAddress]) {
    let connector = OriginConnector(
      to: addresses,
      on: reactor,
      within: origins.limits.connectSeconds,
      engine: upstream.engine,
      refusal: refusal,
      completed: connected
    )
    self.connector = connector
    connector.begin()
  }

  private func connected(_ completion: OriginConnector.Completion) {
    switch completion {
    case .connected(let channel):
      send(on: channel)
      lastMove = Moment.now()
      awaitAnswer()
    case .reachedEnd(let channel):
      adopt(channel)
      channelReachedEnd(channel)
    case .closed(let error): ended(error)
    case .failed(let error?): failed(error)
    case .failed(nil): failed(.connectionRefused, "no address")
    case .forbidden(let refusal): forbidden(refusal)
    }
  }

  private func adopt(_ channel: Channel) {
    self.channel = channel
    channel.delegate = self
  }

  /// Returns why the client is not connected to an address; `nil` where it is.
  private func refusal(of address: SocketAddress) -> AddressRefusal? {
    origins.proxy?.refusal(of: address, for: client?.channel?.socket.peerAddress)
  }

  /// Gives the connection back at once, and hears nothing of it any more.
  private func drop() {
    let dead = channel
    channel = nil
    dead?.delegate = nil
    dead?.abandon()
  }

  func channel(_ channel: Channel, received bytes: UnsafeRawBufferPointer) {
    isUntried = false
    lastMove = channel.reactor.now
    if case .passing = unread {
      put { $0.append(contentsOf: bytes) }
      return holdBack()
    }
    if origins.passesMalformed, answer == nil { unread.keep(bytes) }
    parser.feed(bytes)
    read()
    journalPart()
  }

  func channelReachedEnd(_ channel: Channel) {
    if triesAgain() { return }
    if case .passing = unread { return endUnread() }
    // RFC 9112 §9.8: content that only an end delimits is whole where TLS has ended, too.
    if channel.isInputTruncated, answer?.framing == .untilClose {
      return failed(
        .truncated,
        "the upstream closed the connection without ending TLS (close_notify), so a part may be missing"
      )
    }
    parser.feedEnd()
    read()
  }

  func channelDrained(_ channel: Channel) {
    passContent()
    client?.read()
  }

  func channelClosed(_ channel: Channel, _ error: SocketError?) {
    self.channel = nil
    stopPatience()
    guard !isOver, !triesAgain() else { return }
    ended(error)
  }

  private func ended(_ error: SocketError?) {
    guard let error else { return failed(.emptyAnswer, "the upstream closed the connection") }
    if case .insecure(let failure) = error.kind { return failed(failure.symptom, failure.text) }
    failed(error.kind == .reset ? .connectionLost : .timedOut, "\(error)")
  }

  private func read() {
    while !isOver, let event = parser.next() {
      switch event {
      case .head(let start):
        if start.isInterim { unread.drop(allBut: parser.bufferedBytes) } else { began(start) }
      case .content(let data): receive(data)
      case .trailers(let fields): trailers = fields.passedTrailers
      case .end: ended()
      case .failed(let error): failed(error)
      }
    }
  }
}

// MARK: - A response with an invalid head

extension UpstreamExchange {
  private func failed(_ error: ProtocolError) {
    guard answer == nil, error.symptom == .malformedResponse else {
      return failed(error.symptom, error.sentence)
    }
    exchange.measure?.problem = error.sentence
    guard case .head(let bytes) = unread else { return failed(error.symptom, error.sentence) }
    unread = .passing
    deck.couldNotRead(outcome, "its head is invalid, and it was passed on unchanged")
    leaveUndone("the response is passed on unchanged")
    put { $0 += bytes }
    holdBack()
  }

  /// Ends a response that is passed on unchanged, when the connection has ended.
  private func endUnread() {
    finish()
    clientGetsEnd()
  }
}

// MARK: - Requests that follow each other on one connection (RFC 9112 §9.3)

extension UpstreamExchange {
  /// Tells whether the connection may have been another request's and may become one's.
  ///
  /// A request that is recorded has a connection of its own, so that how one ends says nothing
  /// about another.
  /// A response that is passed on unchanged ends with its connection.
  private var isShared: Bool {
    ticket == nil && exchange.upload == nil && !origins.passesMalformed
  }

  private var place: String {
    let url = upstream.url
    return "\(url.scheme ?? "http")://\(url.host ?? ""):\(url.effectivePort ?? 80)"
  }

  /// Sends the request on a connection that is there; false where there is none.
  private func beginReusing() -> Bool {
    // A connection may be dead without anybody knowing, and the others cannot be tried again.
    // One that another client has opened may lead to where this one is not connected to.
    guard isShared, RequestHead.idempotentMethods.contains(outcome.request.method),
      let channel = origins.pool.dequeue(
        place,
        where: { $0.target.map { refusal(of: $0) == nil } ?? false }
      )
    else { return false }
    parser.expectAnswer(to: exchange.head.method)
    isUntried = true
    send(on: channel)
    awaitAnswer()
    return true
  }

  /// Tells whether the connection was dead before the request came, so that another is tried; once,
  /// since that one is new.
  private func triesAgain() -> Bool {
    guard isUntried, !isOver else { return false }
    isUntried = false
    drop()
    connect()
    return true
  }

  /// Leaves the connection to the next request, if it can take one.
  private func returnToPool(_ channel: Channel) {
    guard isShared, let answer, answer.keepsAlive, answer.framing != .untilClose,
      answer.head.status != 101, parser.bufferedBytes == 0, channel.phase == .open,
      !channel.inputEnded, channel.queuedBytes == 0, request.isSent, client != nil
    else { return channel.close() }
    origins.pool.enqueue(channel, to: place, seconds: origins.limits.upstreamIdleSeconds)
  }
}

// MARK: - The request

extension UpstreamExchange {
  private func send(on channel: Channel) {
    adopt(channel)
    // Known by the recorded name, an upstream says that name wherever it speaks of itself.
    let recorded = ticket == nil ? nil : origins.recordedOrigin
    request.send(
      on: channel,
      to: recorded ?? upstream.url,
      asksForUpgrade ? .isUpgraded(extensions) : isShared ? .isShared : .ends,
      opensCodings: ticket != nil && !origins.keepsEncodings,
      takesTrailers: exchange.head.headers.contains(token: "trailers", in: "TE")
    )
  }

  /// Passes on the content that has come, as fast as the upstream takes it.
  func passContent() {
    guard let channel, !isOver else { return }
    request.passContent(on: channel)
  }
}

// MARK: - The answer

extension UpstreamExchange {
  private func began(_ start: ResponseStart) {
    if start.head.status == 101, asksForUpgrade { return upgraded(start) }
    // RFC 9110 §15.2.2: no answer to a request whose Upgrade stays here.
    guard start.head.status != 101 else {
      return failed(.malformedResponse, "it switched protocols (101), which nobody had asked for")
    }
    answer = start
    timing.firstByte = elapsed
    guard client != nil else { return }
    leaveUndone("the answer is no WebSocket")
    var shown = start.head
    exchange.authority.localise(&shown)
    // RFC 9110 §7.6.1: what speaks of the origin's connection says nothing about the client's.
    shown.headers.removeConnectionFields(keepingCoding: start.framing == .chunked)
    let length: Int? =
      if case .length(let length) = start.framing { length } else {
        // An answer to HEAD that leaves the length open leaves it open to the client, too.
        start.framing == .none && exchange.head.method != "HEAD" ? 0 : nil
      }
    let framing = AnswerFraming(
      status: start.head.status,
      to: exchange.head,
      length: length,
      // What is left of a request that is answered early is not waited for.
      keepsAlive: !origins.closesConnections && exchange.upload?.isWhole != false
    )
    self.framing = framing
    exchange.measure?.take(shown)
    put { $0.appendHead(shown, reason: start.reason, framed: framing, for: exchange.head.version) }
  }

  /// Tells that no fault of a conversation is done, since there is none.
  private func leaveUndone(_ reason: String) {
    deck.tell(exchange.delivery.liveFaults.map { $0.undone(reason) }, of: outcome)
  }

  private func receive(_ data: Data) {
    if ticket != nil {
      pieces.append(data.count, at: elapsed)
      body.append(data)
    }
    told.take(data)
    exchange.measure?.bytes += data.count
    let isChunked = framing?.framing == .chunked
    put { if isChunked { $0.appendChunk(data) } else { $0.append(contentsOf: data) } }
    holdBack()
  }

  /// Reads the upstream no faster than the client reads.
  private func holdBack() {
    if let client = client?.channel, client.isCongested {
      channel?.pauseReading()
      client.notifyWhenDrained()
    }
  }

  private func ended() {
    guard let answer else { return }
    let channel = channel
    self.channel = nil
    if let channel { returnToPool(channel) }
    tellAnswer(isWhole: true)
    keep(.response(response(answer))) { passing in
      if passing.framing?.framing == .chunked {
        let trailers = passing.exchange.head.accepted(passing.trailers)
        passing.put { $0.appendLastChunk(trailers: trailers) }
      }
      passing.finish()
      passing.clientGetsEnd()
    }
  }

  private func clientGetsEnd() {
    if let meter { meter.advance(.ended(.down)) } else { clientHasAll() }
  }

  /// Tells observers of the answer, as far as it came.
  private func tellAnswer(isWhole: Bool) {
    guard let answer,
      let told = told.answer(exchange.authority.recorded(answer.head), isWhole: isWhole)
    else { return }
    deck.passed(told, for: outcome)
  }

  /// The last byte is with the client.
  func clientHasAll() {
    exchange.finished(.whole)
    client?.answered(keepsAlive: framing?.keepsAlive ?? false)
  }

  /// Goes on in the other protocol, and reads along where the exchange is recorded.
  private func upgraded(_ start: ResponseStart) {
    guard let client, let channel else { return }
    let early = parser.takeRemainder()
    isOver = true
    stopPatience()
    self.channel = nil
    // What follows is metered by the link of both ways.
    meter = nil
    exchange.measure?.status = start.head.status
    let recorder = ConversationRecorder(
      exchange,
      behind: start.head,
      after: elapsed,
      on: channel,
      to: client.channel,
      in: origins
    )
    client.relay(
      exchange,
      to: channel,
      behind: start,
      early: early,
      observing: recorder.map { $0.observe }
    )
  }

  /// Ends the exchange for want of a connection to the upstream.
  private func failed(_ error: SocketError) {
    guard error.isOwn, let client else { return failed(error.symptom, "\(error)") }
    deck.couldNotAsk(outcome, "\(error)")
    if answer == nil {
      deck.notAsked(outcome, "The upstream was not asked: \(error).")
      leaveUndone("the origin has not answered")
    }
    exchange.measure?.status = 503
    exchange.finished(.failed(error.symptom))
    let channel = client.channel
    // RFC 9110 §15.6.4: nothing is said of the upstream, which was not asked.
    channel?.writeNotice(503, "The upstream \(upstream.url) was not asked: \(error).")
    finish()
    channel?.close()
  }

  private func failed(_ symptom: Symptom, _ text: String) {
    if case .passing = unread { return endUnread() }
    let failure = Failure(
      symptom,
      text: ticket == nil ? text : exchange.authority.recorded(text, of: upstream)
    )
    if answer == nil, client != nil { leaveUndone("the origin has not answered") }
    tellAnswer(isWhole: false)
    keep(answer.map { .cut(response($0), failure) } ?? .failure(failure)) { passing in
      let answer = passing.answer
      if answer == nil { passing.exchange.measure?.status = 502 }
      passing.exchange.finished(.failed(symptom))
      passing.pass(passing.waiting.count)
      let client = passing.client?.channel
      if answer == nil {
        client?.writeNotice(
          502,
          "The upstream \(passing.upstream.url) failed: \(text.withoutFullStop)."
        )
      }
      passing.finish()
      if symptom == .connectionLost, answer != nil { client?.reset() } else { client?.close() }
    }
  }

  /// The proxy does not connect its client to any address of the host. That says nothing about the
  /// host, so nothing is kept.
  private func forbidden(_ refusal: AddressRefusal) {
    leaveUndone("the origin has not answered")
    deck.notAsked(outcome, "\(refusal)")
    exchange.measure?.status = 403
    exchange.finished(.whole)
    let client = client?.channel
    client?.writeNotice(403, "\(refusal)")
    finish()
    client?.close()
  }

  private func finish() {
    isOver = true
    stopPatience()
    channel?.close()
    channel = nil
  }

  /// Keeps what came of the request. What the client gets then waits until that is written down,
  /// and nobody but this client waits for it.
  private func keep(
    _ answer: @autoclosure () -> RecordedResult,
    at time: Duration? = nil,
    then proceed: @escaping (UpstreamExchange) -> Void
  ) {
    isOver = true
    stopPatience()
    if case .passing = unread { return proceed(self) }
    guard ticket != nil, client != nil else { return proceed(self) }
    let interaction = interaction(answer(), at: time ?? elapsed)
    guard let write = deck.remember(interaction, for: outcome) else { return proceed(self) }
    guard let journal = origins.journal else {
      write()
      return proceed(self)
    }
    isWritten = true
    client?.channel?.isOutputHeld = true
    let bytes = interaction.request.body.count + (interaction.response?.body.count ?? 0)
    journal.write(bytes, write) { [self] in
      isWritten = false
      client?.channel?.isOutputHeld = false
      proceed(self)
    }
  }

  private func interaction(_ answer: RecordedResult, at time: Duration) -> Interaction {
    var timing = timing
    timing.lastByte = time
    // One piece is no stream worth telling of, and neither are those of a body of known length.
    let hasLength = if case .length = self.answer?.framing { true } else { false }
    if pieces.chunks.count > 1, !hasLength { timing.chunks = pieces.chunks }
    return Interaction(outcome.request, answer, timing: timing)
  }

  /// Journals the part of a response that arrived.
  private func journalPart() {
    guard ticket != nil, !isOver, answer != nil else { return }
    parts =
      parts
      ?? PartJournal(of: outcome, origins, on: reactor) { [weak self] in
        guard let self, let answer else { return nil }
        let part = interaction(cut(answer, Interaction.cut), at: elapsed)
        return { part.inWholeLines }
      }
    parts?.grew(to: outcome.request.body.count + body.count + 1)
  }

  /// Returns the part of a response that arrived.
  private func cut(_ start: ResponseStart, _ failure: Failure) -> RecordedResult {
    var response = response(start)
    // A part of a packed body cannot be opened.
    if response.headers["Content-Encoding"] != nil { response.body = .empty }
    return .cut(response, failure)
  }

  private func response(_ start: ResponseStart) -> Response {
    var head = exchange.authority.recorded(start.head)
    head.headers.removeConnectionFields(keepingCoding: start.framing == .chunked)
    head.keep(reason: start.reason)
    head.trailers = trailers
    return Response(head, body.body())
  }
}

// MARK: - What comes back goes to the client at once, or when a player says so

extension UpstreamExchange {
  /// Hands bytes over as they will stand on the wire.
  private func put(_ write: (inout [UInt8]) -> Void) {
    guard client != nil, let meter else {
      client?.channel?.write(with: write)
      return
    }
    var bytes: [UInt8] = []
    write(&bytes)
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
    if isHeld || client?.channel?.isCongested == true {
      channel?.pauseReading()
    } else {
      channel?.resumeReading()
    }
  }
}

// MARK: - Waiting

extension UpstreamExchange {
  /// Gives up where nothing moves any more in either direction.
  private func awaitAnswer() {
    guard client != nil, let channel else { return }
    let seconds = origins.limits.responseSeconds
    let rest =
      max(lastMove, channel.lastSent ?? lastMove) + Int64(nanosecondsOf: seconds) - Moment.now()
    stopPatience()
    patience = reactor.schedule(after: max(rest, 0)) { [weak self] _ in
      guard let self, !isOver else { return }
      patience = nil
      giveUp(after: seconds)
    }
  }

  private func giveUp(after seconds: Double) {
    guard let channel else { return }
    // One that is not listened to has no chance to say anything.
    if channel.isReadingPaused { lastMove = Moment.now() }
    lastMove = max(lastMove, channel.lastSent ?? lastMove)
    if Moment.now() - lastMove < Int64(nanosecondsOf: seconds) { return awaitAnswer() }
    if request.awaitsContent(on: channel) {
      let sentence = "No more of the request came for \(Self.text(seconds)) s."
      client?.breakOff(ProtocolError(.tooSlow, sentence))
      return
    }
    drop()
    failed(.timedOut, "it said nothing for \(Self.text(seconds)) s")
  }

  /// Returns the same digits in every language: a message of the harness is no text of the
  /// system's.
  private static func text(_ seconds: Double) -> String {
    seconds == seconds.rounded() && abs(seconds) < 1e9 ? "\(Int(seconds))" : "\(seconds)"
  }

  private func stopPatience() {
    if let patience { reactor.cancel(patience) }
    patience = nil
  }

  /// The client sends no more: it may still read, or have left, which only bytes to it can show.
  func clientEnded() {
    guard client != nil else { return }
    clientEnd = clientEnd ?? elapsed
    let before = lastMove
    let seconds = origins.limits.halfClosedSeconds
    reactor.schedule(after: Int64(nanosecondsOf: seconds)) { [weak self] _ in
      guard let self, !isOver || isWritten else { return }
      // It is only now that the client gets what it waits for.
      if lastMove != before || isWritten { return clientEnded() }
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
    tellAnswer(isWhole: false)
    stopPatience()
    connector?.cancel()
    channel?.abandon()
    channel = nil
    // Where the recording ends nobody has left.
    if !isStopped || clientEnd != nil { keepLeft(after: clientEnd ?? elapsed) }
  }

  /// Keeps what had come when the client left.
  private func keepLeft(after time: Duration) {
    let failure = Failure(.cancelled, text: "the client left")
    keep(answer.map { cut($0, failure) } ?? .failure(failure), at: time) { $0.finish() }
  }
}
