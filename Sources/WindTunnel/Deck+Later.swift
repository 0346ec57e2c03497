extension Deck {
  /// What of a decision is worked out outside the lock.
  enum Later: Sendable {
    /// A function of the user's, which may be slow and may ask the deck itself.
    case compute(@Sendable (Request) -> Response)
    /// The search for the nearest recording, which looks at all of them.
    case explain([Interaction], Journal, Lane, exhausted: (times: Int, last: Int)?)

    func source(for request: Request, matcher: Matcher) -> Outcome.Source {
      switch self {
      case .compute(let answer): .computed(answer(request))
      case .explain(let interactions, let journal, let lane, nil):
        .unmatched(
          Mismatch(request, among: interactions, matcher: matcher) { place in
            journal.count { $0.take == .recording(place) && $0.decision.lane == lane }
          }
        )
      case .explain(let interactions, _, _, let (times, last)?):
        .unmatched(
          Mismatch(exhausted: request, times: times, last: last, of: interactions)
        )
      }
    }
  }
}
