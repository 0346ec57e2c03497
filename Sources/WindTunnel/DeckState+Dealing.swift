internal import Foundation

// What of the tape a request is given.
extension Deck.State {
  mutating func deal(
    _ prepared: PreparedRequest,
    _ decision: Decision,
    id: Int
  ) -> (Outcome.Source, Journal.Take, Deck.Later?) {
    let (request, key) = (prepared.request, prepared.key)
    if routes.ignores(request.url) { return (.forward(ticket: nil), .forwarded, nil) }
    // Nobody recorded the page of a portal, which is there all the same.
    if request.url.path == Substitute.portalPath,
      decision.faults == [.answer(.captivePortalPage)]
    {
      return (.computed(Response()), .computed, nil)
    }
    if mode == .rewrite { return (.forward(ticket: id), .forwarded, nil) }
    let sequence =
      prepared.sequence
      ?? front.index.sequence(for: request, key: key, lane: decision.lane, bindings: &bindings)
    guard let sequence else {
      // Nobody recorded this host, so its own answer is the right one.
      if passesOthers, mode != .newEpisodes, !isOnTape(request.url) {
        return (.forward(ticket: nil), .forwarded, nil)
      }
      return missing(id, decision.lane, exhausted: nil)
    }
    let isWithheld = decision.faults.contains(where: \.replacesOrCuts)
    let (tape, then) = (tape, then)
    let take = playhead.deal(
      sequence,
      lane: decision.lane,
      key: front.index.playKey(request, key),
      // A function answers for ever, so it is never used up.
      using: { !isWithheld && tape.computed[$0] == nil },
      then: { tape.interactions[$0].then ?? then }
    )
    switch take {
    case .exhausted(let times, let last):
      return missing(id, decision.lane, exhausted: (times, last))
    case .recording(let place):
      if let answer = tape.computed[place] {
        return (.computed(Response()), .computed, .compute(answer))
      }
      let dealt =
        decision.faults.contains(where: \.isStale) ? sequence.earlier(than: place) : place
      let take = isWithheld ? Journal.Take.withheld(dealt) : .recording(dealt)
      return (source(at: dealt), take, nil)
    }
  }

  private mutating func source(at place: Int) -> Outcome.Source {
    if let source = dealt[place] { return source }
    let source = Outcome.Source.recording(tape.interactions[place], place: place)
    dealt[place] = source
    return source
  }

  private func missing(
    _ id: Int,
    _ lane: Lane,
    exhausted: (times: Int, last: Int)?
  ) -> (Outcome.Source, Journal.Take, Deck.Later?) {
    if mode == .newEpisodes { return (.forward(ticket: id), .forwarded, nil) }
    let empty = Mismatch(asked: "", nearest: nil, played: 0, count: 0)
    return (
      .unmatched(empty), .unmatched,
      .explain(tape.interactions, journal, lane, exhausted: exhausted)
    )
  }
}
