internal import WindTunnel

/// Carries bytes between a client and the server that it speaks with, both ways, until both ends
/// have closed.
///
/// Neither side is read faster than the other takes it. An end of one direction is passed on as
/// such, a reset as a reset. What goes wrong in a conversation is said elsewhere.
final class Relay {
  /// The things that happen to a side.
  enum Event {
    /// Bytes came; the memory is valid during the call only.
    case came(UnsafeRawBufferPointer)
    /// It sends no more.
    case ended
    /// A fault has ended its part.
    case cut
    /// Its connection is gone.
    case closed
  }

  private enum ServerEnd { case closed, reset }

  /// The client; it is held by its channel, as long as that is open.
  private weak var left: LinkedConnection?
  private let right: Channel
  /// The way of a conversation in which something goes wrong; `nil`: all bytes pass as they come.
  private var conversation: ConversationRelay?
  /// The conversation's clock, and the moment of its next wake.
  private let alarm: Alarm
  private var ended: ((SocketError?) -> Void)?
  /// Told once of the faults that were not done.
  private var tell: (([UndoneFault]) -> Void)?
  private var closedCount = 0
  private var error: SocketError?
  /// The sides whose ends the other one has been told of.
  private var passedEnds: Set<WebSocketRole> = []
  /// Tells whether a fault has ended the conversation, so that the server has nobody to talk to.
  private var isCut = false
  /// The end of the server's connection, which the client's follows; `nil`: it is there.
  private var serverEnd: ServerEnd?
  /// Told of all bytes and ends before they are passed on.
  private var observe: ((WebSocketRole, Event) -> Void)?

  /// Becomes the delegate of both; `ended` is called once, when both descriptors are closed.
  ///
  /// - Parameters:
  ///   - left: The client.
  ///   - right: The connection to the server.
  ///   - conversation: The conversation, where something goes wrong in it.
  ///   - observe: Told of all that passes, before it does.
  ///   - tell: Told once of the faults that were not done, as soon as none can be any more.
  ///   - ended: Called with the first error of a connection.
  init(
    _ left: LinkedConnection,
    _ right: Channel,
    through conversation: ConversationRelay? = nil,
    observing observe: ((WebSocketRole, Event) -> Void)? = nil,
    telling tell: (([UndoneFault]) -> Void)? = nil,
    ended: @escaping (SocketError?) -> Void
  ) {
    (self.left, self.right, self.observe, self.ended) = (left, right, observe, ended)
    (self.conversation, self.tell) = (conversation, tell)
    alarm = Alarm(on: right.reactor)
    left.delegate = self
    right.delegate = self
  }

  private var now: Duration { alarm.now }

  /// Begins with the answer to the client's upgrade, and what the server has said behind it.
  func begin(behind head: [UInt8] = [], with early: some Collection<UInt8> = []) {
    head.withUnsafeBytes { left?.write($0) }
    carry(conversation?.open())
    Array(early).withUnsafeBytes { came($0, from: .server) }
    if right.inputEnded { reachedEnd(.server) }
    if right.phase == .closed { closed(.server, nil) }
    regulate()
  }

  private func side(_ channel: Channel) -> WebSocketRole { channel === right ? .server : .client }

  private func came(_ bytes: UnsafeRawBufferPointer, from side: WebSocketRole) {
    guard !bytes.isEmpty else { return }
    observe?(side, .came(bytes))
    if conversation != nil {
      carry(conversation?.receive(bytes, from: side, at: now))
    } else if side == .client {
      right.write(bytes)
    } else {
      left?.write(bytes)
    }
    regulate()
  }

  /// Does what the conversation says.
  private func carry(_ actions: [ConversationRelay.Action]?) {
    for action in actions ?? [] {
      switch action {
      case .bytes(let data, to: .client): left?.write(data)
      case .bytes(let data, to: .server): right.write(data)
      // The end of the connection is the end of what it says.
      case .end(to: .client): if serverEnd == nil { passEnd(of: .server) }
      case .end(to: .server): passEnd(of: .client)
      case .close: cut { $0.close() }
      case .reset: cut { $0.reset() }
      case .stall: cut { _ in }
      case .wake(let moment): alarm.set(atLatest: moment) { [weak self] in self?.tick() }
      }
    }
  }

  private func cut(_ end: (LinkedConnection) -> Void) {
    isCut = true
    observe?(.server, .cut)
    tellUndone()
    right.close()
    guard let left, left.isOpen else { return }
    // Nobody it could be too fast for.
    left.resumeReading()
    end(left)
  }

  private func tellUndone() {
    if let conversation { tell?(conversation.undone) }
    tell = nil
  }

  private func tick() {
    carry(conversation?.tick(at: now))
    endClient()
    regulate()
  }

  /// Reads each side as fast as the other one takes it.
  private func regulate() {
    guard let left, !isCut else { return }
    if left.isCongested { left.notifyWhenDrained() }
    if right.isCongested { right.notifyWhenDrained() }
    right.pauseReading(left.isCongested || conversation?.isPaused == true)
    left.pauseReading(right.isCongested)
  }

  private func reachedEnd(_ side: WebSocketRole) {
    observe?(side, .ended)
    if conversation != nil {
      carry(conversation?.ended(side, at: now))
    } else {
      passEnd(of: side)
    }
  }

  /// Tells the other side that one sends no more.
  private func passEnd(of side: WebSocketRole) {
    passedEnds.insert(side)
    if passedEnds.count == 2 {
      left?.close()
      right.close()
    } else if side == .client {
      right.finishWriting()
    } else {
      left?.finishWriting()
    }
  }

  private func closed(_ side: WebSocketRole, _ error: SocketError?) {
    observe?(side, .closed)
    if side == .client { tellUndone() }
    closedCount += 1
    self.error = self.error ?? error
    guard closedCount < 2 else { return finish() }
    let isReset = error?.kind == .reset
    if side == .client {
      if isReset { right.reset() } else { right.close() }
    } else {
      serverEnd = isReset ? .reset : .closed
      // A fault may come in the place of the end.
      carry(conversation?.ended(.server, at: now))
      endClient()
    }
  }

  /// Ends the client as the server's connection has ended, behind what is held back for it.
  private func endClient() {
    guard let serverEnd, !isCut, conversation?.isPaused != true else { return }
    switch serverEnd {
    case .closed: left?.close()
    case .reset: left?.reset()
    }
  }

  private func finish() {
    alarm.cancel()
    ended?(error)
    (ended, observe, tell) = (nil, nil, nil)
  }
}

extension Relay: ChannelDelegate {
  func channel(_ channel: Channel, received bytes: UnsafeRawBufferPointer) {
    came(bytes, from: side(channel))
  }

  func channelDrained(_ channel: Channel) { regulate() }

  func channelReachedEnd(_ channel: Channel) { reachedEnd(side(channel)) }

  func channelClosed(_ channel: Channel, _ error: SocketError?) { closed(side(channel), error) }
}
