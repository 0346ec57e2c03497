internal import WindTunnel

/// A record of what is said on a WebSocket connection that passes, for a cassette or for whoever
/// looks: it reads along, and changes nothing.
///
/// On the loop's thread only.
final class ConversationRecorder {
  private let exchange: RequestExchange
  private let origins: OriginContext
  private let answer: ResponseHead
  private let handshake: Duration
  private let roundTrip: Duration
  private let start = Moment.now()
  /// The client's connection, which gets the last word when the conversation is written down.
  private weak var channel: Channel?
  /// The journal of what was said before the end; `nil` if there is none.
  private var parts: PartJournal?
  private var client: Side
  private var server: Side
  /// Whether it is to be kept for the cassette, and is not yet.
  private var isKept: Bool
  /// The number and the bytes of the messages that an observer may still be told of; `nil`: of
  /// none.
  private var room: (messages: Int, bytes: Int)?
  private var messages: [WebSocketMessage] = []
  private var lastKind: WebSocketMessage.Kind?
  private var bytes = 0
  /// The reason why no more is recorded; `nil`: all is.
  private var shortfall: String?

  /// The bytes of one conversation that are kept; what is said behind them only passes.
  static let bytesMax = 256 << 20
  /// The number of messages of one conversation that observers are told of.
  static let toldMax = 500
  /// The bytes that a message takes beside its content.
  private static let messageBytes = 256

  /// One side, until it has said its last word or broken a rule.
  private struct Side: ~Copyable {
    var reader: WebSocketReader
    var isOver = false

    init(_ role: WebSocketRole, _ terms: WebSocketHandshake.Terms, most: Int) {
      reader = WebSocketReader(from: role, terms.deflate, most: most)
    }
  }

  /// Begins behind a handshake; `nil` where nothing is recorded and nobody looks, or where the
  /// answer breaks a rule of handshakes, which the client will say.
  ///
  /// - Parameters:
  ///   - exchange: The exchange of the handshake.
  ///   - answer: The origin's answer to it.
  ///   - handshake: The time that it took.
  ///   - channel: The connection to the origin.
  ///   - client: The connection to the client.
  init?(
    _ exchange: RequestExchange,
    behind answer: ResponseHead,
    after handshake: Duration,
    on channel: Channel,
    to client: Channel?
  ) {
    let origins = exchange.mapping.context
    isKept = if case .forward(_?) = exchange.outcome.source { true } else { false }
    let isTold = origins.shows(exchange.outcome)
    guard isKept || isTold else { return nil }
    // Whoever only passes it on holds no message that nobody would see.
    let most = isKept ? origins.limits.messageBytesMax : origins.toldBytesMax
    if isTold {
      let head = exchange.mapping.recorded(answer)
      let opened = LiveResponse(head: head, content: .empty, bytes: 0)
      origins.deck.tell(.passed(exchange.outcome, opened), of: exchange.outcome)
    }
    let terms: WebSocketHandshake.Terms
    do throws(WebSocketHandshake.Failure) {
      terms = try WebSocketHandshake.terms(of: answer, answering: exchange.outcome.request.headers)
    } catch {
      origins.deck.couldNotRead(exchange.outcome, "it is a WebSocket that passed unread: \(error)")
      if isTold { origins.deck.said(.unread("\(error)".withoutFullStop), in: exchange.outcome) }
      return nil
    }
    (self.exchange, self.answer, self.origins) = (exchange, answer, origins)
    self.handshake = handshake
    // The handshake takes a round trip and what the origin needs for it, which most answers do not.
    roundTrip = min(handshake, channel.socket.roundTrip ?? handshake)
    self.channel = client
    self.client = Side(.client, terms, most: most)
    server = Side(.server, terms, most: most)
    if isTold { room = (Self.toldMax, origins.toldBytesMax) }
    guard isKept else { return }
    parts = PartJournal(of: exchange.outcome, origins, on: channel.reactor) { [weak self] in
      self?.interaction([Interaction.incomplete])
    }
    parts?.grew(to: 1)
  }

  /// Takes note of what passes.
  func observe(_ side: WebSocketRole, _ event: Relay.Event) {
    switch (side, event) {
    case (_, .came) where shortfall != nil: break
    case (.client, .came(let bytes)): read(bytes, from: .client, &client)
    case (.server, .came(let bytes)): read(bytes, from: .server, &server)
    // What a side says behind its last word is nothing.
    case (_, .cut): if !server.isOver { shortfall = shortfall ?? "a fault ended it" }
    case (.client, .ended): ended(.client)
    case (.server, .ended), (.server, .closed): ended(.server)
    case (.client, .closed):
      ended(.client)
      // Nobody hears any more of it, and a server that stops waits for no more.
      keep()
    }
    // RFC 6455 §5.5.1: behind both close frames nothing is said.
    if client.isOver, server.isOver { keep() } else { parts?.grew(to: bytes + 1) }
  }

  private func read(
    _ bytes: UnsafeRawBufferPointer,
    from sender: WebSocketMessage.Sender,
    _ side: inout Side
  ) {
    guard !side.isOver else { return }
    let offset = offset
    var events: [WebSocketReader.Event] = []
    do throws(WebSocketFailure) {
      try side.reader.read(bytes) { events.append($0) }
    } catch {
      let isTooLarge = !isKept && error.code == WebSocketClose.messageTooBig
      shortfall =
        isTooLarge ? "a message is too large" : "the \(sender.rawValue) broke a rule: \(error)"
    }
    for event in events {
      switch event {
      case .message(let data, let isText, let frames):
        var message = WebSocketMessage(from: sender, Body(data), isText: isText, offset: offset)
        if frames.count > 1 { message.fragments = frames }
        add(message)
      case .close(let close):
        side.isOver = true
        let code = close.code.map { Int($0) } ?? 1005
        add(WebSocketMessage(from: sender, closing: code, close.reason, offset: offset))
      // The connection's own.
      case .ping, .pong: break
      }
    }
    // What was said before that holds.
    if let shortfall { endTelling(shortfall) }
  }

  private func add(_ message: WebSocketMessage) {
    lastKind = message.kind
    tell(message)
    guard isKept else { return }
    bytes += message.body.count + Self.messageBytes + message.fragments.count * 8
    guard bytes <= Self.bytesMax else {
      shortfall = "it has more than \(Self.bytesMax) bytes"
      return
    }
    messages.append(message)
  }

  /// Tells observers of a message, as long as there is room. Behind one that is not told none is:
  /// it may have given a secret away.
  private func tell(_ message: WebSocketMessage) {
    guard let (messages, bytes) = room else { return }
    let left = (messages - 1, bytes - message.body.count)
    guard left.0 >= 0, left.1 >= 0 else {
      let most = "\(Self.toldMax) messages and \(origins.toldBytesMax >> 10) KiB"
      endTelling("no more than \(most) are kept")
      // Who keeps nothing has nothing to read it for.
      if !isKept { shortfall = "" }
      return
    }
    room = left
    var told = message
    // Nobody is shown them, and there may be more of them than bytes.
    told.fragments = []
    origins.deck.said(.message(told), in: exchange.outcome)
  }

  private func endTelling(_ reason: String) {
    if room != nil { origins.deck.said(.unread(reason.withoutFullStop), in: exchange.outcome) }
    room = nil
  }

  /// Takes note that a side has ended its connection: without a close frame, if it has sent none.
  private func ended(_ sender: WebSocketMessage.Sender) {
    let isOver = sender == .client ? client.isOver : server.isOver
    // Who is cut off ends without a word, too, and that says nothing.
    guard !isOver, shortfall == nil, lastKind != .close(1006) else { return }
    if sender == .client { client.isOver = true } else { server.isOver = true }
    add(WebSocketMessage(from: sender, closing: 1006, offset: offset))
  }

  private var offset: Duration { .microseconds((Moment.now() - start) / 1000) }

  /// Keeps what was said, once.
  private func keep() {
    guard isKept else { return }
    (isKept, parts) = (false, nil)
    if let shortfall, messages.isEmpty {
      let reason = "it is a WebSocket that passed unread: \(shortfall)"
      return origins.deck.couldNotRead(exchange.outcome, reason)
    }
    let notes = shortfall.map { [JSON.Member("_incomplete", .text($0))] } ?? []
    origins.keep(interaction(notes)(), for: exchange.outcome, before: channel) {}
  }

  /// Returns the messages, without what belonged to the one handshake; it is put together on
  /// whatever thread.
  private func interaction(_ notes: [JSON.Member]) -> @Sendable () -> Interaction {
    var request = exchange.outcome.request
    request.headers.remove("Sec-WebSocket-Key")
    var head = exchange.mapping.recorded(answer)
    let upgrade = head.headers.values("Upgrade")
    head.headers.removeConnectionFields()
    head.headers.remove("Sec-WebSocket-Accept")
    // It says what kind of conversation follows.
    for value in upgrade { head.headers.append("Upgrade", value) }
    var interaction = Interaction(
      request,
      .response(Response(head, .empty)),
      timing: Timing(firstByte: handshake, lastByte: handshake + offset)
    )
    interaction.notes = notes
    return { [interaction, messages, roundTrip, correlated = origins.deck.matcher.correlated] in
      var interaction = interaction
      interaction.messages =
        Conversation(messages, roundTrip: roundTrip, correlatedBy: correlated).messages
      return interaction
    }
  }
}
