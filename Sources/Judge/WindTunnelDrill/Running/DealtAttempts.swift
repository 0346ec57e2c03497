internal import WindTunnelSymptoms

/// The attempts of a cassette's decisions. Attempts with equal responses and equal faults differ
/// only in their decisions, so the rest is computed once.
struct DealtAttempts: Sendable {
  /// A response and the faults that are applied to it.
  private struct Dealt: Sendable, Hashable {
    var take: Journal.Take
    var faults: [Fault]
  }

  private let known: Distinct<Dealt, Observation.Attempt>

  init(of cassette: Cassette) {
    known = Distinct {
      Observation.Attempt($0.take, $0.faults, over: Self.interaction($0.take, cassette))
    }
  }

  /// Returns the attempt of a decision, which begins now.
  func attempt(_ entry: Journal.Record, at now: Duration) -> Observation.Attempt {
    let decision = entry.decision
    if entry.take == .connection {
      var attempt = Observation.Attempt(
        decision: AttemptDecision(decision),
        source: .played(.connection)
      )
      (attempt.start, attempt.end) = (now, now)
      attempt.error = AnswerSummary(connection: decision).symptom?.rawValue
      return attempt
    }
    var attempt = known(Dealt(take: entry.take, faults: decision.faults))
    attempt.decision = AttemptDecision(decision)
    attempt.start = now
    attempt.isRepeatable = entry.isRepeatable
    return attempt
  }

  private static func interaction(_ take: Journal.Take, _ cassette: Cassette) -> Interaction? {
    switch take {
    case .recording(let place), .withheld(let place):
      cassette.interactions.indices.contains(place) ? cassette.interactions[place] : nil
    case .computed, .forwarded, .unmatched, .connection: nil
    }
  }
}

extension Observation.Attempt {
  /// Creates an attempt without its decision, from the played response and its faults.
  init(
    _ take: Journal.Take,
    _ faults: [Fault],
    over interaction: Interaction?
  ) {
    self.init(decision: AttemptDecision(line: ""), source: .played(take))
    let answer = AnswerSummary(faults, over: interaction)
    status = answer.status
    bytes = answer.bytes
    error = answer.symptom?.rawValue
    retryAfter = answer.retryAfter
    isStaleOnArrival = interaction?.isStaleOnArrival(with: faults) ?? false
    if faults.isEmpty { cacheTerms = interaction?.cacheTerms }
  }
}
