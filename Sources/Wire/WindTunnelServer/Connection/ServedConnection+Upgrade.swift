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
  /// Notes that a fault of another stream ends the connection.
  func cut()
}

extension ConnectionSuccessor {
  var hasUnread: Bool { false }

  // The end of the channel is enough.
  func abandon() {}
  func cut() {}
}

// Upgrades, after which the connection or one of its streams speaks another protocol.
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
    let client = linked(channel, exchange, isPlayed: false)
    let rest = leave(to: client)
    let faults = exchange.delivery.liveFaults
    let conversation =
      faults.isEmpty ? nil : ConversationRelay(faults, most: context.limits.messageBytesMax)
    let end = end(of: exchange, on: channel)
    let relay = Relay(
      client,
      upstream,
      through: conversation,
      observing: observe,
      telling: { [context] in context.deck.tell($0, of: exchange.outcome) },
      ended: { _ in end() }
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
    on carrier: any ByteCarrier,
    answering recorded: ResponseHead,
    _ faults: [ConversationFault]
  ) {
    // Only a delivery with a conversation calls this.
    guard let player = context.deck.conversation(of: exchange.outcome) else {
      return carrier.close()
    }
    let head = exchange.head
    if head.version == .http2, head.asksForWebSocket, !head.opensTunnel {
      let response = Response.notice(400, "The stream of a WebSocket ended with its handshake.")
      return refuse(response, exchange, on: carrier)
    }
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
      let client = linked(carrier, exchange)
      var bytes: [UInt8] = []
      bytes.appendHead(shown, reason: nil)
      bytes.withUnsafeBytes { client.write($0) }
      let conversation = ReplayedConversation(
        server,
        of: exchange.outcome,
        on: client,
        in: context,
        ended: end(of: exchange, on: carrier)
      )
      let rest = leave(to: conversation, on: carrier)
      conversation.begin()
      client.begin(with: rest)
    } catch {
      var response = Response.notice(error.head.status, error.reason)
      for field in error.head.headers { response.head.headers[field.name] = field.value }
      exchange.measure?.take(response.head)
      refuse(response, exchange, on: carrier)
    }
  }

  /// Hands a carrier over to another protocol. Returns the bytes that were received for it.
  private func leave(to successor: any ConnectionSuccessor, on carrier: any ByteCarrier) -> Data {
    guard let tunnel = carrier as? StreamTunnel else { return leave(to: successor) }
    tunnel.successor = successor
    requests.streams.successors[tunnel.stream] = successor
    return Data()
  }

  /// Returns a function to be called when a carrier is closed.
  private func end(of exchange: RequestExchange, on carrier: any ByteCarrier) -> () -> Void {
    let stream = (carrier as? StreamTunnel)?.stream
    return { [weak self] in
      // The client may have left before the response passed the link.
      exchange.finished(.clientLeft)
      guard let self else { return }
      if let stream { requests.streams.successors[stream] = nil }
      if stream == nil || channel == nil { release() }
    }
  }

  /// Returns a connection for another protocol, or for the response that refuses it, with the link
  /// of the request. The beginning of a played response is reported to the deck.
  private func linked(
    _ carrier: any ByteCarrier,
    _ exchange: RequestExchange,
    isPlayed: Bool = true
  ) -> LinkedConnection {
    let (down, up) = (exchange.outcome.shaper(.down), exchange.outcome.shaper(.up))
    return LinkedConnection(carrier, down: down, up: up) { [deck = context.deck] in
      if isPlayed { deck.responseBegan(exchange.outcome) }
      // The exchange has ended (RFC 9110 §15.2.2); the following bytes are not HTTP.
      exchange.finished(.whole)
    }
  }

  /// Refuses a handshake, and ends the connection or the stream after the response.
  private func refuse(
    _ response: Response,
    _ exchange: RequestExchange,
    on carrier: any ByteCarrier
  ) {
    let client = linked(carrier, exchange)
    // A stream expects the bytes of HTTP/1.1 as well.
    let codec = HTTP1Codec(limits: context.limits)
    var encoder = ResponseEncoder(exchange.head, on: HTTP1Codec.stream, by: codec)
    var bytes: [UInt8] = []
    encoder.append(response, keepsAlive: false, to: &bytes)
    client.delegate = RefusedUpgrade(ended: end(of: exchange, on: carrier))
    _ = leave(to: client, on: carrier)
    bytes.withUnsafeBytes { client.write($0) }
    client.close()
  }
}

extension Tunnel: ConnectionSuccessor {}

extension LinkedConnection: ConnectionSuccessor {
  func stop() { close() }
}

/// The delegate of a connection whose upgrade was refused. It discards received bytes.
private final class RefusedUpgrade: ChannelDelegate {
  private let ended: () -> Void

  init(ended: @escaping () -> Void) { self.ended = ended }

  func channel(_ channel: Channel, received bytes: UnsafeRawBufferPointer) {}
  func channelReachedEnd(_ channel: Channel) {}
  func channelClosed(_ channel: Channel, _ error: SocketError?) { ended() }
}
