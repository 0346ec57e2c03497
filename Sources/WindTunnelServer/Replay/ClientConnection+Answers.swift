internal import Foundation
internal import WindTunnel

extension ClientConnection {
  func advance(_ writer: ResponseWriter, _ event: Player.Event) {
    guard channel != nil else { return }
    writer.add(writer.player.next(event, at: now))
    carry(writer)
  }

  /// Does what is queued, as far as the client takes it.
  func carry(_ writer: ResponseWriter) {
    while let channel, let action = writer.nextAction {
      if channel.isCongested {
        channel.tellWhenDrained()
        return
      }
      writer.dropAction()
      switch action {
      case .wake(let moment):
        // Milestones of several answers on one connection do not mix: each has its own player.
        reactor.schedule(at: start + moment.inNanoseconds) { [weak self, weak writer] _ in
          if let self, let writer { advance(writer, .tick) }
        }
      case .shakeHands(let handshake): return shakeHands(handshake)
      case .head(let head): writer.write(head, to: channel)
      case .bytes(let data):
        if let rest = writer.write(data, to: channel) { writer.keep(rest: rest) }
      case .live:
        forward(writer)
        // What follows is the upstream's to say, or the player's when it has heard of it.
        if !writer.player.isMetering { return }
      case .finish(let afterwards):
        if case .forwarding(let exchange) = state { return exchange.clientHasAll() }
        writer.writeEnd(to: channel)
        writer.finished(.whole)
        next(keeps: afterwards.keepsConnection && writer.keepsAlive, afterwards)
      case .closeWrite:
        channel.finishWriting()
        // What the client still sends is read and is no request.
        writer.finished(.cut)
        state = .stalled
        channel.resumeReading()
      case .close: end(writer) { $0.close() }
      case .reset: end(writer) { $0.reset() }
      case .stall:
        writer.finished(.cut)
        state = .stalled
        deadline.begin(.none, on: reactor)
      // A wire has no other way to fail than those above, and nothing to relay to.
      case .fail, .relay: end(writer) { $0.reset() }
      case .pass(_, let count): if case .forwarding(let exchange) = state { exchange.pass(count) }
      // Its end is written with what follows.
      case .passEnd: break
      case .hold: if case .forwarding(let exchange) = state { exchange.hold(true) }
      case .takeMore: if case .forwarding(let exchange) = state { exchange.hold(false) }
      }
    }
  }

  private func forward(_ writer: ResponseWriter) {
    guard let exchange = writer.exchange,
      let upstream = context.upstream(for: exchange.outcome)
    else {
      let request = writer.exchange?.outcome.request
      // Whoever follows a redirect and shrugs at a 502 would keep half of what was to be recorded.
      if context.options.leadsBack, let request { context.deck.missed(request) }
      let url = request?.url
      return end(writer) { channel in
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
      metered: writer.player.isMetering ? writer : nil
    )
    state = .forwarding(passing)
    passing.begin()
  }

  private func end(_ writer: ResponseWriter, _ ending: (Channel) -> Void) {
    writer.finished(.cut)
    state = .ended
    if let channel { ending(channel) }
  }

  /// An answer is written: the next request, or the end of the connection.
  func next(keeps: Bool, _ afterwards: Delivery.Afterwards = .keep) {
    guard let channel else { return }
    upload = nil
    guard keeps, !context.live.isDraining, !(channel.inputEnded && parser.bufferedBytes == 0) else {
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
    in context: PortContext
  ) -> Bool {
    var shown = answer
    authority.localise(&shown)
    let framing = AnswerFraming(
      status: shown.status,
      to: request,
      length: ResponseWriter.length(shown, to: request) { body.count },
      keepsAlive: !context.options.closesConnections
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
