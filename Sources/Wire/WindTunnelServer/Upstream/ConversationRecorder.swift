internal import WindTunnel

/// A recorder of the messages on a relayed WebSocket connection, for a cassette or for observers.
/// It changes nothing.
///
/// Use it on the loop's thread only.
final class ConversationRecorder {
  private let exchange: RequestExchange
  private let origins: OriginContext
  private let answer: ResponseHead
  private let handshake: Duration
  private let roundTrip: Duration
  private let start = Moment.now()
  /// The client's connection, whose output waits until the conversation has been written.
  private weak var channel: Channel?
  /// The journal of the conversation before its end; `nil` if there is none.
  private var parts: PartJournal?
  private var client: Side
  private var server: Side
  /// Whether the conversation must be kept for the cassette and has not been kept yet.
  private var isKept: Bool
  /// The number and size of the messages that can still be reported to observers; `nil` if none
  /// can.
  private var room: (messages: Int, bytes: Int)?
  private var messages: [WebSocketMessage] = []
  private var lastKind: WebSocketMessage.Kind?
  private var bytes = 0
  /// The reason why nothing more is recorded; `nil` if everything is.
  private var shortfall: String?

  /// The maximum size of one conversation that is kept, in bytes. Later messages are only relayed.
  static let bytesMax = 256 << 20
  /// The maximum number of messages of one conversation that are reported to observers.
  static let toldMax = 500
  /// The number of bytes that a message takes in addition to its content.
  private static let messageBytes = 256

  /// One side of the conversation, until its last message or a protocol error.
  private struct Side: ~Copyable {
    var reader: WebSocketReader
    var isOver = false

    init(_ role: WebSocketRole, _ terms: WebSocketHandshake.Terms, most: Int) {
      reader = WebSocketReader(from: role, terms.deflate, most: most)
    }
  }

  /// Begins after a handshake. The result is `nil` if nothing is recorded or observed, or if the
  /// response breaks a rule of handshakes, which the client will report.
  ///
  /// - Parameters:
  ///   - exchange: The exchange of the handshake.
  ///   - answer: The origin's response to it.
  ///   - handshake: The duration of the handshake.
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
    // If the conversation is not kept, no message is buffered that observers would not see.
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
      origins.deck.couldNotRead(exchange.outcome, "its WebSocket was not parsed: \(error)")
      if isTold { origins.deck.said(.unread("\(error)".withoutFullStop), in: exchange.outcome) }
      return nil
    }
    (self.exchange, self.answer, self.origins) = (exchange, answer, origins)
    self.handshake = handshake
    // The handshake takes a round trip plus the origin's time for it. Most messages do not need
    // that time.
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

  /// Records an event of one side.
  func observe(_ side: WebSocketRole, _ event: Relay.Event) {
    switch (side, event) {
    case (_, .came) where shortfall != nil: break
    case (.client, .came(let bytes)): read(bytes, from: .client, &client)
    case (.server, .came(let bytes)): read(bytes, from: .server, &server)
    // Bytes after a side's last message have no meaning.
    case (_, .cut): if !server.isOver { shortfall = shortfall ?? "a fault ended it" }
    case (.client, .ended): ended(.client)
    case (.server, .ended), (.server, .closed): ended(.server)
    case (.client, .closed):
      ended(.client)
      // Nothing more is recorded after this, and a server that stops does not wait any longer.
      keep()
    }
    // RFC 6455 §5.5.1: no data follows the two close frames.
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
      // These belong to the connection.
      case .ping, .pong: break
      }
    }
    // The messages before the error are valid.
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

  /// Reports a message to observers as long as there is room. After the first unreported message
  /// none is reported, because the unreported one may have contained a secret that a later one
  /// repeats.
  private func tell(_ message: WebSocketMessage) {
    guard let (messages, bytes) = room else { return }
    let left = (messages - 1, bytes - message.body.count)
    guard left.0 >= 0, left.1 >= 0 else {
      let most = "\(Self.toldMax) messages and \(origins.toldBytesMax >> 10) KiB"
      endTelling("the maximum is \(most)")
      // If nothing is kept, there is no reason to read further.
      if !isKept { shortfall = "" }
      return
    }
    room = left
    var told = message
    // Fragments are not shown to observers, and there may be more of them than bytes.
    told.fragments = []
    origins.deck.said(.message(told), in: exchange.outcome)
  }

  private func endTelling(_ reason: String) {
    if room != nil { origins.deck.said(.unread(reason.withoutFullStop), in: exchange.outcome) }
    room = nil
  }

  /// Records that a side has ended its connection. If it has sent no close frame, this is an end
  /// without one.
  private func ended(_ sender: WebSocketMessage.Sender) {
    let isOver = sender == .client ? client.isOver : server.isOver
    // A side that was cut off also ends without a close frame, which has no meaning.
    guard !isOver, shortfall == nil, lastKind != .close(1006) else { return }
    if sender == .client { client.isOver = true } else { server.isOver = true }
    add(WebSocketMessage(from: sender, closing: 1006, offset: offset))
  }

  private var offset: Duration { .microseconds((Moment.now() - start) / 1000) }

  /// Keeps the conversation once.
  private func keep() {
    guard isKept else { return }
    (isKept, parts) = (false, nil)
    if let shortfall, messages.isEmpty {
      let reason = "its WebSocket was not parsed: \(shortfall)"
      return origins.deck.couldNotRead(exchange.outcome, reason)
    }
    let notes = shortfall.map { [JSON.Member("_incomplete", .text($0))] } ?? []
    origins.keep(interaction(notes)(), for: exchange.outcome, before: channel) {}
  }

  /// Returns the messages without the parts that belonged to this handshake. The result can be
  /// assembled on any thread.
  private func interaction(_ notes: [JSON.Member]) -> @Sendable () -> Interaction {
    var request = exchange.outcome.request
    request.headers.remove("Sec-WebSocket-Key")
    var head = exchange.mapping.recorded(answer)
    let upgrade = head.headers.values("Upgrade")
    head.headers.removeConnectionFields()
    head.headers.remove("Sec-WebSocket-Accept")
    // The field identifies the kind of conversation that follows.
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
