internal import Foundation
internal import WindTunnel

/// A recorded conversation on its way to a client: frames in and out, as the player says.
///
/// On the loop's thread only.
final class ReplayedConversation {
  private let outcome: Outcome
  private let context: PortContext
  private let channel: Channel
  private let writer: WebSocketWriter
  private var reader: WebSocketReader
  private var player: ConversationPlayer
  private var ended: (() -> Void)?
  private let start = Moment.now()
  private var queue: [ConversationPlayer.Action] = []
  private var wake: Reactor.Timer?
  /// Tells whether the last word has been said.
  private var isOver = false

  /// Takes over a connection on which the handshake has been answered; `ended` is called when it is
  /// closed.
  init(
    _ player: ConversationPlayer,
    _ terms: WebSocketHandshake.Terms,
    of outcome: Outcome,
    on channel: Channel,
    in context: PortContext,
    ended: @escaping () -> Void
  ) {
    (self.player, self.outcome, self.channel) = (player, outcome, channel)
    (self.context, self.ended) = (context, ended)
    reader = WebSocketReader(from: .client, terms.deflate, most: context.limits.messageBytesMax)
    writer = WebSocketWriter(as: .server, terms.deflate)
    channel.delegate = self
  }

  private var now: Duration { .nanoseconds(Moment.now() - start) }

  /// Begins with what the client has sent behind its handshake.
  func begin(with early: some Collection<UInt8>) {
    advance(.opened)
    Array(early).withUnsafeBytes { read($0) }
    channel.resumeReading()
  }

  /// Ends the conversation since the server does (RFC 6455 §7.4.1, 1001).
  func goAway() { close(WebSocketClose(WebSocketClose.goingAway, "the server is stopped")) }

  private func advance(_ event: ConversationPlayer.Event) {
    guard !isOver else { return }
    queue += player.next(event, at: now)
    carry()
  }

  /// Does what is queued, as far as the client takes it.
  private func carry() {
    var done = 0
    while !isOver, done < queue.count {
      if channel.isCongested { break }
      done += 1
      switch queue[done - 1] {
      case .send(let data, let isText, let fragments):
        channel.write(writer.message(data, isText: isText, fragments: fragments))
      case .close(let code, let reason):
        close(WebSocketClose(code == 1005 ? nil : UInt16(clamping: code), reason))
      case .drop:
        end()
      case .wake(let moment):
        if let wake { channel.reactor.cancel(wake) }
        wake = channel.reactor.schedule(at: start + moment.inNanoseconds) { [weak self] _ in
          self?.wake = nil
          self?.advance(.tick)
        }
      }
    }
    queue.removeFirst(min(done, queue.count))
    hearAsFastAsHeard()
  }

  /// Reads no faster than the client does: what it says may ask for an answer.
  private func hearAsFastAsHeard() {
    guard channel.phase == .open, !isOver else { return }
    if channel.isCongested {
      channel.pauseReading()
      channel.notifyWhenDrained()
    } else if channel.isReadingPaused {
      channel.resumeReading()
    }
  }

  /// Says the last word. The client's answer to it is not waited for: it is read and thrown away
  /// until its end.
  private func close(_ close: WebSocketClose) {
    guard !isOver else { return }
    channel.write(writer.frame(close.frame))
    end()
  }

  /// Ends the connection; nothing more is said, and the journal has what was left.
  private func end() {
    guard !isOver else { return }
    isOver = true
    context.deck.conversed(player, in: outcome)
    channel.close()
  }

  private func read(_ bytes: UnsafeRawBufferPointer) {
    guard !isOver else { return }
    var events: [WebSocketReader.Event] = []
    let failure: WebSocketFailure?
    do throws(WebSocketFailure) {
      try reader.read(bytes) { events.append($0) }
      failure = nil
    } catch {
      failure = error
    }
    for event in events where !isOver {
      switch event {
      case .message(let data, let isText, _): advance(.message(data, isText: isText))
      // RFC 6455 §5.5.2: the same content comes back.
      case .ping(let data): channel.write(writer.frame(WebSocketFrame(.pong, data)))
      case .pong: break
      case .close(let close):
        advance(.closed(code: close.code.map { Int($0) } ?? 1005, reason: close.reason))
      }
    }
    if let failure { close(WebSocketClose(failure.code, failure.description)) }
    hearAsFastAsHeard()
  }
}

extension ReplayedConversation: ChannelDelegate {
  func channel(_ channel: Channel, received bytes: UnsafeRawBufferPointer) { read(bytes) }

  // Without a close frame nothing more is said either (RFC 6455 §7.1.5).
  func channelReachedEnd(_ channel: Channel) { end() }

  func channelDrained(_ channel: Channel) { carry() }

  func channelClosed(_ channel: Channel, _ error: SocketError?) {
    end()
    if let wake { channel.reactor.cancel(wake) }
    wake = nil
    ended?()
    ended = nil
  }
}
