package import Foundation
package import WindTunnel
internal import WindTunnelSymptoms

/// One request of a client and its answer (RFC 9110), over a connection that is kept where both
/// ends agree (RFC 9112 §9.3).
///
/// What is package may be called on any thread; all else runs on the client's.
package final class HTTPExchange: @unchecked Sendable {
  /// The things that happen in an exchange.
  package enum Event: Sendable {
    /// So many bytes of the content are with the system, of how many.
    case sent(Int64, of: Int64)
    /// The head of the final answer.
    case head(ResponseHead)
    /// Content without its framing, as it was encoded; never empty.
    case content(Data)
    /// The answer is whole. Nothing follows.
    case end(HTTPStages)
    /// The file of the content cannot be read, for this reason. Nothing follows.
    case unreadable(String)
    /// There is no answer, or no more of it. Nothing follows.
    case failed(DialFailure)
  }

  private enum Phase {
    /// All connections to the server are in use.
    case waiting
    case connecting
    /// The request is out or on its way.
    case asking
    /// The head has come.
    case reading(ResponseStart)
    case over
  }

  private let client: HTTPClient
  private let question: HTTPClient.Question
  /// Forgotten with the end: whoever hears has the exchange.
  private var hear: @Sendable (Event) -> Void
  private var phase = Phase.waiting
  /// `scheme://host:port`, once it is known to be one.
  private var server = ""
  private var isCounted = false
  private var reactor: Reactor?
  private var connector: OriginConnector?
  private var channel: Channel?
  private var parser = ResponseParser()
  private var interimAnswers = 0
  /// Tells whether a whole line has come over the connection.
  private var hasStatusLine = false
  /// Tells whether the connection was another request's before, and nothing has come over it since.
  private var isUntried = false
  /// The number of the connection, of those that were tried.
  private var connection = 0
  /// The bytes that had gone over the connection before.
  private var sentBefore = 0
  private var content: SentContent
  private var patience: Reactor.Timer?
  private var lastMove = Moment.now()
  /// The bytes that may still be read of what nobody wants; `nil`: it is wanted.
  private var discarding: Int?
  private var stages = HTTPStages()
  private var stageBegan = Moment.now()

  init(
    _ client: HTTPClient,
    _ question: HTTPClient.Question,
    _ hear: @escaping @Sendable (Event) -> Void
  ) {
    (self.client, self.question, self.hear) = (client, question, hear)
    content = SentContent(question)
  }

  private var request: Request { question.request }
  /// The place that is connected to.
  private var place: RequestURL { question.proxy ?? question.request.url }

  /// Tells whether the request asks that its connection serves no other (RFC 9112 §9.6).
  private var endsConnection: Bool {
    request.headers.values("Connection").contains { value in
      value.split(separator: ",").contains {
        $0.trimmingCharacters(in: .whitespaces).equalsIgnoringASCIICase("close")
      }
    }
  }

  // MARK: From any thread

  /// Ends it at once, without a word.
  package func cancel() { run { $0.end(nil) } }

  /// Reads no more, or reads on: what a server sends waits in the system's buffers.
  package func pauseReading(_ pauses: Bool) {
    run { exchange in
      guard let channel = exchange.channel, channel.isReadingPaused != pauses else { return }
      exchange.lastMove = Moment.now()
      if pauses { channel.pauseReading() } else { channel.resumeReading() }
    }
  }

  /// Says nothing more, and reads what is left of a short answer, so that its connection serves the
  /// next request.
  package func discard() {
    run { exchange in
      guard case .reading = exchange.phase else { return exchange.end(nil) }
      exchange.hear = { _ in }
      exchange.discarding = exchange.client.limits.discardedBytesMax
      exchange.channel?.resumeReading()
      // However it trickles: a new connection is had sooner.
      let limit = Int64(nanosecondsOf: exchange.client.limits.discardSeconds)
      exchange.reactor?.schedule(after: limit) { [weak exchange] _ in exchange?.end(nil) }
    }
  }

  private func run(_ job: @escaping @Sendable (HTTPExchange) -> Void) {
    // A loop that has stopped has ended it.
    client.sockets.loop.execute { [self] _ in job(self) }
  }

  // MARK: The connection

  func begin(on reactor: Reactor) {
    if case .over = phase { return }
    self.reactor = reactor
    lastMove = Moment.now()
    let url = place
    guard let scheme = url.scheme, scheme == "http" || scheme == "https" else {
      return failed(.unsupportedURL, "The URL is neither by http nor by https.")
    }
    guard let host = url.host, !host.isEmpty else {
      return failed(.unsupportedURL, "The URL names no host.")
    }
    server = "\(scheme)://\(host):\(url.effectivePort ?? 80)"
    wait(question.silenceSeconds)
    client.connections.enter(self, to: server)
  }

  /// Takes the right to a connection, and goes on soon: many in a row that fail at once would end
  /// each other one within the other.
  func take() {
    isCounted = true
    phase = .connecting
    reactor?.schedule(after: 0) { [weak self] _ in self?.proceed() }
  }

  private func proceed() {
    guard case .connecting = phase else { return }
    guard let channel = client.connections.dequeue(server) else { return connect() }
    isUntried = true
    send(on: channel)
  }

  private func connect() {
    phase = .connecting
    let url = place
    stageBegan = Moment.now()
    client.sockets.names().resolve(
      (url.host ?? "").withoutBrackets,
      port: url.effectivePort ?? 80
    ) { [weak self] answer in
      guard let self, case .connecting = phase else { return }
      stages.nameLookup = spent()
      switch answer {
      case .success(let addresses): connect(to: addresses)
      case .failure(let error): end(.failed(DialFailure(error)))
      }
    }
  }

  private func connect(to addresses: [SocketAddress]) {
    guard let reactor else { return }
    let connector = OriginConnector(
      to: addresses,
      on: reactor,
      within: min(client.limits.connectSeconds, question.silenceSeconds),
      engine: client.sockets.engine(for: place),
      completed: { [weak self] in self?.connected($0) }
    )
    self.connector = connector
    connector.begin()
  }

  private func connected(_ completion: OriginConnector.Completion) {
    connector = nil
    switch completion {
    case .connected(let channel):
      stages.connect = spent()
      lastMove = Moment.now()
      send(on: channel)
    case .reachedEnd(let channel):
      channel.abandon()
      closedEarly()
    case .closed(let error?), .failed(let error?): end(.failed(DialFailure(error)))
    case .closed(nil): closedEarly()
    case .failed(nil), .forbidden:
      failed(.hostNotFound, "\(place.host ?? "") has no address.")
    }
  }

  /// The server has ended the connection before there was a request on it.
  private func closedEarly() {
    guard place.scheme == "https" else {
      return failed(.emptyAnswer, "The server closed the connection without an answer.")
    }
    failed(.secureConnectionFailed, "The server ended the TLS handshake before it was done.")
  }

  private func spent() -> Duration {
    let now = Moment.now()
    defer { stageBegan = now }
    return .nanoseconds(now - stageBegan)
  }

  // MARK: The request

  private func send(on channel: Channel) {
    self.channel = channel
    channel.delegate = self
    connection += 1
    hasStatusLine = false
    phase = .asking
    stageBegan = Moment.now()
    sentBefore = channel.sentBytes
    var limits = Limits.upstream
    limits.headerBytesMax = client.limits.headBytesMax
    limits.requestLineBytesMax = client.limits.headBytesMax
    limits.headerFieldsMax = client.limits.headFieldsMax
    parser = ResponseParser(limits: limits)
    parser.expectAnswer(to: request.method)
    let url = request.url
    var fields = request.headers
    let host = fields["Host"] ?? (url.host ?? "") + (url.port.map { ":\($0)" } ?? "")
    fields.removeConnectionFields(asServer: true)
    fields.remove("Content-Length")
    // RFC 9110 §8.6: a request that could have content says that it has none.
    if content.length > 0 || ["POST", "PUT", "PATCH"].contains(request.method) {
      fields.append("Content-Length", "\(content.length)")
    }
    if endsConnection { fields.append("Connection", "close") }
    let head = HeaderFields([HeaderField("Host", host)] + fields)
    let target = question.proxy == nil ? url.target : "\(url)"
    channel.write { $0.appendHead(method: request.method, target: target, headers: head) }
    content.rewind()
    if content.length > 0 { channel.notifyWhenDrained() } else { stages.send = spent() }
  }

  /// Passes content on, as fast as the server takes it.
  private func passContent() {
    guard let channel, channel.phase == .open, !content.isPassed else { return }
    switch phase {
    case .asking, .reading: break
    case .waiting, .connecting, .over: return
    }
    let connection = connection
    let piece = content.next { [weak self] piece in
      self?.run { exchange in
        // Another connection begins from the start.
        guard exchange.connection == connection, let channel = exchange.channel else { return }
        switch piece {
        case .success(let piece): exchange.pass(piece, on: channel)
        case .failure(let error): exchange.end(.unreadable(error.reason))
        }
      }
    }
    if let piece { pass(piece, on: channel) }
  }

  private func pass(_ piece: Data, on channel: Channel) {
    content.passed(piece.count)
    channel.write(piece)
    channel.notifyWhenDrained()
  }

  // MARK: The answer

  private func read() {
    while let event = parser.next() {
      switch event {
      case .head(let start): began(start)
      case .content(let data): take(data)
      case .trailers: break
      case .end: return answered()
      case .failed(let error): return failed(error)
      }
      if case .over = phase { return }
    }
  }

  private func began(_ start: ResponseStart) {
    if start.isInterim {
      interimAnswers += 1
      if interimAnswers > client.limits.interimAnswersMax {
        failed(
          .malformedResponse,
          "The server sent more than \(client.limits.interimAnswersMax) interim answers."
        )
      }
      return
    }
    // RFC 9110 §15.2.2: nobody has asked for another protocol.
    guard start.head.status != 101 else {
      return failed(
        .malformedResponse,
        "The server switched protocols (101), which nobody had asked for."
      )
    }
    stages.wait = spent()
    phase = .reading(start)
    hear(.head(start.head))
  }

  private func take(_ data: Data) {
    guard let rest = discarding else { return hear(.content(data)) }
    if data.count > rest { return end(nil) }
    discarding = rest - data.count
  }

  private func answered() {
    guard case .reading(let start) = phase else { return }
    stages.receive = spent()
    let channel = channel
    self.channel = nil
    channel?.delegate = nil
    if let channel {
      if start.keepsAlive, !endsConnection, parser.bufferedBytes == 0, channel.phase == .open,
        !channel.inputEnded, channel.queuedBytes == 0, content.isPassed
      {
        client.connections.enqueue(channel, to: server)
      } else {
        // What is left of a request that is answered early is not sent.
        channel.close()
      }
    }
    end(.end(stages))
  }

  private func failed(_ error: ProtocolError) {
    // Of a part of a status line nothing can be told, as of no byte at all.
    let isNothing = error.kind == .truncated(.inHead) && !hasStatusLine
    failed(isNothing ? .emptyAnswer : error.symptom, error.sentence)
  }

  // MARK: Ends

  /// Sends the request over a new connection where the old one was dead before the server could
  /// have answered; once, since that one is new.
  ///
  /// RFC 9112 §9.3.1: only a request that may be met twice (RFC 9110 §9.2.2), or of which not a
  /// byte was sent.
  private func triesAgain(without dead: Channel) -> Bool {
    guard isUntried, case .asking = phase,
      RequestHead.idempotentMethods.contains(request.method) || dead.sentBytes == sentBefore
    else { return false }
    isUntried = false
    channel = nil
    dead.delegate = nil
    dead.abandon()
    connect()
    return true
  }

  private func failed(_ symptom: Symptom, _ text: String) {
    end(.failed(DialFailure(symptom, text)))
  }

  /// Ends it, and says so; `nil`: nobody wants to know.
  private func end(_ event: Event?) {
    if case .over = phase { return }
    phase = .over
    if let patience, let reactor { reactor.cancel(patience) }
    connector?.cancel()
    let channel = channel
    (self.channel, connector, patience) = (nil, nil, nil)
    channel?.delegate = nil
    channel?.abandon()
    content.close()
    if isCounted {
      isCounted = false
      client.connections.leave(server)
    } else {
      client.connections.giveUp(self, to: server)
    }
    hear(event ?? .failed(DialFailure(.cancelled, "The request was ended here.")))
    hear = { _ in }
  }

  // MARK: Silence

  private func wait(_ seconds: Double) {
    patience = reactor?.schedule(after: Int64(nanosecondsOf: seconds)) { [weak self] _ in
      guard let self else { return }
      patience = nil
      // One that is not listened to has no chance to say anything.
      if channel?.isReadingPaused == true { lastMove = Moment.now() }
      if let sent = channel?.lastSent, sent > lastMove { lastMove = sent }
      let silence = Double(Moment.now() - lastMove) / 1e9
      guard silence >= question.silenceSeconds else {
        return wait(question.silenceSeconds - silence)
      }
      failed(.timedOut, silenceWords)
    }
  }

  private var silenceWords: String {
    let host = place.host ?? "The server"
    return switch phase {
    case .waiting: "All connections to \(host) were in use for too long."
    case .connecting: "\(host) took too long to take a connection."
    case .asking, .reading, .over: "\(host) took too long to send anything."
    }
  }
}

extension HTTPExchange: ChannelDelegate {
  func channel(_ channel: Channel, received bytes: UnsafeRawBufferPointer) {
    isUntried = false
    lastMove = channel.reactor.now
    if !hasStatusLine { hasStatusLine = bytes.contains(0x0A) }
    parser.feed(bytes)
    read()
  }

  func channelReachedEnd(_ channel: Channel) {
    if triesAgain(without: channel) { return }
    // RFC 9112 §9.8: content that only an end delimits is whole where TLS has ended, too.
    if channel.isInputTruncated, case .reading(let start) = phase, start.framing == .untilClose {
      return failed(.truncated, "The connection ended without the end of TLS, so a part may miss.")
    }
    parser.feedEnd()
    read()
  }

  func channelDrained(_ channel: Channel) {
    lastMove = channel.reactor.now
    let sent = content.taken()
    if sent > 0 { hear(.sent(Int64(sent), of: Int64(content.length))) }
    if content.isPassed, stages.send == nil { stages.send = spent() }
    passContent()
  }

  func channelClosed(_ channel: Channel, _ error: SocketError?) {
    if triesAgain(without: channel) { return }
    self.channel = nil
    if let error { return end(.failed(DialFailure(error))) }
    parser.feedEnd()
    read()
    failed(.connectionLost, "The connection ended.")
  }
}

/// The durations of an exchange's stages; `nil` of those that did not take place, as on a
/// connection that was already open.
package struct HTTPStages: Sendable, Hashable {
  /// The look-up of the server's addresses.
  package var nameLookup: Duration?
  /// The opening of the connection, TLS included.
  package var connect: Duration?
  /// The sending of the request.
  package var send: Duration?
  /// The time from there to the answer's head.
  package var wait: Duration?
  /// The time from there to its last byte.
  package var receive: Duration?
}
