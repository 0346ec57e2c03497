internal import Foundation
internal import WindTunnel

extension ClientConnection {
  func advance(_ performance: Performance, _ event: Player.Event) {
    guard channel != nil else { return }
    performance.add(performance.player.next(event, at: now))
    carry(performance)
  }

  /// Does what is queued, as far as the client takes it.
  func carry(_ performance: Performance) {
    while let channel, let action = performance.nextAction {
      if channel.isCongested {
        channel.tellWhenDrained()
        return
      }
      performance.dropAction()
      switch action {
      case .wake(let moment):
        // Milestones of several answers on one connection do not mix: each has its own player.
        reactor.schedule(at: start + moment.inNanoseconds) { [weak self, weak performance] _ in
          if let self, let performance { advance(performance, .tick) }
        }
      case .shakeHands(let handshake): return shakeHands(handshake)
      case .head(let head): performance.write(head, to: channel)
      case .bytes(let data):
        if let rest = performance.write(data, to: channel) { performance.keep(rest: rest) }
      case .live:
        forward(performance)
        // What follows is the upstream's to say, or the player's when it has heard of it.
        if !performance.player.isMetering { return }
      case .finish(let afterwards):
        if case .forwarding(let exchange) = state { return exchange.clientHasAll() }
        performance.writeEnd(to: channel)
        performance.finished(.whole)
        next(keeps: afterwards.keepsConnection && performance.keepsAlive, afterwards)
      case .closeWrite:
        channel.finishWriting()
        // What the client still sends is read and is no request.
        performance.finished(.cut)
        state = .stalled
        channel.resumeReading()
      case .close: end(performance) { $0.close() }
      case .reset: end(performance) { $0.reset() }
      case .stall:
        performance.finished(.cut)
        state = .stalled
        deadline.begin(.none, on: reactor)
      // A wire has no other way to fail than those above, and nothing to relay to.
      case .fail, .relay: end(performance) { $0.reset() }
      case .pass(_, let count): if case .forwarding(let exchange) = state { exchange.pass(count) }
      // Its end is written with what follows.
      case .passEnd: break
      case .hold: if case .forwarding(let exchange) = state { exchange.hold(true) }
      case .takeMore: if case .forwarding(let exchange) = state { exchange.hold(false) }
      }
    }
  }

  private func forward(_ performance: Performance) {
    guard let exchange = performance.exchange,
      let upstream = house.upstream(for: exchange.outcome)
    else {
      let request = performance.exchange?.outcome.request
      // Whoever follows a redirect and shrugs at a 502 would keep half of what was to be recorded.
      if house.options.leadsBack, let request { house.deck.missed(request) }
      let url = request?.url
      return end(performance) { channel in
        channel.writeNotice(
          502,
          "\(url?.origin ?? "The server that is meant") is not asked here: it is not the server that "
            + "is recorded, and nothing on the tape answers. Record it without sockets, or by itself."
        )
        channel.close()
      }
    }
    let passing = UpstreamExchange(
      exchange,
      upstream,
      for: self,
      metered: performance.player.isMetering ? performance : nil
    )
    state = .forwarding(passing)
    passing.begin()
  }

  private func end(_ performance: Performance, _ ending: (Channel) -> Void) {
    performance.finished(.cut)
    state = .ended
    if let channel { ending(channel) }
  }

  /// An answer is written: the next request, or the end of the connection.
  func next(keeps: Bool, _ afterwards: Delivery.Afterwards = .keep) {
    guard let channel else { return }
    upload = nil
    guard keeps, !house.live.isDraining, !(channel.inputEnded && parser.bufferedBytes == 0) else {
      state = .ended
      return channel.close()
    }
    state = .idle
    if case .idle(let end) = afterwards { return idle(until: end) }
    read()
  }
}

extension Channel {
  /// Writes a whole answer; true if the connection outlives it.
  func write(
    _ answer: ResponseHead,
    _ body: Data,
    to request: RequestHead,
    as authority: Authority,
    in house: House
  ) -> Bool {
    var shown = answer
    authority.localise(&shown)
    let framing = AnswerFraming(
      status: shown.status,
      to: request,
      length: Performance.length(shown, to: request) { body.count },
      keepsAlive: !house.options.closesConnections
    )
    write { bytes in
      bytes.appendHead(shown, framed: framing, for: request.version)
      switch framing.framing {
      case .none: break
      case .chunked:
        bytes.appendChunk(body)
        bytes.appendLastChunk()
      case .length, .untilClose: bytes.append(contentsOf: body)
      }
    }
    return framing.keepsAlive
  }
}
