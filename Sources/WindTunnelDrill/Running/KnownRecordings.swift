/// The things about recordings that are worked out once, though every attempt asks for them.
struct KnownRecordings: Sendable {
  /// The last request of each recording, by its place, and what it brought.
  private var lastSent: [Int: (request: Request, values: SentValues)] = [:]
  /// The attempts that are answered by each recording as it is, but for their decisions.
  private var attempts: [Int: Observation.Attempt] = [:]

  /// The places of the lines of the story, by key.
  private var places: [String: DecisionLine.Place] = [:]

  /// A client may ask for ever more.
  private static let placesMax = 1024

  /// Returns what a request brought: most are the same as the one before.
  mutating func values(of outcome: Outcome) -> SentValues {
    guard case .recording(_, let place) = outcome.source,
      outcome.request.body.count <= SentValues.bodyBytesMax
    else { return SentValues(of: outcome, isWhole: true) }
    if let last = lastSent[place], last.request == outcome.request { return last.values }
    let values = SentValues(of: outcome, isWhole: true)
    lastSent[place] = (outcome.request, values)
    return values
  }

  /// Returns a call's decision as a line of the story.
  mutating func line(of decision: FaultDecision, _ call: Int) -> DecisionLine {
    if let place = places[decision.key] { return DecisionLine(decision, of: call, at: place) }
    let scenario = decision.lane.name.utf8.dropLast(String(call).utf8.count + 1)
    guard places.count < Self.placesMax else { return DecisionLine(decision.line) }
    let place = DecisionLine.Place(scenario: String(Substring(scenario)), key: decision.key)
    places[decision.key] = place
    return DecisionLine(decision, of: call, at: place)
  }

  /// Returns an attempt without its decision that is answered by a recording as it is.
  mutating func attempt(at place: Int, of cassette: Cassette) -> Observation.Attempt {
    if let known = attempts[place] { return known }
    let interactions = cassette.interactions
    let attempt = Observation.Attempt(
      DecisionLine(""),
      .recording(place),
      [],
      over: interactions.indices.contains(place) ? interactions[place] : nil
    )
    attempts[place] = attempt
    return attempt
  }
}
