internal import Foundation
internal import WindTunnel

// Requests that came before in the same words.
extension ClientConnection {
  /// Answers a request whose every byte came before; false where it has to be read.
  func answerKnown(_ bytes: UnsafeRawBufferPointer) -> Bool {
    guard let requests = context.parsedRequests, opened == nil, let channel, case .idle = state,
      !isReading, bytes.count <= ParsedRequestCache.bytesMax, parser.isFresh
    else { return false }
    guard let known = requests.find(bytes, isSecure: channel.isSecure) else {
      spelling = Array(bytes)
      return false
    }
    if answerReadily(known, on: channel) { return true }
    let begin = Moment.now()
    let outcome: Outcome
    do throws(Deck.OtherTape) {
      outcome = try context.deck.decide(known.prepared, lane: context.lane, at: Date())
    } catch {
      // Of another tape they may be others'.
      requests.forgetAll()
      return false
    }
    noteBegin(at: begin)
    deadline.begin(.none, on: reactor)
    // What follows comes behind it.
    give(outcome, to: known.head, authority(of: known.head))
    guard known.head.takesPlainAnswers else { return true }
    known.ready = outcome.plain.flatMap { plain in
      context.plainAnswers.kept[plain].map { (plain, $0) }
    }
    return true
  }

  /// Answers by what answered it last; false where that is not what it gets now.
  private func answerReadily(_ known: ParsedRequestCache.Known, on channel: Channel) -> Bool {
    guard let ready = known.ready, !channel.isCongested,
      context.deck.decidePlainly(known.prepared, as: ready.plain, lane: context.lane, at: Date())
    else { return false }
    hasAsked = true
    channel.write(ready.answer)
    next(keeps: true)
    return true
  }

  /// Prepares a request that came in one piece and alone, and remembers it; `nil` where it did not.
  func know(_ request: Request, _ head: RequestHead) -> PreparedRequest? {
    // They spell the first request that ends in them, or nothing: another may follow.
    guard let bytes = spelling else { return nil }
    spelling = nil
    guard let requests = context.parsedRequests, let channel, head.framing == .none,
      head.method == "GET", parser.isBetweenRequests
    else { return nil }
    let prepared = context.deck.prepare(request)
    // Its address was worked out for this tape, and it takes no turn in a lane of its own.
    guard !prepared.namesLane,
      prepared.origin == naming?.tape || context.options.recordedOrigin != nil
    else { return prepared }
    requests.keep(ParsedRequestCache.Known(bytes, head, prepared, isSecure: channel.isSecure))
    return prepared
  }
}
