internal import Foundation

// What of the tape a request is given.
extension Deck.State {
  mutating func deal(
    _ prepared: PreparedRequest,
    _ decision: Decision,
    id: Int,
    later: inout Deck.Later?
  ) -> (Outcome.Source, Journal.Take) {
    let (request, key) = (prepared.request, prepared.key)
    if routes.ignores(request.url) { return (.forward(ticket: nil), .forwarded) }
    // Nobody recorded the page of a portal, which is there all the same.
    if request.url.path == ReplacementResponse.portalPath,
      decision.faults == [.answer(.captivePortalPage)]
    {
      return (.computed(Response()), .computed)
    }
    if mode == .rewrite { return (.forward(ticket: id), .forwarded) }
    let sequence =
      prepared.sequence
      ?? front.index.sequence(for: request, key: key, lane: decision.lane, bindings: &bindings)
    guard let sequence else {
      // Nobody recorded this host, so its own answer is the right one.
      if passesOthers, mode != .newEpisodes, !isOnTape(request.url) {
        return (.forward(ticket: nil), .forwarded)
      }
      return missing(id, exhausted: nil, &later)
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
      return missing(id, exhausted: (times, last), &later)
    case .recording(let place):
      if let answer = tape.computed[place] {
        later = .compute(answer)
        return (.computed(Response()), .computed)
      }
      let dealt =
        decision.faults.contains(where: \.isStale) ? sequence.earlier(than: place) : place
      let take = isWithheld ? Journal.Take.withheld(dealt) : .recording(dealt)
      return (.recording(tape.interactions[dealt], place: dealt), take)
    }
  }

  private func missing(
    _ id: Int,
    exhausted: (times: Int, last: Int)?,
    _ later: inout Deck.Later?
  ) -> (Outcome.Source, Journal.Take) {
    if mode == .newEpisodes { return (.forward(ticket: id), .forwarded) }
    later = .explain(tape.interactions, exhausted: exhausted)
    let empty = Mismatch(asked: "", nearest: nil, played: 0, count: 0)
    return (.unmatched(empty), .unmatched)
  }
}
