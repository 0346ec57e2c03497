internal import WindTunnel

/// A recorded conversation with a client. A ``ConversationServer`` decides which bytes are sent.
///
/// Used only on the loop's thread.
final class ReplayedConversation: ConnectionSuccessor {
  private let outcome: Outcome
  private let context: PortContext
  /// The connection of the client. Its channel retains it while it is open.
  private weak var channel: LinkedConnection?
  private var server: ConversationServer
  private var ended: (() -> Void)?
  /// The conversation's clock, with the time of the next wake-up.
  private let alarm: Alarm
  private var queue: [ConversationServer.Action] = []
  private var hasTold = false
  /// Whether the observer was informed that the server sends no more.
  private var hasToldSilence = false

  /// Takes over a connection after its handshake was answered. `ended` is called when the
  /// connection is closed.
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

  /// Sends the server's first messages after the handshake.
  func begin() {
    context.deck.tell(.conversed(outcome, server.seen), of: outcome)
    queue += server.open(at: now)
    carry()
  }

  /// Ends the conversation because the server stops.
  func stop() {
    // Written without regard to congestion: these bytes are sent before the end.
    for case .bytes(let data) in queue + server.goAway(at: now) { channel?.write(data) }
    queue = []
    tell()
    channel?.close()
  }

  /// Ends the connection at once, without the waiting bytes.
  func abandon() { channel?.abandon() }

  func cut() { server.cut(at: now) }

  /// Whether the link still has bytes for the client.
  var hasUnread: Bool { channel?.hasUnread == true }

  private func receive(_ bytes: UnsafeRawBufferPointer) {
    queue += server.receive(bytes, at: now)
    carry()
  }

  /// Performs the queued actions until the client is congested.
  private func carry() {
    guard let channel else { return }
    var done = 0
    while done < queue.count, !channel.isCongested {
      done += 1
      switch queue[done - 1] {
      case .bytes(let data): channel.write(data)
      case .close: channel.close()
      case .reset: channel.reset()
      // Further bytes from the client are discarded.
      case .stall: break
      case .wake(let moment): alarm.set(atLatest: moment) { [weak self] in self?.tick() }
      }
    }
    queue.removeFirst(done)
    if server.isOver, queue.isEmpty { tell() }
    tellSilence()
    // The client is not read while it is congested, because its messages may cause responses.
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

  /// Reports once that the server sends no more, since a client may wait indefinitely.
  private func tellSilence() {
    guard !hasToldSilence, server.isSilent else { return }
    hasToldSilence = true
    context.deck.tell(.conversed(outcome, server.seen), of: outcome)
  }

  /// Reports the conversation once to the deck, which notes the messages that were not played.
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
