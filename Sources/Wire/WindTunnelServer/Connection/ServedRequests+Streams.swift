internal import WindTunnel

// Concurrent streams on one connection: their turns and their common end.
extension ServedRequests {
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
      guard streams.hasWaiting else { continue }
      streams.hasWaiting = false
      for response in answering where response.writer.isWaiting {
        if response.writer.isReady {
          response.writer.clientDrained()
          waits = true
        } else {
          streams.hasWaiting = true
        }
      }
    }
    streams.isFlushing = false
    for stream in streams.undelivered where codec.isDelivered(stream) {
      streams.undelivered.remove(stream)
    }
    if waits { channel.notifyWhenDrained() }
    // Without further input the windows stay as they are.
    if channel.inputEnded, answering.allSatisfy({ codec.isCongested($0.stream) }) {
      awaitDelivery()
    }
    endIfDelivered()
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
    flush()
    // The client may never enlarge the window for the rest.
    if answering.isEmpty, incoming.isEmpty { awaitDelivery() }
  }

  /// Ends the connection because of a fault in one response, after the written part of it. The
  /// other responses end as well.
  func end(by ending: IdleEnd.CloseMethod, cutting stream: Int?) {
    guard !codec.servesInOrder else { return connection.terminate(by: ending) }
    cutAll()
    (streams.ending, streams.cut) = (ending, stream)
    flush()
    awaitDelivery()
  }

  /// Ends the open responses, because a fault of another one ends the connection.
  func cutAll() {
    let open = answering
    answering = []
    for response in open { response.writer.cutByNeighbour() }
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
    guard streams.undelivered.isEmpty else { return }
    // A request that has begun is served, unless the server stops.
    guard incoming.isEmpty || streams.cut != nil || live.isDraining else { return }
    if let cut = streams.cut {
      if codec.isCongested(cut) { return }
    } else {
      channel?.write { codec.appendGoAway(to: &$0) }
    }
    connection.terminate(by: ending)
  }

  /// Notes that the codec has received a complete response.
  func noteWritten(_ stream: Int) {
    if !codec.servesInOrder, !codec.isDelivered(stream) { streams.undelivered.insert(stream) }
  }

  /// Refuses a request above a limit. Its stream alone ends.
  func refuse(_ stream: Int, _ response: Response) {
    var encoder = ResponseEncoder(on: stream, by: codec)
    encoder.frame(response.status, length: response.body.count, keepsAlive: true)
    channel?.write { encoder.append(response, to: &$0) }
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

  /// Sets the timeout in which the client has to receive the rest of the responses.
  func awaitDelivery() {
    if connection.isServing { deadline.begin(.idle, on: reactor) }
  }
}
