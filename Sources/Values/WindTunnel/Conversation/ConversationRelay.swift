package import Foundation

/// A live conversation between a client and its server, with all that goes wrong on the way: what
/// one side sends goes in, and what the other one gets comes out.
///
/// Bytes that no fault is about pass as they are, whether they keep to the rules or not. A message
/// that is changed is held until it is whole. Neither side may compress messages where one is
/// changed (``Swift/Array/needPlainMessages``).
package struct ConversationRelay {
  /// An action for a courier to take, in order.
  package enum Action: Sendable, Hashable {
    /// Send these bytes to a side.
    case bytes(Data, to: WebSocketRole)
    /// Tell a side that the other one sends no more (FIN).
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

  /// The handling of the server's frame that is coming.
  private enum Handling: Equatable {
    case passes
    /// It belongs to a message that is changed.
    case isCollected
    /// It is a pong that goes later.
    case isDelayed
    case isDropped
  }

  /// A message of the server's that is changed, as far as it has come.
  private struct Message {
    var isText: Bool
    /// The bytes of its frames, as they came.
    var bytes = Data()
    var content = Data()
  }

  private let faults: [ConversationFault]
  private var messages: FaultyMessages
  private let writer = WebSocketWriter(as: .server, nil)
  private let most: Int

  private var fromServer = WebSocketFrameSplitter()
  /// The head of the server's frame that is coming; `nil` between two.
  private var head: WebSocketFrameSplitter.Head?
  private var handling = Handling.passes
  private var mask: WebSocketMask?
  private var message: Message?
  private var pong = Data()
  /// The pongs that are late, in order.
  private var latePongs: [(due: Duration, bytes: Data)] = []

  private var fromClient = WebSocketFrameSplitter()
  /// The client's pong that is coming, and its content; `nil`: none is.
  private var clientPong: (bytes: Data, content: Data, mask: WebSocketMask?)?
  /// The contents of a flood's pings that the client has not answered.
  private var openPings: Set<Data> = []
  private var isClientClosing = false
  /// Tells whether the client has said its last word, and the server's to it is withheld.
  private var withholdsClose = false
  /// Tells whether the client has the server's close frame, to which its own is the answer.
  private var hasServerClosed = false

  /// The time until which nothing of the server's passes; `nil`: it does.
  private var pausedUntil: Duration?
  /// The beginning of the message that waits for that time.
  private var waiting: WebSocketFrameSplitter.Head?
  /// The bytes behind it.
  private var backlog = Data()
  private var hasServerEnded = false
  private var hasClientEnded = false
  /// The faults whose messages have passed as they were.
  private var passed: [UndoneFault] = []
  /// What is to be done, until the event at hand has been dealt with.
  private var actions: [Action] = []
  /// Tells whether a fault has ended the conversation; the server has nobody to talk to then.
  package private(set) var isOver = false

  /// Tells whether the server is to be read no more for now.
  package var isPaused: Bool { pausedUntil != nil }

  /// The faults that were not done.
  package var undone: [UndoneFault] { passed + incomplete + messages.undone }

  /// The faults of a message that is changed and has not come whole.
  private var incomplete: [UndoneFault] {
    message == nil ? [] : messages.changes.map { $0.undone("the message did not come whole") }
  }

  /// The number of pongs that may be late at once; further ones are dropped.
  private static let latePongsMax = 10_000

  /// Begins behind a handshake.
  ///
  /// - Parameters:
  ///   - faults: The failures of the conversation.
  ///   - most: The most bytes of a message that is changed; a longer one passes as it is.
  package init(_ faults: [ConversationFault], most: Int) {
    (self.faults, messages, self.most) = (faults, FaultyMessages(faults), most)
  }

  // MARK: Events

  /// The handshake's answer has been sent.
  package mutating func open() -> [Action] {
    guard faults.contains(.control(.pingFlood)) else { return [] }
    let contents = (0..<ConversationFault.Control.pingCount).map { Data("\($0)".utf8) }
    openPings = Set(contents)
    let pings = contents.map { writer.frame(WebSocketFrame(.ping, $0)) }
    return [.bytes(Data(pings.joined()), to: .client)]
  }

  /// Bytes have come from a side.
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

  /// A side sends no more (FIN).
  package mutating func ended(_ sender: WebSocketRole, at now: Duration) -> [Action] {
    if sender == .client {
      hasClientEnded = true
      return [isOver ? .close : .end(to: .server)]
    }
    // Who tells of a FIN and then of the connection's end tells of one end.
    if hasServerEnded { return [] }
    hasServerEnded = true
    if !isOver, !isPaused { endServer() }
    return exchange(&actions, with: [])
  }

  /// A time has come.
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

  // MARK: What the server says

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
      // A message that goes on is not over by the rules (§5.4).
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
        // It is read to its end, so that whoever reads along has all of it.
        handling = .isDropped
      } else {
        // What was held back goes in front of the last word, and nothing behind it.
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

  /// Adds bytes to the message that is changed; false where it is too long for that, and passes.
  @discardableResult
  private mutating func collect(_ bytes: Data) -> Bool {
    message?.bytes.append(bytes)
    guard let message, message.bytes.count > most else { return true }
    passed += messages.changes.map {
      $0.undone("the message has more than \(most) bytes, which is the limit here")
    }
    handling = .passes
    self.message = nil
    put(message.bytes, to: .client)
    return false
  }

  /// A frame of the server's has come whole.
  private mutating func end(at now: Duration) {
    guard let head else { return }
    self.head = nil
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

  /// Sends the pongs that are due, unless the client has a part of a frame.
  private mutating func sendLatePongs(at now: Duration) {
    guard isBetweenFrames else { return }
    let due = latePongs.prefix { $0.due <= now }
    for pong in due { put(pong.bytes, to: .client) }
    latePongs.removeFirst(due.count)
    if let next = latePongs.first { actions.append(.wake(next.due)) }
  }

  /// Tells whether the client has no part of a frame.
  private var isBetweenFrames: Bool { head == nil || handling != .passes }

  /// Lets a message that is changed pass as far as it has come, since it comes no further.
  private mutating func giveUpMessage() {
    guard let message else { return }
    passed += incomplete
    release()
    self.message = nil
    put(message.bytes, to: .client)
  }

  /// Says what the next message was to overtake, since that has gone or none comes.
  private mutating func release() {
    if let sent = messages.release() { put(sent.bytes, to: .client) }
  }

  /// The server has sent its last byte, and that has passed.
  private mutating func endServer() {
    if withholdsClose { return end(by: .stall) }
    if isBetweenFrames {
      giveUpMessage()
      release()
    }
    actions.append(.end(to: .client))
  }

  private mutating func end(by ending: ConversationFault.Ending) {
    isOver = true
    release()
    if let frame = ending.closeFrame { put(writer.frame(frame), to: .client) }
    switch ending {
    case .reset: actions.append(.reset)
    case .close, .frame, .oneByteFrame: actions.append(.close)
    // Nobody waits who has left.
    case .stall: actions.append(hasClientEnded ? .close : .stall)
    }
  }

  // MARK: What the client says

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
    if let pong = clientPong {
      clientPong = nil
      // The server has sent no ping of the flood, and is told of no answer to one.
      if openPings.remove(pong.content) == nil { put(pong.bytes, to: .server) }
    }
    if isClientClosing, !hasServerClosed, faults.contains(.control(.unansweredClose)) {
      withholdsClose = true
    }
  }

  /// Adds bytes to those that go to the same side.
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
