internal import Foundation
internal import WindTunnel

// Requests that came before in the same words.
extension ClientConnection {
  /// Answers a request whose every byte came before; false where it has to be read.
  func answerKnown(_ bytes: UnsafeRawBufferPointer) -> Bool {
    guard let requests = house.knownRequests, opened == nil, let channel, case .idle = state,
      !isReading, bytes.count <= KnownRequests.bytesMax, parser.isFresh
    else { return false }
    guard let known = requests.find(bytes, isSecure: channel.isSecure) else {
      spelling = Array(bytes)
      return false
    }
    let begin = Moment.now()
    let ready = channel.isCongested ? nil : known.ready
    let arrival = house.deck.decide(
      known.prepared,
      holding: ready?.key,
      lane: house.lane,
      at: Date()
    )
    let outcome: Outcome
    switch arrival {
    case .sameResponse:
      hasAsked = true
      if let ready { channel.write(ready.answer) }
      next(keeps: true)
      return true
    case .decided(let decided): outcome = decided
    case .outdated:
      // Of another cassette they may be others'.
      requests.forgetAll()
      return false
    }
    noteBegin(at: begin)
    deadline.begin(.none, on: reactor)
    // What follows comes behind it.
    give(outcome, to: known.head, authority(of: known.head))
    guard known.head.takesPlainAnswers else { return true }
    known.ready = outcome.renderedKey.flatMap { key in
      house.plainAnswers.kept.find(key).map { (key, $0) }
    }
    return true
  }

  /// Remembers a request that came in one piece and alone.
  func know(_ prepared: PreparedRequest, _ head: RequestHead) {
    // They spell the first request that ends in them, or nothing: another may follow.
    guard let bytes = spelling else { return }
    spelling = nil
    guard let requests = house.knownRequests, let channel, head.framing == .none,
      head.method == "GET", parser.isBetweenRequests
    else { return }
    // Its address was worked out for this cassette, and it takes no turn in a lane of its own.
    guard !prepared.namesLane,
      prepared.origin == naming?.tape || house.options.recordedOrigin != nil
    else { return }
    requests.keep(KnownRequests.Known(bytes, head, prepared, isSecure: channel.isSecure))
  }
}
