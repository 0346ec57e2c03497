internal import Foundation
internal import WindTunnel
internal import WindTunnelSymptoms

// What comes back: passed to the client while it comes, and kept.
extension UpstreamExchange {
  func began(_ start: ResponseStart) {
    if start.head.status == 101, asksForUpgrade { return upgraded(start) }
    // RFC 9110 §15.2.2: no answer to a request whose Upgrade stays here.
    guard start.head.status != 101 else {
      return failed(.malformedResponse, "it switched protocols (101), which nobody had asked for")
    }
    answer = start
    timing.firstByte = elapsed
    guard let client else { return }
    var shown = start.head
    authority.localise(&shown)
    // RFC 9110 §7.6.1: what speaks of the origin's connection says nothing about the client's.
    shown.headers.removeConnectionFields(keepingCoding: start.framing == .chunked)
    let length: Int? =
      if case .length(let length) = start.framing { length } else {
        // An answer to HEAD that leaves the length open leaves it open to the client, too.
        start.framing == .none && head.method != "HEAD" ? 0 : nil
      }
    let framing = AnswerFraming(
      status: start.head.status,
      to: head,
      length: length,
      // What is left of a request that is answered early is not waited for.
      keepsAlive: !client.context.options.closesConnections && upload?.isWhole != false
    )
    self.framing = framing
    exchange.watch?.status = start.head.status
    put { $0.appendHead(shown, reason: start.reason, framed: framing, for: head.version) }
  }

  func came(_ data: Data) {
    if ticket != nil {
      timing.chunks.append(Timing.Chunk(bytes: data.count, offset: elapsed))
      body.append(data)
    }
    exchange.watch?.bytes += data.count
    let isChunked = framing?.framing == .chunked
    put { if isChunked { $0.appendChunk(data) } else { $0.append(contentsOf: data) } }
    // The upstream is read no faster than the client reads.
    if let client = client?.channel, client.isCongested {
      channel?.pauseReading()
      client.tellWhenDrained()
    }
  }

  func ended() {
    guard let answer else { return }
    let channel = channel
    self.channel = nil
    if let channel { giveBack(channel) }
    keep(.response(response(answer))) { exchange in
      if exchange.framing?.framing == .chunked { exchange.put { $0.appendLastChunk() } }
      exchange.finish()
      let client = exchange.client
      if let metered = exchange.metered {
        metered.advance(.ended(.down))
      } else {
        exchange.exchange.watch?.ended(.whole)
        client?.next(keeps: exchange.framing?.keepsAlive ?? false)
      }
    }
  }

  /// There is no connection to the upstream.
  func failed(_ error: SocketError) {
    guard error.isOwn, let client else { return failed(error.symptom, "\(error)") }
    client.context.deck.couldNotAsk(outcome, "\(error)")
    exchange.watch?.status = 503
    exchange.watch?.ended(.failed(error.symptom))
    let channel = client.channel
    // RFC 9110 §15.6.4: nothing is said of the upstream, which was not asked.
    channel?.writeNotice(503, "The upstream \(upstream.url) was not asked: \(error).")
    finish()
    channel?.close()
  }

  func failed(_ symptom: Symptom, _ text: String) {
    let failure = Failure(
      symptom,
      text: ticket == nil ? text : authority.recorded(text, of: upstream)
    )
    keep(answer.map { .cut(response($0), failure) } ?? .failure(failure)) { exchange in
      let (answer, watch) = (exchange.answer, exchange.exchange.watch)
      watch?.status = watch?.status ?? 502
      watch?.ended(.failed(symptom))
      exchange.pass(exchange.waiting.count)
      let client = exchange.client?.channel
      if answer == nil {
        client?.writeNotice(502, "The upstream \(exchange.upstream.url) failed: \(text).")
      }
      exchange.finish()
      if symptom == .connectionLost, answer != nil { client?.reset() } else { client?.close() }
    }
  }

  /// Keeps what had come when the client left.
  func keepLeft(after time: Duration) {
    let failure = Failure(.cancelled, text: "the client left")
    let left = answer.map { start in
      var response = response(start)
      // A part of a packed body cannot be opened.
      if response.headers["Content-Encoding"] != nil { response.body = .empty }
      return Answer.cut(response, failure)
    }
    keep(left ?? .failure(failure), at: time) { $0.finish() }
  }

  /// The proxy does not connect its client to any address of the host. That says nothing about the
  /// host, so nothing is kept.
  func forbidden(_ refusal: AddressRefusal) {
    exchange.watch?.status = 403
    exchange.watch?.ended(.whole)
    let client = client?.channel
    client?.writeNotice(403, "\(refusal)")
    finish()
    client?.close()
  }

  private func finish() {
    isOver = true
    stopPatience()
    deck.finished(outcome)
    channel?.close()
    channel = nil
  }

  /// Keeps what came of the request. What the client gets then waits until that is written down, and
  /// nobody but this client waits for it.
  private func keep(
    _ answer: @autoclosure () -> Answer,
    at time: Duration? = nil,
    then proceed: @escaping (UpstreamExchange) -> Void
  ) {
    isOver = true
    stopPatience()
    guard ticket != nil, let context = client?.context else { return proceed(self) }
    timing.lastByte = time ?? elapsed
    // One piece is no stream worth telling of, and neither are those of a body of known length.
    let hasLength = if case .length = self.answer?.framing { true } else { false }
    if timing.chunks.count < 2 || hasLength { timing.chunks = [] }
    let interaction = Interaction(outcome.request, answer(), timing: timing)
    guard let write = context.deck.remember(interaction, for: outcome) else { return proceed(self) }
    guard let writing = context.journalWriting else {
      write()
      return proceed(self)
    }
    isWritten = true
    client?.channel?.isOutputHeld = true
    let bytes = interaction.request.body.count + (interaction.response?.body.count ?? 0)
    writing.write(bytes, write) { [self] in
      isWritten = false
      client?.channel?.isOutputHeld = false
      proceed(self)
    }
  }

  private func response(_ start: ResponseStart) -> Response {
    var head = authority.recorded(start.head)
    head.headers.removeConnectionFields(keepingCoding: start.framing == .chunked)
    return Response(status: head.status, headers: head.headers, body: Body(body.finish()))
  }
}
