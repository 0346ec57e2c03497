extension Deck {
  /// What of a decision is worked out outside the lock.
  enum Later: Sendable {
    /// A function of the user's, which may be slow and may ask the deck itself.
    case compute(@Sendable (Request) -> Response)
    /// The search for the nearest recording, which looks at all of them.
    case explain([Stub], Journal, Lane, exhausted: (times: Int, last: Int)?)

    func source(for request: Request, matcher: Matcher) -> Outcome.Source {
      switch self {
      case .compute(let answer): .computed(answer(request))
      case .explain(let stubs, let journal, let lane, nil):
        .unmatched(
          Mismatch(request, among: Self.interactions(stubs), matcher: matcher) { place in
            journal.all.count { $0.take == .recording(place) && $0.decision.lane == lane }
          }
        )
      case .explain(let stubs, _, _, let (times, last)?):
        .unmatched(
          Mismatch(exhausted: request, times: times, last: last, of: Self.interactions(stubs))
        )
      }
    }

    private static func interactions(_ stubs: [Stub]) -> [Interaction] {
      stubs.map { $0.interaction ?? Interaction($0.request, Response()) }
    }
  }
}
