internal import WindTunnel

/// The things about recordings that are worked out once, though every attempt asks for them.
struct KnownRecordings: Sendable {
  /// The last request of each recording, by its place, and what it brought.
  private var lastSent: [Int: (request: Request, values: SentValues)] = [:]
  /// The terms on which each answer may be shown again.
  private var cacheTerms: [Int: Observation.CacheTerms?] = [:]

  /// A longer body is not kept.
  private static let bodyBytesMax = 64 << 10

  /// Returns what a request brought: most are the same as the one before.
  mutating func values(of outcome: Outcome) -> SentValues {
    guard case .recording(_, let place) = outcome.source,
      outcome.request.body.count <= Self.bodyBytesMax
    else { return SentValues(of: outcome) }
    if let last = lastSent[place], last.request == outcome.request { return last.values }
    let values = SentValues(of: outcome)
    lastSent[place] = (outcome.request, values)
    return values
  }

  /// Returns the terms on which an answer that is played may be shown again.
  mutating func cacheTerms(
    of interaction: Interaction,
    _ take: Journal.Take
  ) -> Observation.CacheTerms? {
    guard case .recording(let place) = take else { return interaction.cacheTerms }
    if let known = cacheTerms[place] { return known }
    cacheTerms[place] = .some(interaction.cacheTerms)
    return interaction.cacheTerms
  }
}
