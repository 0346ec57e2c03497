internal import Foundation
internal import WindTunnel

/// One client's connection: reads requests, asks the deck, and carries what it says.
///
/// On the loop's thread only. Requests that come while one is being answered wait in the parser.
final class ClientConnection {
  let context: PortContext
  let reactor: Reactor
  /// Set right after the channel has been made, which wants its delegate first.
  var channel: Channel?
  var parser: RequestParser
  var state = State.idle
  let start = Moment.now()
  var deadline: Deadline
  var isReading = false
  /// By what name the client spoke to this server last.
  var naming: Authority.Naming?
  /// The content of a request that is being answered already.
  var upload: Upload?
  /// The link that it was opened over; `nil`: none, or one that was waited for elsewhere.
  var path: LinkPath?
  /// What it is, where it is an open tunnel.
  var opened: OpenedTunnel?
  /// The address of a proxy's peer that has not given the code.
  var unknownPeer: String?
  /// When the request that is coming began; also how long the handshake in front of it took, where there
  /// was one, and only before the connection's first request.
  var requestStart = Moment.now()
  var handshake: Duration?
  var hasAsked = false
  /// The bytes that came last, where a request may have come in them and nothing else did.
  var spelling: [UInt8]?
  /// Counts answers after which it was to end by itself, so that only the last one's timer counts.
  var idles = 0

  enum State {
    /// Between two requests.
    case idle
    /// It ends with the next byte that comes.
    case parting(IdleEnd.Ending)
    /// A connection fault is being carried; there will be no request.
    case opening(ResponseWriter, Data)
    /// A request is coming in.
    case receiving(RequestHead, Spool)
    /// A request is being answered from the tape.
    case answering(ResponseWriter)
    /// A request is being answered by the upstream.
    case forwarding(UpstreamExchange)
    /// It is a tunnel's.
    case tunnelling(Tunnel)
    /// Another protocol is spoken with the upstream.
    case relaying
    /// Nothing more will be sent, and the connection stays open.
    case stalled
    case ended
  }

  init(_ context: PortContext, _ reactor: Reactor) {
    (self.context, self.reactor) = (context, reactor)
    parser = RequestParser(limits: context.requestLimits)
    deadline = Deadline(context.options.limits)
  }

  var now: Duration { .nanoseconds(Moment.now() - start) }

  /// Serves no further request; an answer that has begun is finished.
  func leaveWhenIdle() {
    switch state {
    case .idle, .parting, .receiving, .stalled, .opening, .relaying: channel?.close()
    case .tunnelling(let tunnel): tunnel.leave()
    case .answering, .forwarding, .ended: break
    }
  }

  /// Ends at once: the time is over in which an answer could have been finished.
  func abandon() {
    switch state {
    case .answering(let writer): writer.finished(.stopped)
    case .forwarding(let exchange):
      exchange.isStopped = true
      exchange.exchange.watch?.ended(.stopped)
    case .idle, .parting, .opening, .receiving, .tunnelling, .relaying, .stalled, .ended: break
    }
    channel?.abandon()
  }

  /// Gives the connection back if its end is out and the client has everything.
  func leaveIfHeard() {
    if let channel, channel.phase == .lingering, channel.socket.unsentBytes ?? 0 == 0 {
      channel.abandon()
    }
  }
}

// MARK: - Requests

extension ClientConnection: ChannelDelegate {
  func channelConnected(_ channel: Channel) {}

  func channel(_ channel: Channel, received bytes: UnsafeRawBufferPointer) {
    switch state {
    case .opening(let writer, var hello):
      hello.append(contentsOf: bytes)
      state = .opening(writer, hello)
      // RFC 8446 §5.1: type, version, and the length of the record in two bytes.
      let length = hello.count >= 5 ? 5 + Int(hello[3]) << 8 + Int(hello[4]) : Int.max
      if hello.count >= length || hello.first != 22 {
        advance(writer, .arrived(.clientHello))
      }
    case .parting(let ending): leave(ending)
    case .relaying, .stalled, .ended: break
    case .tunnelling(let tunnel): tunnel.came(bytes, .up)
    case .idle, .receiving, .answering, .forwarding:
      if answerKnown(bytes) { return }
      parser.feed(bytes)
      // Requests in advance wait in the system's buffers once there are enough of them here.
      if parser.bufferedBytes > context.options.limits.queuedBytesMax { channel.pauseReading() }
      read()
      spelling = nil
    }
  }

  func channelReachedEnd(_ channel: Channel) {
    switch state {
    case .idle, .receiving:
      parser.feedEnd()
      read()
      if case .idle = state { channel.close() }
    // A client that sends no more may still read; one that has left is noticed by the answer.
    case .answering, .forwarding:
      parser.feedEnd()
      if upload != nil {
        read()
      } else if case .forwarding(let exchange) = state {
        exchange.clientEnded()
      }
    case .opening, .stalled, .parting: channel.close()
    case .tunnelling(let tunnel): tunnel.reachedEnd(.up)
    case .relaying, .ended: break
    }
  }

  func channelGotPlainText(_ channel: Channel) { refuse(.plainOnTLSPort) }

  func channelDrained(_ channel: Channel) {
    switch state {
    case .answering(let writer): carry(writer)
    case .forwarding(let exchange): exchange.clientDrained()
    case .tunnelling(let tunnel): tunnel.set(.down) { $0.isBlocked = false }
    case .idle, .parting, .opening, .receiving, .relaying, .stalled, .ended: break
    }
  }

  func channelClosed(_ channel: Channel, _ error: SocketError?) {
    switch state {
    case .answering(let writer): writer.finished(.clientLeft)
    case .forwarding(let exchange): exchange.clientLeft()
    case .tunnelling(let tunnel): tunnel.clientClosed(error)
    case .idle, .parting, .opening, .receiving, .relaying, .stalled, .ended: break
    }
    opened?.ended(channel, error)
    state = .ended
    deadline.end(on: reactor)
    self.channel = nil
    context.live.remove(self)
  }

  func isLate(_ kind: Deadline.Kind) {
    switch kind {
    case .idle, .none: channel?.close()
    case .request:
      refuse(
        ProtocolError(
          .tooSlow,
          "The request took longer than \(Int(context.options.limits.requestSeconds)) s."
        )
      )
    }
  }
}
