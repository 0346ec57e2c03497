internal import Foundation
internal import WindTunnel

// Requests that came before in the same words.
extension ClientConnection {
  /// Answers a request whose every byte came before; false where it has to be read.
  func answerKnown(_ bytes: UnsafeRawBufferPointer) -> Bool {
    guard let requests = house.knownRequests, opened == nil, let channel, case .idle = state,
      !isReading, bytes.count <= KnownRequests.bytesMax, parser.isBetweenRequests
    else { return false }
    guard let known = requests.find(bytes, isSecure: channel.isSecure) else {
      spelling = Array(bytes)
      return false
    }
    if answerReadily(known, on: channel) { return true }
    guard let outcome = house.deck.decide(known.prepared, lane: house.lane, at: Date()) else {
      // Of another tape it may be another's.
      requests.forget(known)
      return false
    }
    noteBegin()
    deadline.begin(.none, on: reactor)
    // What follows comes behind it.
    give(outcome, to: known.head, authority(of: known.head))
    guard known.head.takesPlainAnswers else { return true }
    known.ready = outcome.plain.flatMap { plain in
      house.plainAnswers.kept[plain].map { (plain, $0) }
    }
    return true
  }

  /// Answers by what answered it last; false where that is not what it gets now.
  private func answerReadily(_ known: KnownRequests.Known, on channel: Channel) -> Bool {
    guard let ready = known.ready, !channel.isCongested,
      house.deck.decidePlainly(known.prepared, as: ready.plain, lane: house.lane, at: Date())
    else { return false }
    hasAsked = true
    channel.write(ready.answer)
    next(keeps: true)
    return true
  }

  /// Remembers a request that came in one piece, and alone.
  func know(_ request: Request, _ head: RequestHead) {
    guard let requests = house.knownRequests, let bytes = spelling, let channel,
      head.framing == .none, head.method == "GET", parser.isBetweenRequests
    else { return }
    spelling = nil
    let prepared = house.deck.prepare(request)
    requests.keep(
      KnownRequests.Known(bytes, head, prepared, isSecure: channel.isSecure)
    )
  }
}
