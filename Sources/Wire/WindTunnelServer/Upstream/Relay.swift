internal import WindTunnel

/// A relay of bytes between a client and its server, in both directions, until both ends have
/// closed.
///
/// Neither side is read faster than the other accepts bytes. The end of one direction is passed on
/// as an end, and a reset as a reset. The faults of a conversation are decided elsewhere.
final class Relay: ChannelDelegate {
  /// The events of one side.
  enum Event {
    /// Bytes have arrived; the memory is valid only during the call.
    case came(UnsafeRawBufferPointer)
    /// The side sends no more.
    case ended
    /// A fault has ended the side's part.
    case cut
    /// The side's connection is closed.
    case closed
  }

  private enum ServerEnd { case closed, reset }

  /// The client, whose channel holds it while the channel is open.
  private weak var left: LinkedConnection?
  private let right: Channel
  /// The faults of the conversation; `nil` to pass all bytes unchanged.
  private var conversation: ConversationRelay?
  /// The clock of the conversation, and the time of its next wake-up.
  private let alarm: Alarm
  private var ended: ((SocketError?) -> Void)?
  /// Called once with the faults that were not applied.
  private var tell: (([UndoneFault]) -> Void)?
  private var closedCount = 0
  private var error: SocketError?
  /// The sides whose end has been passed on to the other side.
  private var passedEnds: Set<WebSocketRole> = []
  /// Whether a fault has ended the conversation, so that the server has no peer.
  private var isCut = false
  /// The end of the server's connection, which the client's connection follows; `nil` if it is
  /// open.
  private var serverEnd: ServerEnd?
  /// Called with all bytes and ends before they are passed on.
  private var observe: ((WebSocketRole, Event) -> Void)?

  /// Becomes the delegate of both connections; `ended` is called once, when both descriptors are
  /// closed.
  ///
  /// - Parameters:
  ///   - left: The client.
  ///   - right: The connection to the server.
  ///   - conversation: The conversation, if it has faults.
  ///   - observe: Called with each event before it is passed on.
  ///   - tell: Called once with the faults that were not applied, as soon as no more can be
  ///     applied.
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

  /// Begins with the response to the client's upgrade, and the bytes that the server sent after its
  /// own.
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

  /// Performs the actions of the conversation.
  private func carry(_ actions: [ConversationRelay.Action]?) {
    for action in actions ?? [] {
      switch action {
      case .bytes(let data, to: .client): left?.write(data)
      case .bytes(let data, to: .server): right.write(data)
      // The end of the server's connection takes effect after all its bytes.
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
    // The server's connection is closed, so the client need not be slowed down.
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

  /// Reads each side as fast as the other one accepts bytes.
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

  /// Informs the other side that this side sends no more.
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
      // A fault may replace the end.
      carry(conversation?.ended(.server, at: now))
      endClient()
    }
  }

  /// Ends the client's connection in the same way as the server's, after the bytes that are held
  /// back for it.
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

  func channel(_ channel: Channel, received bytes: UnsafeRawBufferPointer) {
    came(bytes, from: side(channel))
  }

  func channelDrained(_ channel: Channel) { regulate() }

  func channelReachedEnd(_ channel: Channel) { reachedEnd(side(channel)) }

  func channelClosed(_ channel: Channel, _ error: SocketError?) { closed(side(channel), error) }
}
