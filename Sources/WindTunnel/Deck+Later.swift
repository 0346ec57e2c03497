extension Deck {
  /// What of a decision is worked out outside the lock.
  enum Later: Sendable {
    /// A function of the user's, which may be slow and may ask the deck itself.
    case compute(@Sendable (Request) -> Response)
    /// The search for the nearest recording, which looks at all of them.
    case explain([Interaction], exhausted: (times: Int, last: Int)?)

    func source(for request: Request, by front: Front) -> Outcome.Source {
      switch self {
      case .compute(let answer): .computed(answer(request))
      case .explain(let interactions, nil):
        .unmatched(front.explanation(of: request, among: interactions))
      case .explain(let interactions, let (times, last)?):
        .unmatched(
          Mismatch(exhausted: request, times: times, last: last, of: interactions)
        )
      }
    }
  }
}
