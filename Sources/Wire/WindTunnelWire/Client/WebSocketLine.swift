package import Foundation
package import WindTunnelHTTP
internal import WindTunnelSymptoms

/// One WebSocket connection of a client, from the address look-up to its end.
///
/// Pings and a server's close frame are answered automatically. Members that are not private may be
/// called on any thread; all others run on the client's thread.
package final class WebSocketLine: @unchecked Sendable, ChannelDelegate {
  /// The events of a connection.
  package enum Event: Sendable {
    /// The handshake is complete, with the server's head.
    case opened(ResponseHead)
    /// The server rejected the handshake with this response. This is the last event.
    case refused(Response)
    /// A complete message from the server.
    case message(Data, isText: Bool)
    /// A pong, with its content.
    case pong(Data)
    /// The server has sent a close frame, first or in response; 1005 means without a code. This is
    /// the last event.
    case closed(code: Int, reason: String)
    /// The connection could not be opened, or ended without a close frame. This is the last event.
    case failed(DialFailure)
  }

  private enum Phase {
    case connecting
    case open
    /// The close frame was sent.
    case closing
    case over
  }

  private let client: HTTPClient
  /// Removed at the end, because the receiver holds the connection.
  private var hear: @Sendable (Event) -> Void
  private var phase = Phase.connecting
  private var question = HeaderFields()
  private weak var handshake: ClientExchange?
  /// A response that rejects the handshake.
  private var refusal = ClientExchange.Collected()
  private var channel: Channel?
  private var reader = WebSocketReader(from: .server)
  private var writer = WebSocketWriter(as: .client, nil)
  private var drained: [@Sendable (Bool) -> Void] = []

  package init(_ client: HTTPClient, _ hear: @escaping @Sendable (Event) -> Void) {
    (self.client, self.hear) = (client, hear)
  }

  // MARK: From any thread

  /// Sends a message; `done` receives whether the system has accepted it.
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

  /// Sends a close frame, and waits for the server's for a limited time. A code that is invalid in
  /// a frame (RFC 6455 §7.4.1) is omitted.
  package func close(code: UInt16, reason: String) {
    run { line in
      switch line.phase {
      case .connecting: line.end(nil)
      case .open:
        line.close(WebSocketClose(WebSocketClose.mayBeSent(code) ? code : nil, reason))
        let limit = Int64(nanosecondsOf: line.client.limits.closeSeconds)
        line.channel?.reactor.schedule(after: limit) { [weak line] _ in
          guard let line, case .closing = line.phase else { return }
          line.failed(.timedOut, "The server did not send a close frame in time.")
        }
      case .closing, .over: break
      }
    }
  }

  /// Ends the connection at once, without an event.
  package func cancel() { run { $0.end(nil) } }

  /// Pauses or resumes reading. During a pause, the server's bytes wait in the system's buffers.
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
      return failed(.unsupportedURL, "\(url) is not an http, https, ws or wss URL.")
    }
    guard url.host?.isEmpty == false else {
      return failed(.unsupportedURL, "\(url) has no host.")
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
      // The status of a response that is too long or truncated is still useful.
      end(refusal.response.map { .refused($0) } ?? .failed(DialFailure(failure)))
    case .informational, .head, .content, .sent, .caughtUp, .malformed, .bytes, .surplus: break
    }
  }

  private func open(_ start: ResponseStart, on channel: Channel, _ early: Data) {
    self.channel = channel
    channel.delegate = self
    // HTTP/1.0 does not support upgrades (RFC 9110 §7.8).
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
    // After a close frame of this side, only the server's close frame is relevant.
    case .message(let data, let isText, _): if isOpen { hear(.message(data, isText: isText)) }
    case .pong(let content): if isOpen { hear(.pong(content)) }
    case .ping(let content):
      // If the server does not read, the ping is ignored; a later pong is sufficient (§5.5.3).
      guard let channel, !channel.isCongested else { return }
      channel.write(writer.frame(WebSocketFrame(.pong, content)))
    case .close(let close):
      // The response has the same code (RFC 6455 §5.5.1).
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

  /// Ends the connection with an event; `nil` for no event.
  private func end(_ event: Event?) {
    if case .over = phase { return }
    let saidGoodbye = if case .closing = phase { true } else { false }
    phase = .over
    handshake?.cancel()
    let channel = channel
    self.channel = nil
    channel?.delegate = nil
    // After a close handshake, the server's end of the connection is awaited for a limited time
    // (RFC 6455 §7.1.1).
    if saidGoodbye, event != nil { channel?.close() } else { channel?.abandon() }
    // Callers with unsent messages first receive the reason.
    hear(event ?? .failed(.init(.cancelled, "The connection was closed by this client.")))
    hear = { _ in }
    tellDrained(false)
  }

  private func tellDrained(_ isSent: Bool) {
    for done in exchange(&drained, with: []) { done(isSent) }
  }

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
