package import Foundation

/// A live conversation between a client and its server, with faults.
///
/// A state machine: its inputs are the bytes of one side, and its outputs are the bytes for the
/// other.
///
/// Bytes without a fault are relayed unchanged, even if they are invalid. A message that is changed
/// is held until it is complete. If a message is changed, neither side may use compression
/// (``Swift/Array/needPlainMessages``).
package struct ConversationRelay {
  /// An action for a courier; actions are performed in order.
  package enum Action: Sendable, Hashable {
    /// Send these bytes to a side.
    case bytes(Data, to: WebSocketRole)
    /// Report to a side that the other one sends no more bytes (FIN).
    case end(to: WebSocketRole)
    /// Close the client's connection once everything has been sent.
    case close
    /// Abort the client's connection with RST once everything has been sent.
    case reset
    /// Send nothing more to the client and keep its connection open.
    case stall
    /// Call ``tick(at:)`` at this time.
    case wake(Duration)
  }

  /// The handling of the server's frame that is being received.
  private enum Handling: Equatable {
    case passes
    /// The frame belongs to a message that is changed.
    case isCollected
    /// The frame is a pong that is sent later.
    case isDelayed
    case isDropped
  }

  /// A server's message that is changed, as far as it has been received.
  private struct Message {
    var isText: Bool
    /// The bytes of its frames, as they were received.
    var bytes = Data()
    var content = Data()
  }

  private let faults: [ConversationFault]
  private var messages: FaultyMessages
  private let writer = WebSocketWriter(as: .server, nil)
  private let most: Int

  private var fromServer = WebSocketFrameSplitter()
  /// The head of the server's frame that is being received; `nil` between two frames.
  private var head: WebSocketFrameSplitter.Head?
  private var handling = Handling.passes
  private var mask: WebSocketMask?
  private var message: Message?
  private var pong = Data()
  /// The delayed pongs, in order.
  private var latePongs: [(due: Duration, bytes: Data)] = []

  private var fromClient = WebSocketFrameSplitter()
  /// The client's pong that is being received, and its content; `nil` if there is none.
  private var clientPong: (bytes: Data, content: Data, mask: WebSocketMask?)?
  /// The contents of a flood's pings that have no reply yet.
  private var openPings: Set<Data> = []
  private var isClientClosing = false
  /// Whether the client has sent a close frame, and the server's reply is withheld.
  private var withholdsClose = false
  /// Whether the client has received the server's close frame, to which its own is the reply.
  private var hasServerClosed = false

  /// The time until which the server's bytes are held; `nil` if they are not.
  private var pausedUntil: Duration?
  /// The head of the message that waits for that time.
  private var waiting: WebSocketFrameSplitter.Head?
  /// The bytes after the head.
  private var backlog = Data()
  private var hasServerEnded = false
  private var hasClientEnded = false
  /// The faults of messages that were relayed unchanged.
  private var passed: [UndoneFault] = []
  /// The actions of the event that is being processed.
  private var actions: [Action] = []
  /// Whether a fault has ended the conversation, after which the server has no peer.
  package private(set) var isOver = false

  /// Whether the server's bytes must not be read at the moment.
  package var isPaused: Bool { pausedUntil != nil }

  /// The faults that did not happen.
  package var undone: [UndoneFault] { passed + incomplete + messages.undone }

  /// The faults of a message that is changed and incomplete.
  private var incomplete: [UndoneFault] {
    message == nil ? [] : messages.changes.map { $0.undone("the message is incomplete") }
  }

  /// The maximum number of delayed pongs; further ones are dropped.
  private static let latePongsMax = 10_000

  /// Creates a relay for a conversation after its handshake.
  ///
  /// - Parameters:
  ///   - faults: The faults of the conversation.
  ///   - most: The maximum size of a message that is changed, in bytes; a longer one is relayed
  ///     unchanged.
  package init(_ faults: [ConversationFault], most: Int) {
    (self.faults, messages, self.most) = (faults, FaultyMessages(faults), most)
  }

  // MARK: Events

  /// Processes the end of the handshake's response.
  package mutating func open() -> [Action] {
    guard faults.contains(.control(.pingFlood)) else { return [] }
    let contents = (0..<ConversationFault.Control.pingCount).map { Data("\($0)".utf8) }
    openPings = Set(contents)
    let pings = contents.map { writer.frame(WebSocketFrame(.ping, $0)) }
    return [.bytes(Data(pings.joined()), to: .client)]
  }

  /// Processes bytes from a side.
  package mutating func receive(
    _ bytes: UnsafeRawBufferPointer,
    from sender: WebSocketRole,
    at now: Duration
  ) -> [Action] {
    guard !isOver else { return [] }
    switch sender {
    case .client: readClient(bytes)
    case .server where isPaused: backlog.append(contentsOf: bytes)
    case .server: readServer(bytes, at: now)
    }
    return exchange(&actions, with: [])
  }

  /// Processes the end of a side's bytes (FIN).
  package mutating func ended(_ sender: WebSocketRole, at now: Duration) -> [Action] {
    if sender == .client {
      hasClientEnded = true
      return [isOver ? .close : .end(to: .server)]
    }
    // A courier may report a FIN and then the connection's end, which are one end.
    if hasServerEnded { return [] }
    hasServerEnded = true
    if !isOver, !isPaused { endServer() }
    return exchange(&actions, with: [])
  }

  /// Processes a time that was requested.
  package mutating func tick(at now: Duration) -> [Action] {
    guard !isOver else { return [] }
    sendLatePongs(at: now)
    guard let end = pausedUntil else { return exchange(&actions, with: []) }
    guard end <= now else { return exchange(&actions, with: []) + [.wake(end)] }
    pausedUntil = nil
    let bytes = exchange(&backlog, with: Data())
    if let head = waiting.take() { begin(head, at: now) }
    if !isOver { bytes.withUnsafeBytes { readServer($0, at: now) } }
    if !isOver, !isPaused, hasServerEnded { endServer() }
    return exchange(&actions, with: [])
  }

  // MARK: The server's bytes

  private mutating func readServer(
    _ bytes: UnsafeRawBufferPointer,
    at now: Duration
  ) {
    var rest = bytes[...]
    while !isOver, !isPaused, let piece = fromServer.next(&rest) {
      switch piece {
      case .head(let head): begin(head, at: now)
      case .content(let content): take(content)
      case .end: end(at: now)
      }
    }
    if isPaused { backlog.append(contentsOf: UnsafeRawBufferPointer(rebasing: rest)) }
  }

  private mutating func begin(
    _ head: WebSocketFrameSplitter.Head,
    at now: Duration
  ) {
    if head.opcode == .text || head.opcode == .binary {
      // A new message ends an incomplete one, which violates the protocol (§5.4).
      giveUpMessage()
      if let wait = messages.waitForNext() {
        (pausedUntil, waiting) = (now + wait, head)
        return actions.append(.wake(now + wait))
      }
      if let ending = messages.begin() { return end(by: ending) }
      message = messages.changes.isEmpty ? nil : Message(isText: head.opcode == .text)
    }
    (self.head, mask) = (head, head.maskingKey.map { WebSocketMask($0) })
    handling =
      switch head.opcode {
      case .text?, .binary?, .continuation?: message == nil ? .passes : .isCollected
      case .pong? where head.isControl: pongHandling
      case .pong?, .ping?, .close?, nil: .passes
      }
    if head.opcode == .close {
      if withholdsClose {
        // It is read to its end, so that an observer of the bytes has all of it.
        handling = .isDropped
      } else {
        // Held bytes are sent before the close frame, and none after it.
        giveUpMessage()
        release()
        latePongs = []
        hasServerClosed = true
      }
    }
    switch handling {
    case .passes: put(head.bytes, to: .client)
    case .isCollected: collect(head.bytes)
    case .isDelayed: pong = head.bytes
    case .isDropped: break
    }
  }

  private var pongHandling: Handling {
    for case .control(let control) in faults {
      switch control {
      case .noPong: return .isDropped
      case .latePong: return .isDelayed
      case .pingFlood, .unansweredClose: break
      }
    }
    return .passes
  }

  private mutating func take(_ content: UnsafeRawBufferPointer) {
    switch handling {
    case .passes: put(Data(content), to: .client)
    case .isDelayed: pong.append(contentsOf: content)
    case .isDropped: break
    case .isCollected:
      var plain = Data(content)
      guard collect(plain) else { return }
      plain.withUnsafeMutableBytes { mask?.applyNext(to: $0) }
      message?.content.append(plain)
    }
  }

  /// Adds bytes to a message that is changed; returns false if it becomes too long, and relays it.
  @discardableResult
  private mutating func collect(_ bytes: Data) -> Bool {
    message?.bytes.append(bytes)
    guard let message, message.bytes.count > most else { return true }
    passed += messages.changes.map {
      $0.undone("the message has more than the maximum of \(most) bytes")
    }
    handling = .passes
    self.message = nil
    put(message.bytes, to: .client)
    return false
  }

  /// Processes the end of a server's frame.
  private mutating func end(at now: Duration) {
    guard let head = self.head.take() else { return }
    if head.opcode == .close, handling == .isDropped { return end(by: .stall) }
    let isMessage = head.opcode != nil && head.opcode?.isControl == false
    if handling == .isDelayed { delay(at: now) }
    if isMessage, head.isFinal {
      if let message, handling == .isCollected {
        self.message = nil
        let sent = messages.send(
          message.content,
          isText: message.isText,
          as: message.bytes,
          by: writer
        )
        if let sent {
          put(sent.bytes, to: .client)
          release()
        }
      } else {
        release()
      }
    }
    sendLatePongs(at: now)
  }

  private mutating func delay(at now: Duration) {
    for case .control(.latePong(let wait)) in faults {
      if latePongs.count < Self.latePongsMax {
        latePongs.append((now + wait, pong))
        actions.append(.wake(now + wait))
      }
      return
    }
  }

  /// Sends the pongs that are due, unless the client has received part of a frame.
  private mutating func sendLatePongs(at now: Duration) {
    guard isBetweenFrames else { return }
    let due = latePongs.prefix { $0.due <= now }
    for pong in due { put(pong.bytes, to: .client) }
    latePongs.removeFirst(due.count)
    if let next = latePongs.first { actions.append(.wake(next.due)) }
  }

  /// Whether the client has received no part of an incomplete frame.
  private var isBetweenFrames: Bool { head == nil || handling != .passes }

  /// Relays the received part of a message that should be changed, because no more of it will
  /// arrive.
  private mutating func giveUpMessage() {
    guard let message else { return }
    passed += incomplete
    release()
    self.message = nil
    put(message.bytes, to: .client)
  }

  /// Sends the overtaken message, after the next message or if there is none.
  private mutating func release() {
    if let sent = messages.release() { put(sent.bytes, to: .client) }
  }

  /// Processes the server's end after all its bytes have been relayed.
  private mutating func endServer() {
    if withholdsClose { return end(by: .stall) }
    if isBetweenFrames {
      giveUpMessage()
      release()
    }
    actions.append(.end(to: .client))
  }

  private mutating func end(by ending: ConversationFault.ConnectionEnd) {
    isOver = true
    release()
    if let frame = ending.closeFrame { put(writer.frame(frame), to: .client) }
    switch ending {
    case .reset: actions.append(.reset)
    case .close, .frame, .oneByteFrame: actions.append(.close)
    // A client that has closed its side does not wait.
    case .stall: actions.append(hasClientEnded ? .close : .stall)
    }
  }

  // MARK: The client's bytes

  private mutating func readClient(_ bytes: UnsafeRawBufferPointer) {
    guard faults.contains(.control(.pingFlood)) || faults.contains(.control(.unansweredClose))
    else { return put(Data(bytes), to: .server) }
    var rest = bytes[...]
    while let piece = fromClient.next(&rest) {
      switch piece {
      case .head(let head):
        isClientClosing = head.opcode == .close
        if head.opcode == .pong, head.isControl {
          clientPong = (head.bytes, Data(), head.maskingKey.map { WebSocketMask($0) })
        } else {
          put(head.bytes, to: .server)
        }
      case .content(let content):
        if clientPong == nil {
          put(Data(content), to: .server)
        } else {
          var plain = Data(content)
          clientPong?.bytes.append(plain)
          plain.withUnsafeMutableBytes { clientPong?.mask?.applyNext(to: $0) }
          clientPong?.content.append(plain)
        }
      case .end: endClientFrame()
      }
    }
  }

  private mutating func endClientFrame() {
    if let pong = clientPong.take() {
      // The server did not send the pings of the flood, so it does not receive the replies.
      if openPings.remove(pong.content) == nil { put(pong.bytes, to: .server) }
    }
    if isClientClosing, !hasServerClosed, faults.contains(.control(.unansweredClose)) {
      withholdsClose = true
    }
  }

  /// Adds bytes to the last action if that is for the same side.
  private mutating func put(_ bytes: Data, to side: WebSocketRole) {
    guard !bytes.isEmpty else { return }
    if case .bytes(var all, side)? = actions.last {
      actions.removeLast()
      all.append(bytes)
      actions.append(.bytes(all, to: side))
    } else {
      actions.append(.bytes(bytes, to: side))
    }
  }
}
