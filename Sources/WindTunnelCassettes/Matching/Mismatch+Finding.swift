extension Mismatch {
  /// Part by part only so many recordings are looked at, the nearest by method, origin, path and
  /// query.
  private static let looksMax = 64

  /// Looks at every recording, which only a request that nothing answers has to pay for; `played`
  /// tells how often the recording at a place was played to whoever asks.
  package init(
    _ request: Request,
    among interactions: [Interaction],
    matcher: Matcher,
    played: (Int) -> Int = { _ in 0 }
  ) {
    self.init(asked: Self.shown(request), nearest: nil, played: 0, count: interactions.count)
    let near = interactions.enumerated().map { index, interaction in
      (distance: Comparison.roughDistance(interaction.request, request, matcher), index: index)
    }.sorted { ($0.distance, $0.index) < ($1.distance, $1.index) }
    let best = near.prefix(Self.looksMax).map { _, index in
      let recorded = interactions[index].request
      var comparison = Comparison(recorded, request, matcher)
      comparison.compareBodies(recorded, request, matcher)
      return (index: index, comparison: comparison)
    }.sorted { ($0.comparison.distance, $0.index) < ($1.comparison.distance, $1.index) }
    candidates = best.prefix(Self.candidatesMax).map { index, comparison in
      Candidate(
        number: index + 1,
        request: Self.shown(interactions[index].request),
        played: played(index),
        verdicts: comparison.verdicts
      )
    }
    guard let first = candidates.first, let place = best.first?.index else { return }
    nearest = Nearest(
      number: first.number,
      request: first.request,
      difference: first.differences.first?.description
        ?? "nothing but a redacted part, which stands for another value already"
    )
    rule = Self.rule(interactions[place].request, request, first, matcher)
  }

  /// The recordings of this request are used up.
  package init(
    exhausted request: Request,
    times: Int,
    last place: Int,
    of interactions: [Interaction]
  ) {
    let shown = Self.shown(interactions[place].request)
    self.init(
      asked: Self.shown(request),
      nearest: Nearest(number: place + 1, request: shown, difference: "nothing"),
      candidates: [Candidate(number: place + 1, request: shown, played: 1, verdicts: [])],
      played: times,
      count: interactions.count
    )
  }

  private static func shown(_ request: Request) -> String {
    "\(request.method) \(request.url.withoutUserInfo)"
  }
}
