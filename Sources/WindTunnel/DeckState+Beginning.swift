internal import Foundation

extension Deck {
  /// How a scenario began, which some rules count from.
  struct Beginning: Sendable {
    /// The first moment that was told in it.
    private var moment: Date?
    /// How old the scenario is when that is told.
    var age = Duration.zero
    private var firstValues = FirstValues()

    /// What rules may ask beside the seed.
    mutating func circumstances(
      _ scenario: Scenario,
      of request: Request?,
      in lane: Lane,
      at now: Date?
    ) -> TriggerContext {
      if moment == nil { moment = now?.addingTimeInterval(-age.inMilliseconds / 1000) }
      var circumstances = TriggerContext()
      // Nobody asks.
      if scenario.rules.isEmpty { return circumstances }
      if let now, let elapsed = elapsed(at: now) { circumstances.elapsed = elapsed }
      if let request {
        circumstances.headers = request.headers
        circumstances.changed = firstValues.changed(scenario, request, in: lane)
      }
      return circumstances
    }

    /// How long ago it was; `nil` where nobody told a moment.
    func elapsed(at now: Date) -> Duration? {
      guard let moment else { return nil }
      let milliseconds = now.timeIntervalSince(moment) * 1000
      // A clock may be set back.
      return Duration(milliseconds: min(max(0, milliseconds), Self.longestMilliseconds))
    }

    /// A hundred years: a clock that tells more is no clock.
    private static let longestMilliseconds = 3.2e12
  }
}

extension Deck {
  /// Says how old the scenario is when the first moment is told, where that is not its beginning.
  package func begin(aged age: Duration) { state.withLock { $0.beginning.age = age } }
}

extension Deck.State {
  mutating func open(lane: Lane, at now: Date?) -> Journal.Entry {
    if ruleUse.isWaiting { ruleUse.meet(nil) }
    let decision = scenario.decideConnection(
      seed: seed,
      lane: lane,
      ordinal: count(Self.connectionPrint, in: lane),
      in: beginning.circumstances(scenario, of: nil, in: lane, at: now)
    )
    let entry = Journal.Entry(id: newID(), decision: decision, take: .connection)
    if !decision.faults.isEmpty { journal.append(entry) }
    return entry
  }

  private static let connectionPrint = Fingerprint(Decision.connectionKey)

  /// Whether content of requests can make a difference, or be kept.
  var needsRequestContent: Bool {
    mode != .none || passesOthers || !routes.isEmpty || computes
  }
}
