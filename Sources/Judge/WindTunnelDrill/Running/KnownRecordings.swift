/// The values of requests, computed once for equal requests of a recording.
struct KnownRecordings: Sendable {
  /// The last request of each recording, by the recording's index, with its values.
  private var lastSent: [Int: (request: Request, values: SentValues)] = [:]

  /// Returns the values of a request. Most requests are the same as the previous one.
  mutating func values(of outcome: Outcome) -> SentValues {
    guard case .recording(_, let place) = outcome.source,
      outcome.request.body.count <= SentValues.bodyBytesMax
    else { return SentValues(of: outcome, isWhole: true) }
    let last = lastSent[place]
    if let last, SentValues.areSame(for: last.request, outcome.request) { return last.values }
    let values = SentValues(of: outcome, isWhole: true, after: last)
    lastSent[place] = (outcome.request, values)
    return values
  }
}
