package import Foundation
package import WindTunnel
internal import WindTunnelSymptoms

/// One WebSocket connection of a client, from its first look for an address to its end.
///
/// Pings are answered by themselves, and a server's close frame is. What is not private may be
/// called on any thread; all else runs on the dialler's.
package final class WebSocketLine: @unchecked Sendable {
  /// The things that happen on a connection.
  package enum Event: Sendable {
    /// The handshake is done; the head is the server's.
    case opened(ResponseHead)
    /// The server has answered the handshake with something else. Nothing follows.
    case refused(Response)
    /// A whole message of the server's.
    case message(Data, isText: Bool)
    /// A pong, with its content.
    case pong(Data)
    /// The server has sent a close frame, or has answered one; 1005: without a code. Nothing
    /// follows.
    case closed(code: Int, reason: String)
    /// It could not be opened, or ended without a close frame. Nothing follows.
    case failed(DialFailure)
  }

  private enum Phase {
    case connecting
    case handshaking(ResponseParser, Response)
    case open
    /// The close frame is out.
    case closing
    case over
  }

  private let dialer: WebSocketDialer
  /// Forgotten with the end: whoever hears has the line.
  private var hear: @Sendable (Event) -> Void
  private var phase = Phase.connecting
  private var url = RequestURL("/")
  private var question = HeaderFields()
  /// The content of an answer that refuses the handshake.
  private var refusal = Data()
  private var connector: OriginConnector?
  private var channel: Channel?
  private var reader = WebSocketReader(from: .server)
  private var writer = WebSocketWriter(as: .client, nil)
  private var drained: [@Sendable (Bool) -> Void] = []

  init(_ dialer: WebSocketDialer, _ hear: @escaping @Sendable (Event) -> Void) {
    (self.dialer, self.hear) = (dialer, hear)
  }

  // MARK: From any thread

  /// Sends a message; `done` is told whether the system has taken it.
  package func send(_ content: Data, isText: Bool, _ done: @escaping @Sendable (Bool) -> Void) {
    run(otherwise: { done(false) }) { line in
      guard case .open = line.phase, let channel = line.channel else { return done(false) }
      channel.write(line.writer.message(content, isText: isText))
      line.drained.append(done)
      channel.notifyWhenDrained()
    }
  }

  /// Sends a ping with a content of at most 125 bytes (RFC 6455 §5.5.2).
  package func ping(_ content: Data) {
    run { line in
      guard case .open = line.phase else { return }
      line.channel?.write(line.writer.frame(WebSocketFrame(.ping, content)))
    }
  }

  /// Says that nothing follows, and waits for the server to say so, too, for a while. A code that
  /// may stand in no frame (RFC 6455 §7.4.1) is left out.
  package func close(code: UInt16, reason: String) {
    run { line in
      switch line.phase {
      case .connecting, .handshaking: line.end(nil)
      case .open:
        line.close(WebSocketClose(WebSocketClose.mayBeSent(code) ? code : nil, reason))
        line.limitClosing()
      case .closing, .over: break
      }
    }
  }

  /// Ends it at once, without a word.
  package func cancel() { run { $0.end(nil) } }

  /// Reads no more, or reads on: what a server sends waits in the system's buffers.
  package func pauseReading(_ pauses: Bool) {
    run { line in
      guard let channel = line.channel, channel.isReadingPaused != pauses else { return }
      if pauses { channel.pauseReading() } else { channel.resumeReading() }
    }
  }

  private func run(otherwise: () -> Void = {}, _ job: @escaping @Sendable (WebSocketLine) -> Void) {
    if !dialer.sockets.loop.execute({ [self] _ in job(self) }) { otherwise() }
  }

  // MARK: Handshake

  func begin(
    _ request: Request,
    compresses: Bool,
    within seconds: Double,
    on reactor: Reactor,
    _ resolver: LoopResolver
  ) {
    guard case .connecting = phase else { return }
    reactor.schedule(after: Int64(nanosecondsOf: seconds)) { [weak self] _ in
      self?.failedToOpen()
    }
    url = request.url
    switch url.scheme {
    case "ws", "http": url.scheme = "http"
    case "wss", "https": url.scheme = "https"
    default:
      return failed(.unsupportedURL, "\(url) is neither by http and https nor by ws and wss.")
    }
    question = request.headers
    var random = SystemRandomNumberGenerator()
    let key = (0..<16).map { _ in UInt8.random(in: 0...255, using: &random) }
    for field in WebSocketHandshake.request(key: key, compresses: compresses) {
      question.remove(field.name)
      question.append(field.name, field.value)
    }
    guard let host = url.host, !host.isEmpty else {
      return failed(.unsupportedURL, "\(url) names no host.")
    }
    resolver.resolve(host.withoutBrackets, port: url.effectivePort ?? 80) { answer in
      switch answer {
      case .success(let addresses): self.connect(to: addresses, within: seconds, on: reactor)
      case .failure(let error): self.end(.failed(.init(error)))
      }
    }
  }

  private func connect(to addresses: [SocketAddress], within seconds: Double, on reactor: Reactor) {
    guard case .connecting = phase else { return }
    let connector = OriginConnector(
      to: addresses,
      on: reactor,
      within: min(dialer.limits.connectSeconds, seconds),
      engine: dialer.sockets.engine(for: url),
      completed: connected
    )
    self.connector = connector
    connector.begin()
  }

  private func connected(_ completion: OriginConnector.Completion) {
    connector = nil
    switch completion {
    case .connected(let channel):
      self.channel = channel
      channel.delegate = self
      shakeHands(on: channel)
    case .reachedEnd(let channel):
      channel.abandon()
      failed(.emptyAnswer, "The server closed the connection without an answer.")
    case .closed(let error?), .failed(let error?): end(.failed(.init(error)))
    case .closed(nil): failed(.emptyAnswer, "The server closed the connection without an answer.")
    case .failed(nil), .forbidden: failed(.hostNotFound, "\(url.host ?? "") has no address.")
    }
  }

  private func failedToOpen() {
    switch phase {
    case .connecting: failed(.timedOut, "The server took too long to shake hands.")
    case .handshaking(_, let answer):
      brokenOff(answer, .failed(.init(.timedOut, "The server took too long to shake hands.")))
    case .open, .closing, .over: break
    }
  }

  private func shakeHands(on channel: Channel) {
    var limits = Limits.upstream
    limits.bodyBytesMax = dialer.limits.refusalBytesMax
    var parser = ResponseParser(limits: limits)
    parser.expectAnswer(to: "GET")
    phase = .handshaking(parser, Response(status: 0))
    let port = url.port.map { ":\($0)" } ?? ""
    let host = question["Host"] ?? (url.host ?? "") + port
    var fields = question
    fields.remove("Host")
    let head = HeaderFields([HeaderField("Host", host)] + fields)
    channel.write { $0.appendHead(method: "GET", target: url.target, headers: head) }
  }

  private func read(_ parser: ResponseParser, _ answer: Response) {
    var (parser, answer) = (parser, answer)
    while let event = parser.next() {
      switch event {
      case .head(let start) where start.head.status == 101 && start.version == .http11:
        return open(start.head, parser.takeRemainder())
      case .head(let start):
        if !start.isInterim { answer = Response(start.head, .empty) }
      case .content(let piece): refusal.append(piece)
      case .trailers: break
      case .end: return brokenOff(answer, .refused(answer))
      case .failed(let error): return brokenOff(answer, failed(error))
      }
    }
    phase = .handshaking(parser, answer)
  }

  /// Ends a handshake; the status of an answer that is too long, or was cut off, still says what
  /// there is to say.
  private func brokenOff(_ answer: Response, _ event: Event) {
    guard answer.status > 0 else { return end(event) }
    var answer = answer
    answer.body = Body(refusal)
    end(.refused(answer))
  }

  private func failed(_ error: ProtocolError) -> Event {
    let symptom: Symptom =
      switch error.kind {
      case .truncated(.beforeHead): .emptyAnswer
      case .truncated: .connectionLost
      default: .malformedResponse
      }
    return .failed(.init(symptom, error.sentence))
  }

  private func open(_ head: ResponseHead, _ early: Data) {
    do throws(WebSocketHandshake.Failure) {
      let terms = try WebSocketHandshake.terms(of: head, answering: question)
      reader = WebSocketReader(from: .server, terms.deflate, most: dialer.limits.messageBytesMax)
      writer = WebSocketWriter(as: .client, terms.deflate)
    } catch {
      return failed(.malformedResponse, error.description)
    }
    phase = .open
    hear(.opened(head))
    early.withUnsafeBytes { listen($0) }
  }

  // MARK: Conversation

  private func listen(_ bytes: UnsafeRawBufferPointer) {
    guard !bytes.isEmpty else { return }
    var events: [WebSocketReader.Event] = []
    var breach: WebSocketFailure?
    do throws(WebSocketFailure) { try reader.read(bytes) { events.append($0) } } catch {
      breach = error
    }
    for event in events { take(event) }
    guard let breach else { return }
    close(WebSocketClose(breach.code, breach.description))
    failed(.malformedResponse, breach.description)
  }

  private func take(_ event: WebSocketReader.Event) {
    let isOpen = if case .open = phase { true } else { false }
    switch event {
    // What comes behind an own close frame has nobody who wants it, but for the answer.
    case .message(let data, let isText, _): if isOpen { hear(.message(data, isText: isText)) }
    case .pong(let content): if isOpen { hear(.pong(content)) }
    case .ping(let content):
      // Who does not read is not answered: a later pong will do (§5.5.3).
      guard let channel, !channel.isCongested else { return }
      channel.write(writer.frame(WebSocketFrame(.pong, content)))
    case .close(let close):
      // RFC 6455 §5.5.1: the same code comes back.
      if isOpen { self.close(WebSocketClose(close.code)) }
      end(.closed(code: close.code.map { Int($0) } ?? 1005, reason: close.reason))
    }
  }

  private func close(_ close: WebSocketClose) {
    guard case .open = phase else { return }
    phase = .closing
    channel?.write(writer.frame(close.frame))
  }

  private func limitClosing() {
    channel?.reactor.schedule(after: Int64(nanosecondsOf: dialer.limits.closeSeconds)) {
      [weak self] _ in
      guard let self, case .closing = phase else { return }
      failed(.timedOut, "The server did not answer the close frame in time.")
    }
  }

  // MARK: End

  private func failed(_ symptom: Symptom, _ text: String) {
    end(.failed(.init(symptom, text)))
  }

  /// Ends it, and says so; `nil`: nobody wants to know.
  private func end(_ event: Event?) {
    if case .over = phase { return }
    let saidGoodbye = if case .closing = phase { true } else { false }
    phase = .over
    connector?.cancel()
    let channel = channel
    (self.channel, connector) = (nil, nil)
    channel?.delegate = nil
    // Who has said goodbye hears the server's end, for a while (RFC 6455 §7.1.1).
    if saidGoodbye, event != nil { channel?.close() } else { channel?.abandon() }
    // Who waits to send finds out why.
    hear(event ?? .failed(.init(.cancelled, "The connection was ended here.")))
    hear = { _ in }
    tellDrained(false)
  }

  private func tellDrained(_ isSent: Bool) {
    let waiting = drained
    drained = []
    for done in waiting { done(isSent) }
  }
}

extension WebSocketLine: ChannelDelegate {
  func channel(_ channel: Channel, received bytes: UnsafeRawBufferPointer) {
    guard case .handshaking(var parser, let answer) = phase else { return listen(bytes) }
    parser.feed(bytes)
    read(parser, answer)
  }

  func channelReachedEnd(_ channel: Channel) {
    if case .handshaking(var parser, let answer) = phase {
      parser.feedEnd()
      return read(parser, answer)
    }
    failed(.connectionLost, "The connection ended without a close frame.")
  }

  func channelDrained(_ channel: Channel) { tellDrained(true) }

  func channelClosed(_ channel: Channel, _ error: SocketError?) {
    self.channel = nil
    if case .handshaking(_, let answer) = phase, answer.status > 0 {
      return brokenOff(answer, .refused(answer))
    }
    if let error { return end(.failed(.init(error))) }
    failed(.connectionLost, "The connection ended without a close frame.")
  }
}
