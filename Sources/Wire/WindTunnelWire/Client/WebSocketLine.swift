package import Foundation
internal import WindTunnelCore
package import WindTunnelHTTP
internal import WindTunnelSymptoms

/// One WebSocket connection of a client, from its first look for an address to its end.
///
/// Pings are answered by themselves, and a server's close frame is. What is not private may be
/// called on any thread; all else runs on the client's.
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
    case open
    /// The close frame is out.
    case closing
    case over
  }

  private let client: HTTPClient
  /// Forgotten with the end: whoever hears has the line.
  private var hear: @Sendable (Event) -> Void
  private var phase = Phase.connecting
  private var question = HeaderFields()
  private weak var handshake: ClientExchange?
  /// An answer that refuses the handshake.
  private var refusal = ClientExchange.Collected()
  private var channel: Channel?
  private var reader = WebSocketReader(from: .server)
  private var writer = WebSocketWriter(as: .client, nil)
  private var drained: [@Sendable (Bool) -> Void] = []

  package init(_ client: HTTPClient, _ hear: @escaping @Sendable (Event) -> Void) {
    (self.client, self.hear) = (client, hear)
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
      case .connecting: line.end(nil)
      case .open:
        line.close(WebSocketClose(WebSocketClose.mayBeSent(code) ? code : nil, reason))
        let limit = Int64(nanosecondsOf: line.client.limits.closeSeconds)
        line.channel?.reactor.schedule(after: limit) { [weak line] _ in
          guard let line, case .closing = line.phase else { return }
          line.failed(.timedOut, "The server did not answer the close frame in time.")
        }
      case .closing, .over: break
      }
    }
  }

  /// Ends it at once, without a word.
  package func cancel() { run { $0.end(nil) } }

  /// Reads no more, or reads on: what a server sends waits in the system's buffers.
  package func pauseReading(_ pauses: Bool) { run { $0.channel?.pauseReading(pauses) } }

  private func run(otherwise: () -> Void = {}, _ job: @escaping @Sendable (WebSocketLine) -> Void) {
    if !client.loop.execute({ [self] _ in job(self) }) { otherwise() }
  }

  // MARK: Handshake

  package func begin(
    _ request: Request,
    compresses: Bool,
    within seconds: Double,
    by reactor: Reactor
  ) {
    guard case .connecting = phase else { return }
    var url = request.url
    switch url.scheme {
    case "ws", "http": url.scheme = "http"
    case "wss", "https": url.scheme = "https"
    default:
      return failed(.unsupportedURL, "\(url) is neither by http and https nor by ws and wss.")
    }
    guard url.host?.isEmpty == false else {
      return failed(.unsupportedURL, "\(url) names no host.")
    }
    question = request.headers
    let key = (0..<16).map { _ in UInt8.random(in: 0...255) }
    for field in WebSocketHandshake.request(key: key, compresses: compresses) {
      question.remove(field.name)
      question.append(field.name, field.value)
    }
    var terms = ClientExchange.Terms(patience: .exchange, seconds: seconds)
    terms.asksForUpgrade = true
    terms.limits.bodyBytesMax = client.limits.refusalBytesMax
    let handshake = ClientExchange(
      OutgoingRequest("GET", to: url, url.target, question, SentContent(Data())),
      to: client.destination(url),
      on: terms,
      by: reactor
    ) { [self] in take($0) }
    self.handshake = handshake
    handshake.begin()
  }

  private func take(_ event: ClientExchange.Event) {
    refusal.take(event)
    switch event {
    case .upgraded(let start, let channel, let early): open(start, on: channel, early)
    case .end: if let response = refusal.response { end(.refused(response)) }
    case .failed(let failure):
      // The status of an answer that is too long, or was cut off, still says what there is to say.
      end(refusal.response.map { .refused($0) } ?? .failed(DialFailure(failure)))
    case .head, .content, .sent, .caughtUp, .malformed, .bytes: break
    }
  }

  private func open(_ start: ResponseStart, on channel: Channel, _ early: Data) {
    self.channel = channel
    channel.delegate = self
    // RFC 9110 §7.8: HTTP/1.0 has no upgrade.
    guard start.version == .http11 else { return end(.refused(Response(start.head, .empty))) }
    do throws(WebSocketHandshake.Failure) {
      let terms = try WebSocketHandshake.terms(of: start.head, answering: question)
      reader = WebSocketReader(from: .server, terms.deflate, most: client.limits.messageBytesMax)
      writer = WebSocketWriter(as: .client, terms.deflate)
    } catch {
      return failed(.malformedResponse, error.description)
    }
    phase = .open
    hear(.opened(start.head))
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

  // MARK: End

  private func failed(_ symptom: Symptom, _ text: String) { end(.failed(.init(symptom, text))) }

  /// Ends it, and says so; `nil`: nobody wants to know.
  private func end(_ event: Event?) {
    if case .over = phase { return }
    let saidGoodbye = if case .closing = phase { true } else { false }
    phase = .over
    handshake?.cancel()
    let channel = channel
    self.channel = nil
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
  package func channel(_ channel: Channel, received bytes: UnsafeRawBufferPointer) { listen(bytes) }

  package func channelReachedEnd(_ channel: Channel) {
    failed(.connectionLost, "The connection ended without a close frame.")
  }

  package func channelDrained(_ channel: Channel) { tellDrained(true) }

  package func channelClosed(_ channel: Channel, _ error: SocketError?) {
    self.channel = nil
    if let error { return end(.failed(DialFailure(.socket(error)))) }
    channelReachedEnd(channel)
  }
}
