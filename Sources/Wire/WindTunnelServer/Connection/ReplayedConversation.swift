internal import WindTunnel

/// A recorded conversation on its way to a client: bytes in and out, as its server says.
///
/// On the loop's thread only.
final class ReplayedConversation: ConnectionSuccessor {
  private let outcome: Outcome
  private let context: PortContext
  /// The client; it is held by its channel, as long as that is open.
  private weak var channel: LinkedConnection?
  private var server: ConversationServer
  private var ended: (() -> Void)?
  /// The conversation's clock, and the moment of the next wake.
  private let alarm: Alarm
  private var queue: [ConversationServer.Action] = []
  private var hasTold = false
  /// Tells whether the observer knows that the server has fallen silent.
  private var hasToldSilence = false

  /// Takes over a connection on which the handshake has been answered; `ended` is called when it is
  /// closed.
  init(
    _ server: consuming ConversationServer,
    of outcome: Outcome,
    on channel: LinkedConnection,
    in context: PortContext,
    ended: @escaping () -> Void
  ) {
    (self.outcome, self.channel, self.context, self.ended) = (outcome, channel, context, ended)
    self.server = server
    alarm = Alarm(on: channel.reactor)
    channel.delegate = self
  }

  private var now: Duration { alarm.now }

  /// Begins with what the server says behind the handshake.
  func begin() {
    context.deck.tell(.conversed(outcome, server.seen), of: outcome)
    queue += server.open(at: now)
    carry()
  }

  /// Ends the conversation since the server stops.
  func stop() {
    // However much waits: what is written now is sent before the end.
    for case .bytes(let data) in queue + server.goAway(at: now) { channel?.write(data) }
    queue = []
    tell()
    channel?.close()
  }

  /// Ends the connection at once, with nothing of what waits.
  func abandon() { channel?.abandon() }

  /// Tells whether a part of what was said is on the link.
  var hasUnread: Bool { channel?.hasUnread == true }

  private func receive(_ bytes: UnsafeRawBufferPointer) {
    queue += server.receive(bytes, at: now)
    carry()
  }

  /// Does what is queued, as far as the client takes it.
  private func carry() {
    guard let channel else { return }
    var done = 0
    while done < queue.count, !channel.isCongested {
      done += 1
      switch queue[done - 1] {
      case .bytes(let data): channel.write(data)
      case .close: channel.close()
      case .reset: channel.reset()
      // What the client still says is thrown away.
      case .stall: break
      case .wake(let moment): alarm.set(atLatest: moment) { [weak self] in self?.tick() }
      }
    }
    queue.removeFirst(done)
    if server.isOver, queue.isEmpty { tell() }
    tellSilence()
    // Nobody is read faster than it reads: what it says may ask for an answer.
    guard channel.isOpen else { return }
    if channel.isCongested {
      channel.pauseReading()
      channel.notifyWhenDrained()
    } else if channel.isReadingPaused {
      channel.resumeReading()
    }
  }

  private func tick() {
    queue += server.tick(at: now)
    carry()
  }

  /// Tells the deck's observer once that nothing more comes, since a client may wait for ever.
  private func tellSilence() {
    guard !hasToldSilence, server.isSilent else { return }
    hasToldSilence = true
    context.deck.tell(.conversed(outcome, server.seen), of: outcome)
  }

  /// Tells the deck once what was left of the recording.
  private func tell() {
    if !hasTold { context.deck.conversed(server, in: outcome) }
    hasTold = true
  }
}

extension ReplayedConversation: ChannelDelegate {
  func channel(_ channel: Channel, received bytes: UnsafeRawBufferPointer) { receive(bytes) }

  func channelReachedEnd(_ channel: Channel) {
    queue += server.clientEnded(at: now)
    carry()
  }

  func channelDrained(_ channel: Channel) { carry() }

  func channelClosed(_ channel: Channel, _ error: SocketError?) {
    alarm.cancel()
    server.left(at: now)
    tell()
    if ended != nil { context.deck.tell(.conversed(outcome, server.seen), of: outcome) }
    ended?()
    ended = nil
  }
}
