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

  private var reader: WebSocketReader
  private let writer: WebSocketWriter
  private let faults: [ConversationFault]
  /// The player's actions that have not been done.
  private var backlog: [ConversationPlayer.Action] = []
  /// The time until which nothing of it is done.
  private var pausedUntil: Duration?
  /// The number of the server's messages so far.
  private var count = 0
  /// The number of the last message that has waited; 0: none has.
  private var waited = 0
  /// A message that lets the next one go first: its frames, and what the log has of it.
  private var overtaken: (bytes: Data, messages: [ConversationLog.Message])?
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
  package var undone: [UndoneFault] {
    faults.filter { ($0.message ?? 0) > count }.map {
      UndoneFault(.conversation($0), because: "\(count) messages were sent")
    }
  }

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
    // What is compressed may refer to all messages before it, and they have to have come.
    if faults.contains(where: \.changesMessages) {
      recorded.headers.remove("Sec-WebSocket-Extensions")
    }
    let (answer, terms) = try WebSocketHandshake.replayed(recorded, to: request, version: version)
    head = Self.broken(answer, by: faults)
    (self.player, self.faults) = (player, faults)
    reader = WebSocketReader(from: .client, terms.deflate, most: most)
    writer = WebSocketWriter(as: .server, terms.deflate)
  }

  private static func broken(_ head: ResponseHead, by faults: [ConversationFault]) -> ResponseHead {
    var head = head
    for case .handshake(let fault) in faults {
      switch fault {
      case .wrongAccept:
        head.headers["Sec-WebSocket-Accept"] = WebSocketHandshake.accept("another key")
      case .unaskedSubprotocol: head.headers["Sec-WebSocket-Protocol"] = "x-unasked"
      case .unaskedExtension: head.headers["Sec-WebSocket-Extensions"] = "x-unasked"
      }
    }
    return head
  }

  // MARK: Events

  /// The handshake's answer has been sent.
  package mutating func open(at now: Duration) -> [Action] {
    var actions: [Action] = []
    if faults.contains(.control(.pingFlood)) {
      let pings = (0..<ConversationFault.Control.pingCount).map { number in
        writer.frame(WebSocketFrame(.ping, Data("\(number)".utf8)))
      }
      actions.append(.bytes(Data(pings.joined())))
      log.serverPings = ConversationFault.Control.pingCount
    }
    advance(.opened, at: now, &actions)
    return actions
  }

  /// Bytes have come from the client.
  package mutating func receive(_ bytes: UnsafeRawBufferPointer, at now: Duration) -> [Action] {
    if isOver, log.silentSince == nil { return [] }
    var actions: [Action] = []
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
        advance(.message(data, isText: isText), at: now, &actions)
        let number = player.stray == nil ? player.lastHeard : nil
        let asks = number.map { player.asks($0) } ?? false
        // What it is answered comes behind it.
        log.note(.init(from: .client, at: now, number: number, asks: asks), at: place)
      case .ping(let data):
        log.pings += 1
        answer(ping: data, at: now, &actions)
      case .pong(let data): note(pong: data)
      case .close(let close):
        log.end(.client(close.code.map { Int($0) } ?? 1005), at: now)
        if faults.contains(.control(.unansweredClose)) {
          (isOver, isBroken) = (true, true)
          actions.append(.stall)
        } else {
          let code = close.code.map { Int($0) } ?? 1005
          advance(.closed(code: code, reason: close.reason), at: now, &actions)
        }
      }
    }
    if let failure, !isOver {
      end(WebSocketClose(failure.code, failure.description), at: now, &actions)
    }
    return actions
  }

  /// Notes what a client says to a server that has fallen silent.
  private mutating func note(unanswered event: WebSocketReader.Event, at now: Duration) {
    switch event {
    case .message: log.note(.init(from: .client, at: now))
    case .ping:
      log.pings += 1
      if log.unansweredSince == nil { log.unansweredSince = now }
    case .pong(let data): note(pong: data)
    case .close(let close): log.end(.client(close.code.map { Int($0) } ?? 1005), at: now)
    }
  }

  /// Notes an answer to one of the pings of a flood, which are numbered from 0.
  private mutating func note(pong data: Data) {
    guard let number = Int(String(decoding: data, as: UTF8.self)),
      0..<log.serverPings ~= number
    else { return }
    log.clientPongs = max(log.clientPongs, number + 1)
  }

  /// A time has come.
  package mutating func tick(at now: Duration) -> [Action] {
    guard !isOver else { return [] }
    var actions: [Action] = []
    let due = latePongs.prefix { $0.due <= now }
    actions += due.map { .bytes($0.bytes) }
    log.pongs += due.count
    latePongs.removeFirst(due.count)
    if let next = latePongs.first { actions.append(.wake(next.due)) }
    advance(.tick, at: now, &actions)
    return actions
  }

  /// Ends the conversation since the server does (RFC 6455 §7.4.1, 1001).
  package mutating func goAway(at now: Duration) -> [Action] {
    log.end(.stopped, at: now)
    var actions: [Action] = []
    end(WebSocketClose(WebSocketClose.goingAway, "the server is stopped"), at: now, &actions)
    return actions
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
  private mutating func answer(ping: Data, at now: Duration, _ actions: inout [Action]) {
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
    at now: Duration,
    _ actions: inout [Action]
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
        if let wait = wait(before: count + 1) {
          (pausedUntil, waited) = (now + wait, count + 1)
          done -= 1
          return actions.append(.wake(now + wait))
        }
        count += 1
        send(data, isText: isText, fragments, of: number, at: now, &actions)
      case .close(let code, let reason):
        end(WebSocketClose(code == 1005 ? nil : UInt16(clamping: code), reason), at: now, &actions)
      case .drop:
        isOver = true
        release(at: now, &actions)
        log.end(.serverLeft, at: now)
        actions.append(.close)
      case .wake(let moment): actions.append(.wake(moment))
      }
    }
  }

  /// Returns the time by which a message is late; `nil`: it is not, or has waited.
  private func wait(before number: Int) -> Duration? {
    guard number > waited else { return nil }
    for case .message(.late(let wait), number) in faults { return wait }
    return nil
  }

  private mutating func send(
    _ data: Data,
    isText: Bool,
    _ fragments: [Int],
    of number: Int,
    at now: Duration,
    _ actions: inout [Action]
  ) {
    for case .end(let ending, before: count) in faults { return end(by: ending, at: now, &actions) }
    var bytes = writer.message(data, isText: isText, fragments: fragments)
    for case .form(let form, of: count) in faults {
      bytes = Self.formed(form, data, isText: isText, bytes, by: writer)
    }
    var (holds, copies) = (false, 1)
    for case .message(let change, count) in faults {
      switch change {
      case .duplicate: (bytes, copies) = (bytes + bytes, 2 * copies)
      case .drop: (bytes, copies) = (Data(), 0)
      case .swap: holds = true
      case .late: break
      }
    }
    let digest = player.answersHeartbeat(number) ? nil : ConversationLog.digest(of: data)
    let message = ConversationLog.Message(from: .server, at: now, number: number, digest: digest)
    let sent = [ConversationLog.Message](repeating: message, count: copies)
    if holds {
      overtaken = ((overtaken?.bytes ?? Data()) + bytes, (overtaken?.messages ?? []) + sent)
      return
    }
    if !bytes.isEmpty { actions.append(.bytes(bytes)) }
    for message in sent { log.note(message) }
    release(at: now, &actions)
  }

  /// Returns a message in a form that is forbidden or rare.
  private static func formed(
    _ form: ConversationFault.Form,
    _ data: Data,
    isText: Bool,
    _ bytes: Data,
    by writer: WebSocketWriter
  ) -> Data {
    let plain = WebSocketFrame(isText ? .text : .binary, data)
    switch form {
    case .masked: return plain.encoded(masking: 0x0102_0304)
    case .reservedBit: return changed(bytes) { $0[$0.startIndex] |= 0x20 }
    case .reservedOpcode: return changed(bytes) { $0[$0.startIndex] = 0x83 }
    case .longLength: return head(of: plain, UInt64(data.count)) + data
    case .hugeLength: return head(of: plain, UInt64(Int64.max)) + data
    case .fragmentedPing:
      return WebSocketFrame(.ping, Data("pi".utf8), isFinal: false).encoded(masking: nil)
        + WebSocketFrame(.continuation, Data("ng".utf8)).encoded(masking: nil) + bytes
    case .invalidUTF8: return WebSocketFrame(.text, data + [0xFF]).encoded(masking: nil)
    case .fragmented:
      return writer.message(
        data,
        isText: isText,
        fragments: [Int](repeating: 1, count: min(data.count, WebSocketReader.framesMax))
      )
    }
  }

  private static func changed(_ bytes: Data, _ change: (inout Data) -> Void) -> Data {
    var bytes = bytes
    change(&bytes)
    return bytes
  }

  /// Returns the head of a frame whose length takes eight bytes (§5.2).
  private static func head(of frame: WebSocketFrame, _ length: UInt64) -> Data {
    var head = Data([0x80 | frame.opcode.rawValue, 127])
    withUnsafeBytes(of: length.bigEndian) { head.append(contentsOf: $0) }
    return head
  }

  /// Says what the next message was to overtake, since none comes.
  private mutating func release(at now: Duration, _ actions: inout [Action]) {
    guard let (bytes, messages) = overtaken else { return }
    overtaken = nil
    if !bytes.isEmpty { actions.append(.bytes(bytes)) }
    for var message in messages {
      message.at = now
      log.note(message)
    }
  }

  private mutating func end(
    by ending: ConversationFault.Ending,
    at now: Duration,
    _ actions: inout [Action]
  ) {
    (isOver, isBroken) = (true, true)
    release(at: now, &actions)
    switch ending {
    case .reset, .close: log.end(.serverLeft, at: now)
    case .stall: log.silentSince = now
    case .frame(let code): log.end(.server(code), at: now)
    case .oneByteFrame: log.end(.server(1005), at: now)
    }
    switch ending {
    case .reset: actions.append(.reset)
    case .close: actions.append(.close)
    case .stall: actions.append(.stall)
    case .frame(let code):
      let content = withUnsafeBytes(of: UInt16(clamping: code).bigEndian) { Data($0) }
      actions += [.bytes(writer.frame(WebSocketFrame(.close, content))), .close]
    case .oneByteFrame:
      actions += [.bytes(writer.frame(WebSocketFrame(.close, Data([3])))), .close]
    }
  }

  /// Says the last word. The client's answer to it is not waited for.
  private mutating func end(
    _ close: WebSocketClose,
    at now: Duration,
    _ actions: inout [Action]
  ) {
    guard !isOver else { return }
    isOver = true
    release(at: now, &actions)
    log.end(.server(close.code.map { Int($0) } ?? 1005), at: now)
    actions += [.bytes(writer.frame(close.frame)), .close]
  }
}
