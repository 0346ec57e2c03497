internal import Foundation
internal import WindTunnel

// Concurrent streams on one connection: their turns and their common end.
extension ServedRequests {
  /// Serves an HTTP/2 request that was received before; false if it must be decided as a new one.
  func answerKnown(on stream: Int) -> Bool {
    guard let http2, let channel else { return false }
    let place = StreamPlace(codec: http2, stream: stream)
    guard let answer = deck.answerRecognised(on: channel, at: place) else { return false }
    http2.skipEnd()
    awaitOldest()
    proceed(with: answer, on: stream)
    return true
  }

  /// Continues after the other connections of the loop have had their turn.
  func readLater() {
    guard !streams.isReadingLater else { return }
    streams.isReadingLater = true
    guard !streams.hasReadTimer else { return }
    streams.hasReadTimer = true
    reactor.schedule(at: .now()) { [weak self] _ in
      guard let self else { return }
      streams.hasReadTimer = false
      readOn()
    }
  }

  /// Continues to read. A client that sends no more has its complete requests answered.
  func readOn() {
    streams.isReadingLater = false
    read()
    if connection.isServing, channel?.inputEnded == true { endAfterInput() }
  }

  /// Ends the connection of a client that sends no more, once its requests were read.
  func endAfterInput() {
    guard !streams.isReadingLater else { return }
    for tunnel in streams.tunnels.values { tunnel.receiveEnd() }
    end(by: .close)
  }

  /// Moves the deadline to the request that began first, after another one has ended.
  func awaitOldest() {
    guard let oldest = incoming.first else { return deadline.begin(.none, on: reactor) }
    deadline.begin(.request, since: oldest.arrival.start, on: reactor)
  }

  /// Writes the codec's pending frames and pending content, up to the limit of the channel's queue.
  /// Then continues the responses that waited for their streams.
  func flush() {
    guard !isReading, !streams.isFlushing, connection.isServing, let channel,
      channel.phase == .open
    else { return }
    streams.isFlushing = true
    var waits = true
    while waits {
      let room = context.limits.queuedBytesMax - channel.queuedBytes
      guard room > 0 else { break }
      // A channel behind its end writes nothing.
      waits = false
      channel.write { waits = codec.appendPending(upTo: room, to: &$0) }
      for tunnel in streams.tunnels.values where tunnel.drained() { waits = true }
      for response in answering where response.writer.isWaiting && response.writer.isReady {
        response.writer.clientDrained()
        waits = true
      }
    }
    streams.isFlushing = false
    let delivered = streams.undelivered.filter { codec.isDelivered($0) }
    streams.undelivered.subtract(delivered)
    if !delivered.isEmpty, answering.isEmpty, incoming.isEmpty {
      deadline.begin(awaited, on: reactor)
    }
    if waits { channel.notifyWhenDrained() }
    watchWaits()
    endIfDelivered()
  }

  /// Sets a timer for the response that has waited longest, and resets streams whose responses the
  /// client does not accept in time.
  private func watchWaits() {
    guard !streams.isWatchingWaits, let wait = codec.longestWait(sending: channel?.lastSent) else {
      return
    }
    streams.isWatchingWaits = true
    let seconds = context.limits.sendSeconds
    let end = wait.since + Int64(nanosecondsOf: seconds)
    reactor.schedule(at: end) { [weak self] reactor in
      guard let self, connection.isServing else { return }
      streams.isWatchingWaits = false
      guard let wait = codec.longestWait(sending: channel?.lastSent),
        reactor.now - wait.since >= Int64(nanosecondsOf: seconds)
      else { return watchWaits() }
      channel?.write { _ = codec.appendReset(.cancel, on: wait.stream, to: &$0) }
      let cause = "The client accepted nothing of the response for \(Int(seconds)) s."
      cancel(wait.stream, .bad(cause), because: cause)
      read()
    }
  }

  /// Continues all responses at a time at which one of them may receive bytes from the link that
  /// they share, because the others may receive some as well.
  func wake(at moment: Duration) {
    if let wake = streams.linkWake, wake <= moment { return }
    if let timer = streams.linkTimer { reactor.cancel(timer) }
    streams.linkWake = moment
    let time = connection.start + moment.inNanoseconds
    streams.linkTimer = reactor.schedule(at: time) { [weak self] _ in
      guard let self else { return }
      (streams.linkWake, streams.linkTimer) = (nil, nil)
      // All responses advance before their frames are written.
      streams.isFlushing = true
      for response in answering where !response.writer.isWaiting { response.writer.advance(.tick) }
      streams.isFlushing = false
      if !codec.servesInOrder { flush() }
    }
  }

  /// Ends the connection after its open responses. No further request is served.
  func end(by ending: IdleEnd.CloseMethod) {
    guard !codec.servesInOrder else {
      if answering.isEmpty { connection.terminate(by: ending) }
      return
    }
    if streams.ending == nil {
      streams.ending = ending
      channel?.write { codec.appendGoAway(to: &$0) }
    }
    if live.isDraining { stopSuccessors() }
    flush()
  }

  /// Ends the protocols of the tunnels, since the server stops.
  func stopSuccessors() { for successor in streams.successors.values { successor.stop() } }

  /// Ends the connection because of a fault in one response, after the written part of it. The
  /// other responses end as well.
  func end(by ending: IdleEnd.CloseMethod, cutting stream: Int?) {
    guard !codec.servesInOrder else { return connection.terminate(by: ending) }
    cutAll()
    (streams.ending, streams.cut) = (ending, stream)
    flush()
  }

  /// Ends the open responses, because another stream ends the connection.
  func cutAll(because problem: String = "Another stream's fault on this connection.") {
    let (open, tunnels) = (answering, streams.tunnels.values)
    (answering, streams.tunnels) = ([], [:])
    for response in open { response.writer.cut(because: problem) }
    for tunnel in tunnels {
      tunnel.successor?.cut()
      tunnel.closed(nil)
    }
  }

  /// Returns the carrier of a handshake's response and of the protocol after it: the connection or
  /// the stream; `nil` if the connection has ended.
  func carrier(for writer: ResponseWriter) -> (any ByteCarrier)? {
    guard !codec.servesInOrder, let channel else { return channel }
    guard let stream = remove(writer) else { return nil }
    if let tunnel = streams.tunnels[stream] { return tunnel }
    // The request is not an extended CONNECT, so its handshake is refused.
    let tunnel = StreamTunnel(stream, of: self, on: channel)
    tunnel.receiveEnd()
    streams.tunnels[stream] = tunnel
    return tunnel
  }

  /// Continues after a tunnel is closed.
  func removeTunnel(_ stream: Int) {
    guard streams.tunnels.removeValue(forKey: stream) != nil else { return }
    if channel?.phase == .open, connection.isServing, !idleIfAsked() { read() }
  }

  /// Stalls one stream; false if the connection has only one stream at a time.
  func stall(_ stream: Int) -> Bool {
    guard !codec.servesInOrder else { return false }
    streams.stalled.insert(stream)
    read()
    return true
  }

  private func endIfDelivered() {
    guard let ending = streams.ending, answering.isEmpty, connection.isServing else { return }
    guard streams.undelivered.isEmpty, !streams.isConversing else { return }
    // A request that has begun is served, unless the server stops.
    guard incoming.isEmpty || streams.cut != nil || live.isDraining else { return }
    if let cut = streams.cut {
      if codec.isCongested(cut) { return }
    } else {
      channel?.write { codec.appendGoAway(to: &$0) }
    }
    connection.terminate(by: ending)
  }

  /// Ends one of several requests because its client has cancelled it or it is invalid, or for
  /// another cause, which is a sentence.
  func cancel(_ stream: Int, _ error: ProtocolError, because cause: String? = nil) {
    for response in answering where response.stream == stream {
      if let cause { response.writer.cut(because: cause) } else { response.writer.clientLeft() }
    }
    answering.removeAll { $0.stream == stream }
    incoming.removeAll { $0.stream == stream }
    streams.undelivered.remove(stream)
    streams.stalled.remove(stream)
    streams.tunnels[stream]?.closed(SocketError(.read, ECONNRESET))
    awaitOldest()
    switch error.kind {
    case .badMessage, .truncated: break
    default: refuse(stream, handler.refusal(error.status, error.sentence))
    }
    _ = idleIfAsked()
  }

  /// Notes that the codec has received a complete response.
  func noteWritten(_ stream: Int) {
    if codec.servesInOrder { return }
    if !codec.isDelivered(stream) { streams.undelivered.insert(stream) }
    // The response is not that of a handshake.
    if streams.tunnels[stream]?.successor == nil {
      streams.tunnels.removeValue(forKey: stream)?.closed(nil)
    }
  }

  /// Refuses a request above a limit. Its stream alone ends.
  func refuse(_ stream: Int, _ response: Response) {
    var encoder = ResponseEncoder(on: stream, by: codec)
    channel?.write { encoder.append(response, keepsAlive: true, to: &$0) }
    noteWritten(stream)
  }

  /// Returns whether a new request is refused because the connection ends.
  func refuses(_ stream: Int) -> Bool {
    if let ending = streams.nextRequestEnds {
      end(by: ending)
      return true
    }
    guard streams.ending != nil else { return false }
    channel?.write { _ = codec.appendReset(.refusedStream, on: stream, to: &$0) }
    return true
  }

  /// Ends a connection on which nothing was received for too long, and reports the last request
  /// that was served (RFC 9113 §6.8).
  func endLate() {
    if !codec.servesInOrder {
      let text = "No frame was received for \(Int(deadline.limits.idleSeconds)) s."
      channel?.write { codec.appendLast(.notice(408, text), on: nil, to: &$0) }
    }
    channel?.close()
  }
}
