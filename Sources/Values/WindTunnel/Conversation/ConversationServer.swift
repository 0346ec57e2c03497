package import Foundation
@_spi(WindTunnel) internal import WindTunnelCore

/// The server's end of a recorded conversation, as bytes: what a client sends goes in, and what is
/// to be sent comes out, with all that goes wrong on the way.
package struct ConversationServer: ~Copyable {
  /// An action for a courier to take, in order.
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

  /// The head that answers the handshake.
  package let head: ResponseHead
  /// The player of the recording, which knows what was left of it.
  package private(set) var player: ConversationPlayer

  /// What is to be done, until the event at hand has been dealt with.
  private var actions: [Action] = []
  private var reader: WebSocketReader
  private let writer: WebSocketWriter
  private let faults: [ConversationFault]
  private var messages: FaultyMessages
  /// The player's actions that have not been done.
  private var backlog: [ConversationPlayer.Action] = []
  /// The time until which nothing of it is done.
  private var pausedUntil: Duration?
  /// The number of pongs that may be late at once; further pings are not answered.
  private static let latePongsMax = 10_000
  /// The pongs that are late, in order.
  private var latePongs: [(due: Duration, bytes: Data)] = []
  /// Tells whether nothing more is said.
  package private(set) var isOver = false
  /// Tells whether a fault has ended it, so that what the client has not said says nothing.
  private var isBroken = false
  private var log = ConversationLog()

  /// Tells whether a fault lets it say nothing more, with the connection open.
  package var isSilent: Bool { log.silentSince != nil }

  /// All that was seen so far.
  package var seen: ConversationLog {
    var seen = log
    // Behind an end that a fault has made nobody waits.
    seen.waiting = isBroken ? 0 : player.waiting.reduce(0) { $0 + $1.count }
    return seen
  }

  /// The messages that waited for one of the client's when it ended, a sentence for each.
  package var left: [String] {
    isBroken ? [] : player.waiting.map { "\($0), which the client has not sent." }
  }

  /// The faults of messages that have not been sent.
  package var undone: [UndoneFault] { messages.undone }

  /// Answers the handshake of a request.
  ///
  /// - Parameters:
  ///   - request: The request.
  ///   - version: The version of HTTP, such as `HTTP/1.1`.
  ///   - recorded: The recorded answer to one.
  ///   - player: The player of the recording.
  ///   - faults: The failures of the conversation.
  ///   - most: The most bytes of one message.
  /// - Throws: The refusal where the request breaks a rule.
  package init(
    answering request: Request,
    _ version: String,
    as recorded: ResponseHead,
    _ player: ConversationPlayer,
    _ faults: [ConversationFault],
    most: Int
  ) throws(WebSocketHandshake.Refusal) {
    var recorded = recorded
    if faults.needPlainMessages { recorded.headers.remove("Sec-WebSocket-Extensions") }
    let (answer, terms) = try WebSocketHandshake.replayed(recorded, to: request, version: version)
    head = faults.broken(answer)
    (self.player, self.faults, messages) = (player, faults, FaultyMessages(faults))
    reader = WebSocketReader(from: .client, terms.deflate, most: most)
    writer = WebSocketWriter(as: .server, terms.deflate)
  }

  // MARK: Events

  /// The handshake's answer has been sent.
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

  /// Bytes have come from the client.
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
        // What it is answered comes behind it.
        log.note(.init(from: .client, at: now, number: number, asks: asks), at: place)
      case .ping(let data):
        log.pings += 1
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

  /// Notes what a client says to a server that has fallen silent.
  private mutating func note(unanswered event: WebSocketReader.Event, at now: Duration) {
    switch event {
    case .message: log.note(.init(from: .client, at: now))
    case .ping:
      log.pings += 1
      if log.unansweredSince == nil { log.unansweredSince = now }
    case .pong(let data): note(pong: data)
    case .close(let close): log.end(.client(close.number), at: now)
    }
  }

  /// Notes an answer to one of the pings of a flood, which are numbered from 0.
  private mutating func note(pong data: Data) {
    guard let number = Int(String(decoding: data, as: UTF8.self)), 0..<log.serverPings ~= number
    else { return }
    log.clientPongs = max(log.clientPongs, number + 1)
  }

  /// A time has come.
  package mutating func tick(at now: Duration) -> [Action] {
    guard !isOver else { return [] }
    let due = latePongs.prefix { $0.due <= now }
    actions += due.map { .bytes($0.bytes) }
    log.pongs += due.count
    latePongs.removeFirst(due.count)
    if let next = latePongs.first { actions.append(.wake(next.due)) }
    advance(.tick, at: now)
    return exchange(&actions, with: [])
  }

  /// Ends the conversation since the server does (RFC 6455 §7.4.1, 1001).
  package mutating func goAway(at now: Duration) -> [Action] {
    log.end(.stopped, at: now)
    end(WebSocketClose(WebSocketClose.goingAway, "the server is stopped"), at: now)
    return exchange(&actions, with: [])
  }

  /// The client sends no more; without a close frame nothing more is said either (§7.1.5), and
  /// where all has been said the connection is of no use any more.
  package mutating func clientEnded(at now: Duration) -> [Action] {
    log.end(.clientLeft, at: now)
    isOver = true
    return [.close]
  }

  /// Notes that the connection has gone, which is the client's doing where nobody ended it before.
  package mutating func left(at now: Duration) { log.end(.clientLeft, at: now) }

  // MARK: What is said

  /// RFC 6455 §5.5.2: the same content comes back.
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
    log.pongs += 1
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

  /// Says what the next message was to overtake, since that has gone or none comes.
  private mutating func release(at now: Duration) {
    if let sent = messages.release() { put(sent, at: now) }
  }

  private mutating func end(
    by ending: ConversationFault.Ending,
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

  /// Says the last word. The client's answer to it is not waited for.
  private mutating func end(_ close: WebSocketClose, at now: Duration) {
    guard !isOver else { return }
    isOver = true
    release(at: now)
    log.end(.server(close.number), at: now)
    actions += [.bytes(writer.frame(close.frame)), .close]
  }
}
