package import Foundation

/// The server's side of a recorded conversation, with faults.
///
/// A state machine: its inputs are the client's bytes, and its outputs are the bytes to send.
package struct ConversationServer: ~Copyable {
  /// An action for a courier; actions are performed in order.
  package enum Action: Sendable, Hashable {
    /// Send these bytes to the client.
    case bytes(Data)
    /// Close the connection once everything has been sent.
    case close
    /// Abort the connection with RST once everything has been sent.
    case reset
    /// Send nothing more and keep the connection open.
    case stall
    /// Call ``tick(at:)`` at this time.
    case wake(Duration)
  }

  /// The head of the handshake's response.
  package let head: ResponseHead
  /// The player of the recording, which knows the messages that were not sent.
  package private(set) var player: ConversationPlayer

  /// The actions of the event that is being processed.
  private var actions: [Action] = []
  private var reader: WebSocketReader
  private let writer: WebSocketWriter
  private let faults: [ConversationFault]
  private var messages: FaultyMessages
  /// The player's actions that have not been performed.
  private var backlog: [ConversationPlayer.Action] = []
  /// The time until which they are held; `nil` if they are not.
  private var pausedUntil: Duration?
  /// The maximum number of delayed pongs; further pings receive no reply.
  private static let latePongsMax = 10_000
  /// The delayed pongs, in order.
  private var latePongs: [(due: Duration, bytes: Data)] = []
  /// Whether no more messages are sent.
  package private(set) var isOver = false
  /// Whether a fault has ended the conversation, so that missing client messages mean nothing.
  private var isBroken = false
  private var log = ConversationLog()

  /// Whether a fault has silenced the server, with the connection open.
  package var isSilent: Bool { log.silentSince != nil }

  /// The log so far.
  package var seen: ConversationLog {
    var seen = log
    // After an end by a fault, no message waits for the client.
    seen.waiting = isBroken ? 0 : player.waiting.reduce(0) { $0 + $1.count }
    return seen
  }

  /// The messages that waited for a client's message at the end; a sentence for each.
  package var left: [String] {
    isBroken ? [] : player.waiting.map { "\($0), which the client has not sent." }
  }

  /// The faults that did not happen: of messages that were not sent, and of fields that the
  /// handshake does not have.
  package var undone: [UndoneFault] { messages.undone + undoneHandshake }
  private let undoneHandshake: [UndoneFault]

  /// Creates a conversation from the request of a handshake.
  ///
  /// - Parameters:
  ///   - request: The request.
  ///   - version: The version of HTTP, such as `HTTP/1.1`.
  ///   - recorded: The recorded response to a handshake.
  ///   - player: The player of the recording.
  ///   - faults: The faults of the conversation.
  ///   - most: The maximum size of one message, in bytes.
  /// - Throws: The refusal if the request breaks a rule.
  package init(
    answering request: Request,
    _ version: String,
    as recorded: ResponseHead,
    _ player: ConversationPlayer,
    _ faults: [ConversationFault],
    most: Int
  ) throws(WebSocketHandshake.Rejection) {
    var recorded = recorded
    if faults.needPlainMessages { recorded.headers.remove("Sec-WebSocket-Extensions") }
    let (answer, terms) = try WebSocketHandshake.replayed(recorded, to: request, version: version)
    head = faults.broken(answer)
    let isHTTP2 = version == "HTTP/2"
    undoneHandshake = faults.filter { isHTTP2 && $0 == .handshake(.wrongAccept) }
      .map { $0.undone("a handshake of HTTP/2 has no Sec-WebSocket-Accept") }
    (self.player, self.faults, messages) = (player, faults, FaultyMessages(faults))
    reader = WebSocketReader(from: .client, terms.deflate, most: most)
    writer = WebSocketWriter(as: .server, terms.deflate)
  }

  // MARK: Events

  /// Processes the end of the handshake's response.
  package mutating func open(at now: Duration) -> [Action] {
    if faults.contains(.control(.pingFlood)) {
      let pings = (0..<ConversationFault.Control.pingCount).map { number in
        writer.frame(WebSocketFrame(.ping, Data("\(number)".utf8)))
      }
      actions.append(.bytes(Data(pings.joined())))
      log.serverPings = ConversationFault.Control.pingCount
    }
    advance(.opened, at: now)
    return exchange(&actions, with: [])
  }

  /// Processes bytes from the client.
  package mutating func receive(_ bytes: UnsafeRawBufferPointer, at now: Duration) -> [Action] {
    if isOver, log.silentSince == nil { return [] }
    var events: [WebSocketReader.Event] = []
    let failure: WebSocketFailure?
    do throws(WebSocketFailure) {
      try reader.read(bytes) { events.append($0) }
      failure = nil
    } catch {
      failure = error
    }
    for event in events {
      if isOver {
        if log.silentSince != nil { note(unanswered: event, at: now) }
        continue
      }
      switch event {
      case .message(let data, let isText, _):
        let place = log.messages.count
        advance(.message(data, isText: isText), at: now)
        let number = player.stray == nil ? player.lastHeard : nil
        let asks = number.map { player.asks($0) } ?? false
        // The replies to it follow it in the log.
        log.note(.init(from: .client, at: now, number: number, asks: asks), at: place)
      case .ping(let data):
        log.clientPings += 1
        answer(ping: data, at: now)
      case .pong(let data): note(pong: data)
      case .close(let close):
        log.end(.client(close.number), at: now)
        if faults.contains(.control(.unansweredClose)) {
          (isOver, isBroken) = (true, true)
          actions.append(.stall)
        } else {
          advance(.closed(code: close.number, reason: close.reason), at: now)
        }
      }
    }
    if let failure, !isOver {
      end(WebSocketClose(failure.code, failure.description), at: now)
    }
    return exchange(&actions, with: [])
  }

  /// Records an event of the client after the server was silenced.
  private mutating func note(unanswered event: WebSocketReader.Event, at now: Duration) {
    switch event {
    case .message: log.note(.init(from: .client, at: now))
    case .ping:
      log.clientPings += 1
      if log.unansweredSince == nil { log.unansweredSince = now }
    case .pong(let data): note(pong: data)
    case .close(let close): log.end(.client(close.number), at: now)
    }
  }

  /// Records a reply to a ping of a flood; the pings are numbered from 0.
  private mutating func note(pong data: Data) {
    guard let number = Int(String(decoding: data, as: UTF8.self)), 0..<log.serverPings ~= number
    else { return }
    log.clientPongs = max(log.clientPongs, number + 1)
  }

  /// Processes a time that was requested.
  package mutating func tick(at now: Duration) -> [Action] {
    guard !isOver else { return [] }
    let due = latePongs.prefix { $0.due <= now }
    actions += due.map { .bytes($0.bytes) }
    log.serverPongs += due.count
    latePongs.removeFirst(due.count)
    if let next = latePongs.first { actions.append(.wake(next.due)) }
    advance(.tick, at: now)
    return exchange(&actions, with: [])
  }

  /// Ends the conversation because the server is stopped (RFC 6455 §7.4.1, 1001).
  package mutating func goAway(at now: Duration) -> [Action] {
    log.end(.stopped, at: now)
    end(WebSocketClose(WebSocketClose.goingAway, "the server is stopped"), at: now)
    return exchange(&actions, with: [])
  }

  /// Processes the end of the client's bytes.
  ///
  /// Without a close frame no more messages are sent (§7.1.5). After a close frame the connection
  /// is not needed any more.
  package mutating func clientEnded(at now: Duration) -> [Action] {
    log.end(.clientLeft, at: now)
    isOver = true
    return [.close]
  }

  /// Ends the conversation because a fault of another exchange ends the connection.
  package mutating func cut(at now: Duration) {
    (isOver, isBroken) = (true, true)
    log.end(.serverLeft, at: now)
  }

  /// Records that the connection was closed; by the client, unless there was an end before.
  package mutating func left(at now: Duration) { log.end(.clientLeft, at: now) }

  // MARK: Sent messages

  /// Replies to a ping with the same content (RFC 6455 §5.5.2).
  private mutating func answer(ping: Data, at now: Duration) {
    let pong = writer.frame(WebSocketFrame(.pong, ping))
    for case .control(let control) in faults {
      switch control {
      case .noPong:
        if log.unansweredSince == nil { log.unansweredSince = now }
        return
      case .latePong(let wait):
        if latePongs.count == Self.latePongsMax { return }
        latePongs.append((now + wait, pong))
        return actions.append(.wake(now + wait))
      case .pingFlood, .unansweredClose: break
      }
    }
    log.serverPongs += 1
    actions.append(.bytes(pong))
  }

  private mutating func advance(
    _ event: ConversationPlayer.Event,
    at now: Duration
  ) {
    guard !isOver else { return }
    backlog += player.next(event, at: now)
    if let end = pausedUntil, end > now { return actions.append(.wake(end)) }
    pausedUntil = nil
    var done = 0
    defer { backlog.removeFirst(done) }
    while !isOver, done < backlog.count {
      done += 1
      switch backlog[done - 1] {
      case .send(let data, let isText, let fragments, let number):
        if let wait = messages.waitForNext() {
          pausedUntil = now + wait
          done -= 1
          return actions.append(.wake(now + wait))
        }
        send(data, isText: isText, fragments, of: number, at: now)
      case .close(let code, let reason):
        end(WebSocketClose(code == 1005 ? nil : UInt16(clamping: code), reason), at: now)
      case .drop:
        isOver = true
        release(at: now)
        log.end(.serverLeft, at: now)
        actions.append(.close)
      case .wake(let moment): actions.append(.wake(moment))
      }
    }
  }

  private mutating func send(
    _ data: Data,
    isText: Bool,
    _ fragments: [Int],
    of number: Int,
    at now: Duration
  ) {
    if let ending = messages.begin() { return end(by: ending, at: now) }
    let digest = player.answersHeartbeat(number) ? nil : ConversationLog.digest(of: data)
    let sent = messages.send(
      data,
      isText: isText,
      as: writer.message(data, isText: isText, fragments: fragments),
      by: writer,
      noting: ConversationLog.Message(from: .server, at: now, number: number, digest: digest)
    )
    guard let sent else { return }
    put(sent, at: now)
    release(at: now)
  }

  private mutating func put(
    _ sent: FaultyMessages.Sent,
    at now: Duration
  ) {
    if !sent.bytes.isEmpty { actions.append(.bytes(sent.bytes)) }
    for var message in sent.notes {
      message.at = now
      log.note(message)
    }
  }

  /// Sends the overtaken message, after the next message or if there is none.
  private mutating func release(at now: Duration) {
    if let sent = messages.release() { put(sent, at: now) }
  }

  private mutating func end(
    by ending: ConversationFault.ConnectionEnd,
    at now: Duration
  ) {
    (isOver, isBroken) = (true, true)
    release(at: now)
    switch ending {
    case .reset, .close: log.end(.serverLeft, at: now)
    case .stall: log.silentSince = now
    case .frame(let code): log.end(.server(code), at: now)
    case .oneByteFrame: log.end(.server(1005), at: now)
    }
    if let frame = ending.closeFrame { actions.append(.bytes(writer.frame(frame))) }
    actions.append(ending == .reset ? .reset : ending == .stall ? .stall : .close)
  }

  /// Sends a close frame, without waiting for the client's reply.
  private mutating func end(_ close: WebSocketClose, at now: Duration) {
    guard !isOver else { return }
    isOver = true
    release(at: now)
    log.end(.server(close.number), at: now)
    actions += [.bytes(writer.frame(close.frame)), .close]
  }
}
