internal import Foundation
internal import WindTunnelHTTP
internal import WindTunnelSymptoms

/// A request to a server, and its response (RFC 9112).
///
/// It opens or reuses a connection (RFC 8305), sends the request and reads the response while it is
/// received. Then it leaves the connection to the next request. On the loop's thread only. Its
/// connection keeps it alive until it is over; a caller holds a weak reference.
package final class ClientExchange: @unchecked Sendable {
  private enum Phase {
    /// All connections to the server are in use.
    case waiting
    case connecting
    /// The request is being sent or was sent.
    case asking
    case reading
    /// The response is invalid, and bytes are passed on.
    case passing
    case over
  }

  /// The maximum number of interim responses (RFC 9110 §15.2) before the final one.
  static let interimResponsesMax = 1000

  private let request: OutgoingRequest
  private let destination: Destination
  private let terms: Terms
  private let reactor: Reactor
  /// Removed at the end, because the receiver may hold the exchange.
  private var receive: (Event) -> Void
  private let server: String
  private var phase = Phase.waiting
  private weak var connector: OriginConnector?
  private var channel: Channel?
  /// The number of connections used so far.
  private var connections = 0
  /// The number of bytes that were sent on the connection before this request.
  private var sentBefore = 0
  /// Whether the connection was used before and nothing has been received on it since.
  private var isUntried = false
  private var content: SentContent
  private var parser = ResponseParser()
  /// The bytes that may be passed on later: an incomplete head, or chunked content.
  private var unread: [UInt8] = []
  private var interimResponses = 0
  private var response: ResponseStart?
  private var trailers: HeaderFields = [:]
  private var patience: Reactor.Timer?
  /// The start time of the current timeout.
  package private(set) var lastMove = Moment.now()
  private var stages = HTTPStages()
  private var stageStart = Moment.now()

  package init(
    _ request: OutgoingRequest,
    to destination: Destination,
    on terms: Terms,
    by reactor: Reactor,
    receiving receive: @escaping (Event) -> Void
  ) {
    (self.request, self.destination, self.terms) = (request, destination, terms)
    (self.reactor, self.receive) = (reactor, receive)
    (server, content) = (destination.server, request.content)
  }

  private var isOver: Bool { phase == .over }
  /// Whether received bytes may be passed on.
  private var keepsBytes: Bool {
    response.map { terms.takesRawChunks && $0.framing == .chunked } ?? terms.takesMalformed
  }

  /// Whether the head has arrived.
  package var hasResponse: Bool { response != nil }

  // MARK: The connection

  package func begin() {
    wait(terms.seconds)
    if let pool = terms.pool, !pool.enter(self, to: server) { return }
    phase = .connecting
    open()
  }

  /// Continues after waiting for a connection. It is delayed by one round, because many immediate
  /// failures would otherwise recurse.
  package func enter() {
    phase = .connecting
    reactor.schedule(after: 0) { [self] _ in open() }
  }

  private func open() {
    guard phase == .connecting else { return }
    guard terms.takesKept,
      let channel = terms.pool?.dequeue(
        server,
        where: { $0.target.map { destination.refusal($0) == nil } ?? false }
      )
    else { return connect() }
    isUntried = true
    send(on: channel)
  }

  private func connect() {
    phase = .connecting
    stageStart = .now()
    let connector = OriginConnector(
      to: destination,
      on: reactor,
      within: terms.boundsConnecting
        ? min(destination.connectSeconds, terms.seconds) : destination.connectSeconds,
      completed: connected
    )
    self.connector = connector
    connector.begin()
  }

  private func connected(_ result: Result<Channel, ExchangeFailure>) {
    if let end = connector?.lookupEnd { stages.nameLookup = stageTime(to: end) }
    switch result {
    case .success(let channel):
      stages.connect = stageTime()
      if terms.patience != .exchange { lastMove = .now() }
      send(on: channel)
    case .failure(let failure): failed(failure)
    }
  }

  private func stageTime(to end: Moment = .now()) -> Duration {
    defer { stageStart = end }
    return .nanoseconds(end - stageStart)
  }

  /// Sends the request again on a new connection if a reused one was closed before the server could
  /// respond. This is done once, because the new one is not reused.
  ///
  /// RFC 9112 §9.3.1 allows it only if the request may be repeated (RFC 9110 §9.2.2) or no byte of
  /// it was sent.
  private func triesAgain(without dead: Channel) -> Bool {
    guard isUntried,
      RequestHead.idempotentMethods.contains(request.method) || dead.sentBytes == sentBefore
    else { return false }
    isUntried = false
    channel = nil
    dead.delegate = nil
    dead.abandon()
    connect()
    return true
  }

  // MARK: The request

  private func send(on channel: Channel) {
    self.channel = channel
    channel.delegate = self
    phase = .asking
    connections += 1
    sentBefore = channel.sentBytes
    stageStart = .now()
    parser = ResponseParser(limits: terms.limits)
    parser.expectAnswer(to: request.method)
    channel.write {
      $0.appendHead(method: request.method, target: request.target, headers: request.headers)
    }
    content.rewind()
    if content.isPassed { stages.send = stageTime() } else { passContent() }
  }

  /// Sends available content as fast as the server accepts it.
  package func passContent() {
    guard let channel, !isOver else { return }
    let connection = connections
    content.pass(on: channel)
    guard content.isInFile else { return }
    content.readPiece { [weak self] piece in
      // On another connection, the content is sent from the start.
      guard let self, connections == connection, let channel = self.channel else { return }
      switch piece {
      case .success(let piece): content.pass(piece, on: channel)
      case .failure(let failure): failed(failure)
      }
    }
  }

  // MARK: The response

  /// Pauses or resumes reading. During a pause, the server's bytes wait in the system's buffers.
  package func pauseReading(_ pauses: Bool) {
    guard let channel, channel.isReadingPaused != pauses else { return }
    if terms.patience == .silence { lastMove = .now() }
    channel.pauseReading(pauses)
  }

  private func read() {
    while phase == .asking || phase == .reading, let event = parser.next() {
      switch event {
      case .head(let start): began(start)
      case .content(let data): receive(.content(data))
      case .trailers(let fields): trailers = fields.passedTrailers
      case .end: ended()
      case .failed(let error): return failed(error)
      }
    }
  }

  private func began(_ start: ResponseStart) {
    if start.isInterim {
      interimResponses += 1
      guard interimResponses <= Self.interimResponsesMax else {
        let limit = "\(Self.interimResponsesMax) interim responses (1xx)"
        return failed(.bad("The server sent more than \(limit)."))
      }
      unread.removeFirst(max(0, unread.count - parser.bufferedBytes))
      receive(.informational(start))
    } else if start.head.status == 101 {
      if terms.asksForUpgrade { return upgraded(start) }
      // A server may only switch protocols if the client has requested it (RFC 9110 §15.2.2).
      failed(.bad("The server switched protocols (101), which was not requested."))
    } else {
      stages.wait = stageTime()
      (phase, response) = (.reading, start)
      unread = keepsBytes ? Array(unread.suffix(parser.bufferedBytes)) : []
      receive(.head(start))
    }
  }

  private func upgraded(_ start: ResponseStart) {
    guard let channel = self.channel.take() else { return }
    end(.upgraded(start, channel, parser.takeRemainder()))
    if channel.delegate === self { channel.abandon() }
  }

  private func ended() {
    guard let response else { return }
    stages.receive = stageTime()
    unread.removeLast(min(unread.count, parser.bufferedBytes))
    if parser.bufferedBytes > 0 { receive(.surplus(parser.bufferedBytes)) }
    if let channel = self.channel.take() {
      channel.delegate = nil
      if let pool = terms.pool, !request.endsConnection, response.keepsAlive, content.isPassed,
        parser.bufferedBytes == 0, channel.phase == .open, !channel.inputEnded,
        channel.queuedBytes == 0
      {
        pool.enqueue(channel, to: server, seconds: terms.idleSeconds)
      } else {
        // The response is complete, so the rest of the request is not sent.
        channel.close()
      }
    }
    end(.end(trailers, stages))
  }

  // MARK: Ends

  private func failed(_ error: ProtocolError) {
    guard keepsBytes, error.symptom == .malformedResponse else { return failed(.message(error)) }
    phase = .passing
    receive(.malformed(error))
    passBytes()
  }

  /// Removes and returns the bytes that were not passed on: at the end, the last ones of chunked
  /// content.
  package func takeBytes() -> [UInt8] { exchange(&unread, with: []) }

  private func passBytes() {
    let bytes = takeBytes()
    if !bytes.isEmpty { bytes.withUnsafeBytes { receive(.bytes($0)) } }
  }

  private func failed(_ failure: ExchangeFailure) {
    end(phase == .passing ? .end([:], stages) : .failed(failure))
  }

  /// Ends the exchange at once, without an event.
  package func cancel() { end(nil) }

  private func end(_ event: Event?) {
    if isOver { return }
    let isWaiting = phase == .waiting
    phase = .over
    if isWaiting { terms.pool?.giveUp(self, to: server) } else { terms.pool?.leave(server) }
    if let patience { reactor.cancel(patience) }
    connector?.cancel()
    let (channel, receive) = (channel, receive)
    (self.channel, self.receive) = (nil, { _ in })
    channel?.delegate = nil
    channel?.abandon()
    content.close()
    if let event { receive(event) }
  }

  private func wait(_ seconds: Double) {
    patience = reactor.schedule(after: Int64(nanosecondsOf: seconds)) { [weak self] _ in
      guard let self, !isOver else { return }
      if phase == .connecting, !terms.boundsConnecting { return wait(terms.seconds) }
      if terms.patience == .silence {
        // While reading is paused, silence is not the server's fault.
        if channel?.isReadingPaused == true { lastMove = .now() }
        lastMove = max(lastMove, channel?.lastSent ?? lastMove)
      }
      let rest = terms.seconds - Double(Moment.now() - lastMove) / 1e9
      if rest > 0 { wait(rest) } else { failed(lateness) }
    }
  }

  private var lateness: ExchangeFailure {
    let seconds = Self.text(terms.seconds)
    switch phase {
    case .waiting: return .tooSlow("all connections to the server were in use for \(seconds) s")
    case .connecting: return .socket(SocketError(.connect, ETIMEDOUT, destination.addresses.first))
    case .asking, .reading, .passing, .over:
      if let channel, content.isMissing(on: channel) {
        return .stalledContent("No further part of the request arrived for \(seconds) s.")
      }
      let verb = terms.patience == .silence ? "sent nothing for" : "took longer than"
      return .tooSlow("the server \(verb) \(seconds) s")
    }
  }

  /// Returns a number in the same format in every locale.
  private static func text(_ seconds: Double) -> String {
    seconds == seconds.rounded() && abs(seconds) < 1e9 ? "\(Int(seconds))" : "\(seconds)"
  }
}

extension ClientExchange: ChannelDelegate {
  package func channel(_ channel: Channel, received bytes: UnsafeRawBufferPointer) {
    isUntried = false
    if terms.patience == .silence { lastMove = channel.reactor.now }
    if phase == .passing { return receive(.bytes(bytes)) }
    if keepsBytes { unread += bytes }
    parser.feed(bytes)
    read()
    if response != nil, !isOver { passBytes() }
    receive(.caughtUp)
  }

  package func channelReachedEnd(_ channel: Channel) {
    if triesAgain(without: channel) { return }
    if channel.isInputTruncated, response?.framing == .untilClose { return failed(.noEndOfTLS) }
    if phase == .passing { return end(.end([:], stages)) }
    parser.feedEnd()
    read()
  }

  package func channelDrained(_ channel: Channel) {
    if content.isPassed, stages.send == nil { stages.send = stageTime() }
    let sent = content.passedBytes
    passContent()
    receive(.sent(sent))
  }

  package func channelClosed(_ channel: Channel, _ error: SocketError?) {
    if triesAgain(without: channel) { return }
    if let error { return failed(.socket(error)) }
    channelReachedEnd(channel)
  }
}
