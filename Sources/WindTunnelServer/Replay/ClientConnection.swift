internal import Foundation
internal import WindTunnel

/// One client's connection: reads requests, asks the deck, and carries what it says.
///
/// On the loop's thread only. Requests that come while one is being answered wait in the parser.
final class ClientConnection {
  let house: House
  let reactor: Reactor
  /// Set right after the channel has been made, which wants its delegate first.
  private(set) var channel: Channel?
  private var parser: RequestParser
  private var state = State.idle
  private var start = Moment.now()
  private var deadline: Deadline
  private var isReading = false

  private enum State {
    /// Between two requests.
    case idle
    /// A connection fault is being carried; there will be no request.
    case opening(Performance, Data)
    /// A request is coming in.
    case receiving(RequestHead, Data)
    /// A request is being answered from the tape.
    case answering(Performance)
    /// A request is being answered by the upstream.
    case forwarding(UpstreamExchange)
    /// Nothing more will be sent, and the connection stays open.
    case stalled
    case ended
  }

  /// Takes a socket over.
  static func begin(_ socket: Socket, in house: House, on reactor: Reactor) {
    guard house.live.count < house.options.limits.connectionsMax else { return socket.close() }
    let connection = ClientConnection(house, reactor)
    // A connection that is gone before it is served is the client's affair.
    guard
      let channel = try? Channel(
        socket,
        on: reactor,
        limits: house.options.limits,
        delegate: connection
      )
    else { return }
    connection.channel = channel
    house.live.insert(connection)
    connection.open()
  }

  private init(_ house: House, _ reactor: Reactor) {
    (self.house, self.reactor) = (house, reactor)
    parser = RequestParser(limits: house.options.limits)
    deadline = Deadline(house.options.limits)
  }

  private func open() {
    deadline.isOver = { [weak self] kind in self?.isLate(kind) }
    deadline.begin(.idle, on: reactor)
    let opening = house.deck.open(lane: house.lane, on: .onTheWire)
    guard opening != .nothing else { return }
    let performance = Performance(Player(opening), for: nil, in: house)
    state = .opening(performance, Data())
    advance(performance, .tick)
  }

  private var now: Duration { .nanoseconds(Moment.now() - start) }

  /// Serves no further request; an answer that has begun is finished.
  func leaveWhenIdle() {
    switch state {
    case .idle, .receiving, .stalled, .opening: channel?.close()
    case .answering, .forwarding, .ended: break
    }
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
    case .opening(let performance, var hello):
      hello.append(contentsOf: bytes)
      state = .opening(performance, hello)
      // RFC 8446 §5.1: type, version, and the length of the record in two bytes.
      let length = hello.count >= 5 ? 5 + Int(hello[3]) << 8 + Int(hello[4]) : Int.max
      if hello.count >= length || hello.first != 22 {
        advance(performance, .arrived(.clientHello))
      }
    case .stalled, .ended: break
    case .idle, .receiving, .answering, .forwarding:
      parser.feed(bytes)
      // Requests in advance wait in the system's buffers once there are enough of them here.
      if parser.bufferedBytes > house.options.limits.queuedBytesMax { channel.pauseReading() }
      read()
    }
  }

  /// Reads requests until one has to wait for its answer. An answer that is there at once leads
  /// back here; it must not lead deeper, since a client may send thousands of requests in advance.
  private func read() {
    guard !isReading else { return }
    isReading = true
    defer { isReading = false }
    while true {
      switch state {
      case .idle, .receiving: break
      case .opening, .answering, .forwarding, .stalled, .ended: return
      }
      guard let event = parser.next() else { break }
      switch event {
      case .head(let head):
        state = .receiving(head, Data())
        if head.expectsContinue { channel?.write(Array("HTTP/1.1 100 Continue\r\n\r\n".utf8)) }
      case .content(let data):
        guard case .receiving(let head, var body) = state else { continue }
        state = .idle
        body.append(data)
        state = .receiving(head, body)
      case .trailers: break
      case .end:
        guard case .receiving(let head, let body) = state else { continue }
        answer(head, body)
      case .failed(let error): return refuse(error)
      }
    }
    channel?.resumeReading()
    deadline.begin(parser.isBetweenRequests ? .idle : .request, on: reactor)
  }

  private func refuse(_ error: ProtocolError) {
    state = .ended
    if case .truncated = error.kind {
      channel?.close()
    } else {
      let text = Array("\(error.sentence)\n".utf8)
      channel?.write { bytes in
        bytes.appendHead(
          ResponseHead(
            status: error.status,
            headers: [
              "Content-Type": "text/plain; charset=utf-8", "Content-Length": String(text.count),
              "Connection": "close",
            ]
          )
        )
        bytes.append(contentsOf: text)
      }
      channel?.close()
    }
  }

  private func answer(_ head: RequestHead, _ body: Data) {
    deadline.begin(.none, on: reactor)
    let authority = Authority(of: head, in: house)
    let outcome = house.deck.decide(authority.request(head, body), lane: house.lane)
    if outcome.forwards, let upstream = house.options.upstream {
      let exchange = UpstreamExchange(outcome, head, authority, upstream, for: self)
      state = .forwarding(exchange)
      return exchange.begin()
    }
    let delivery = Delivery(outcome, on: .onTheWire)
    let player = Player(delivery, shaper: outcome.path.map { Shaper($0.link.down) })
    let performance = Performance(player, for: .init(head, outcome, authority, delivery), in: house)
    state = .answering(performance)
    advance(performance, .arrived(.requestEnd))
  }

  func channelReachedEnd(_ channel: Channel) {
    switch state {
    case .idle, .receiving:
      parser.feedEnd()
      read()
      if case .idle = state { channel.close() }
    // A client that sends no more may still read; one that has left is noticed by the answer.
    case .answering, .forwarding: parser.feedEnd()
    case .opening, .stalled: channel.close()
    case .ended: break
    }
  }

  func channelDrained(_ channel: Channel) {
    switch state {
    case .answering(let performance): carry(performance)
    case .forwarding(let exchange): exchange.clientDrained()
    case .idle, .opening, .receiving, .stalled, .ended: break
    }
  }

  func channelClosed(_ channel: Channel, _ error: SocketError?) {
    switch state {
    case .answering(let performance): performance.finished()
    case .forwarding(let exchange): exchange.clientLeft()
    case .idle, .opening, .receiving, .stalled, .ended: break
    }
    state = .ended
    deadline.end(on: reactor)
    self.channel = nil
    house.live.remove(self)
  }

  private func isLate(_ kind: Deadline.Kind) {
    switch kind {
    case .idle, .none: channel?.close()
    case .request:
      refuse(
        ProtocolError(
          .tooSlow,
          "The request took longer than \(Int(house.options.limits.requestSeconds)) s."
        )
      )
    }
  }
}

// MARK: - Answers

extension ClientConnection {
  private func advance(_ performance: Performance, _ event: Player.Event) {
    guard channel != nil else { return }
    performance.queue += performance.player.next(event, at: now)
    carry(performance)
  }

  /// Does what is queued, as far as the client takes it.
  private func carry(_ performance: Performance) {
    while let channel, let action = performance.queue.first {
      if channel.isCongested {
        channel.tellWhenDrained()
        return
      }
      performance.queue.removeFirst()
      switch action {
      case .wake(let moment):
        // Milestones of several answers on one connection do not mix: each has its own player.
        reactor.schedule(at: start + moment.inNanoseconds) { [weak self, weak performance] _ in
          if let self, let performance { advance(performance, .tick) }
        }
      case .head(let head): performance.write(head, to: channel)
      case .bytes(let data):
        if let rest = performance.write(data, to: channel) {
          performance.queue.insert(.bytes(rest), at: 0)
        }
      case .finish(let afterwards):
        performance.writeEnd(to: channel)
        performance.finished()
        next(keeps: afterwards == .keep && performance.keepsAlive)
      case .closeWrite: channel.finishWriting()
      case .close: end(performance) { $0.close() }
      case .reset: end(performance) { $0.reset() }
      case .stall:
        performance.finished()
        state = .stalled
      // A wire has no other way to fail than those above, and nothing to relay to.
      case .fail, .live, .relay: end(performance) { $0.reset() }
      }
    }
  }

  private func end(_ performance: Performance, _ ending: (Channel) -> Void) {
    performance.finished()
    state = .ended
    if let channel { ending(channel) }
  }

  /// An answer is written: the next request, or the end of the connection.
  func next(keeps: Bool) {
    guard let channel else { return }
    guard keeps, !house.live.isDraining, !(channel.inputEnded && parser.bufferedBytes == 0) else {
      state = .ended
      return channel.close()
    }
    state = .idle
    read()
  }
}
