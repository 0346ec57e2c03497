internal import Foundation
internal import WindTunnel

/// The protocol of a connection after its last request of HTTP.
protocol ConnectionSuccessor: AnyObject {
  /// Whether bytes for the client are still queued at this end.
  var hasUnread: Bool { get }
  /// Ends the protocol in order, because the server stops.
  func stop()
  /// Ends the protocol at once.
  func abandon()
}

extension ConnectionSuccessor {
  var hasUnread: Bool { false }

  // The end of the channel is enough.
  func abandon() {}
}

// Upgrades of HTTP/1.1, after which the connection speaks another protocol.
extension ServedConnection {
  /// Hands the connection over to a response without an end.
  func stream<Stream: ConnectionSuccessor & ChannelDelegate>(
    _ make: (Channel, @escaping () -> Void) -> Stream
  ) {
    // A connection without a channel has ended.
    guard let channel else { return }
    let stream = make(channel) { [weak self] in self?.release() }
    _ = leave(to: stream)
    channel.delegate = stream
    channel.resumeReading()
  }

  /// Hands the connection over to a tunnel.
  func pass(to make: (Channel) -> Tunnel) {
    guard let channel else { return }
    let tunnel = make(channel)
    tunnel.ended = { [weak self] in self?.release() }
    channel.delegate = tunnel
    tunnel.begin(leave(to: tunnel))
  }

  /// Relays bytes in both directions after a response 101: a WebSocket (RFC 6455 §4.1, RFC 9110
  /// §7.8).
  func relay(
    _ exchange: RequestExchange,
    answering answer: ResponseStart,
    to upstream: Channel,
    with early: Data,
    observing observe: ((WebSocketRole, Relay.Event) -> Void)?
  ) {
    guard let channel else { return upstream.abandon() }
    // The exchange has ended (RFC 9110 §15.2.2); the following bytes are not HTTP.
    let client = LinkedConnection(channel, of: exchange.outcome) { exchange.finished(.whole) }
    let rest = leave(to: client)
    let faults = exchange.delivery.liveFaults
    let conversation =
      faults.isEmpty ? nil : ConversationRelay(faults, most: context.limits.messageBytesMax)
    let relay = Relay(
      client,
      upstream,
      through: conversation,
      observing: observe,
      telling: { [context] in context.deck.tell($0, of: exchange.outcome) },
      ended: { [weak self] _ in
        exchange.finished(.clientLeft)
        self?.release()
      }
    )
    var head: [UInt8] = []
    head.appendHead(faults.broken(answer.head), reason: answer.reason)
    relay.begin(behind: head, with: early)
    client.begin(with: rest)
    let seconds = context.limits.tunnelSeconds
    reactor.schedule(after: Int64(nanosecondsOf: seconds)) { [weak channel] _ in channel?.close() }
  }

  /// Answers the handshake of a WebSocket with a recorded response, and then plays the recorded
  /// conversation.
  func converse(
    _ exchange: RequestExchange,
    answering recorded: ResponseHead,
    _ faults: [ConversationFault]
  ) {
    guard let channel else { return }
    // Only a delivery with a conversation calls this.
    guard let player = context.deck.conversation(of: exchange.outcome) else {
      return terminate(by: .close)
    }
    let head = exchange.head
    do throws(WebSocketHandshake.Rejection) {
      let server = try ConversationServer(
        answering: Request(head.method, head.url, headers: head.headers),
        head.version.rawValue,
        as: recorded,
        player,
        faults,
        most: context.limits.messageBytesMax
      )
      var shown = server.head
      exchange.mapping.localise(&shown)
      exchange.measure?.take(shown)
      let client = linked(channel, exchange)
      var bytes: [UInt8] = []
      bytes.appendHead(shown, reason: nil)
      bytes.withUnsafeBytes { client.write($0) }
      let conversation = ReplayedConversation(
        server,
        of: exchange.outcome,
        on: client,
        in: context
      ) { [weak self] in
        exchange.finished(.clientLeft)
        self?.release()
      }
      let rest = leave(to: conversation)
      conversation.begin()
      client.begin(with: rest)
    } catch {
      var response = Response.notice(error.head.status, error.reason)
      for field in error.head.headers { response.head.headers[field.name] = field.value }
      exchange.measure?.take(response.head)
      refuse(response, exchange, on: linked(channel, exchange))
    }
  }

  /// Returns a connection for a conversation, or for the response that refuses one.
  private func linked(_ channel: Channel, _ exchange: RequestExchange) -> LinkedConnection {
    LinkedConnection(channel, of: exchange.outcome) { [deck = context.deck] in
      deck.responseBegan(exchange.outcome)
      // The exchange has ended (RFC 9110 §15.2.2); the following bytes are not HTTP.
      exchange.finished(.whole)
    }
  }

  /// Refuses a handshake, and ends the connection after the response.
  private func refuse(
    _ response: Response,
    _ exchange: RequestExchange,
    on client: LinkedConnection
  ) {
    var encoder = ResponseEncoder(exchange.head, on: HTTP1Codec.stream, by: requests.codec)
    var bytes: [UInt8] = []
    encoder.frame(response.status, length: response.body.data.count, keepsAlive: false)
    encoder.append(response, to: &bytes)
    let refused = RefusedUpgrade { [weak self] in
      // The client may have left before the response passed the link.
      exchange.finished(.clientLeft)
      self?.release()
    }
    client.delegate = refused
    _ = leave(to: client)
    bytes.withUnsafeBytes { client.write($0) }
    client.close()
  }
}

extension Tunnel: ConnectionSuccessor {}

extension LinkedConnection: ConnectionSuccessor {
  func stop() { close() }

  /// Takes over a connection after its handshake, with the link of the request.
  fileprivate convenience init(_ channel: Channel, of outcome: Outcome, began: @escaping () -> Void)
  {
    self.init(channel, down: outcome.shaper(.down), up: outcome.shaper(.up), began: began)
  }
}

/// The delegate of a connection whose upgrade was refused. It discards received bytes.
private final class RefusedUpgrade: ChannelDelegate {
  private let ended: () -> Void

  init(ended: @escaping () -> Void) { self.ended = ended }

  func channel(_ channel: Channel, received bytes: UnsafeRawBufferPointer) {}
  func channelReachedEnd(_ channel: Channel) {}
  func channelClosed(_ channel: Channel, _ error: SocketError?) { ended() }
}
