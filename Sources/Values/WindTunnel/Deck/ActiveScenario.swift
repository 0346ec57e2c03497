internal import Foundation
@_spi(WindTunnel) internal import WindTunnelCore

/// The current scenario of a deck, with its seed, its clock and the use of its rules.
struct ActiveScenario: Sendable {
  private(set) var scenario: Scenario
  /// The seed of all draws.
  private(set) var seed: UInt64
  private(set) var ruleUse: RuleUse
  /// Whether the scenario changes no response.
  var isCalm: Bool { scenario.rules.isEmpty && !hasLink && mutants.rules.isEmpty }
  /// The mutants that are played in addition to the scenario, as rules.
  var mutants: Scenario = []
  /// Whether a rule depends on the recording that a request will receive.
  var asksForRecordings: Bool { dependsOnRecordings || !mutants.rules.isEmpty }
  private var dependsOnRecordings: Bool
  var clock = ScenarioClock()
  private let isProxied: Bool
  /// The rates that the deck's connections share, if the link is shared.
  private let shared = SharedRates()

  init(_ scenario: Scenario, seed: UInt64, isProxied: Bool) {
    (self.scenario, self.seed, self.isProxied) = (scenario, seed, isProxied)
    ruleUse = RuleUse(scenario)
    dependsOnRecordings = Self.asksForRecordings(scenario)
  }

  private static func asksForRecordings(_ scenario: Scenario) -> Bool {
    scenario.rules.contains { $0.trigger.recording != nil }
  }

  /// Whether there is a link. Only the case is tested, so nothing is copied.
  var hasLink: Bool { if case .some = scenario.link { true } else { false } }

  /// Changes to another scenario, whose clock begins now.
  mutating func change(to scenario: Scenario, seed: UInt64?) {
    (self.scenario, self.seed) = (scenario, seed ?? self.seed)
    dependsOnRecordings = Self.asksForRecordings(scenario)
    clock = ScenarioClock()
    ruleUse.change(to: scenario)
  }

  /// Restarts the same scenario.
  mutating func restart() {
    clock = ScenarioClock()
    ruleUse.begin()
  }

  /// Decides the faults of a connection before it has a request.
  mutating func decideConnection(_ lane: Lane, _ ordinal: Int, at now: Date?) -> FaultDecision {
    if ruleUse.isWaiting { ruleUse.meet(nil) }
    let context = clock.context(scenario, of: nil, in: lane, at: now)
    let moment = Scenario.Moment(seed, lane, FaultDecision.connectionKey, ordinal, context)
    return scenario.decideConnection(at: moment)
  }

  /// Decides the faults of a tunnel.
  mutating func decideTunnel(
    _ request: Request,
    _ lane: Lane,
    _ ordinal: Int,
    isOpened: Bool,
    at now: Date?
  ) -> FaultDecision {
    if ruleUse.isWaiting { ruleUse.meet(request) }
    let context = clock.context(scenario, of: request, in: lane, at: now)
    return scenario.decideTunnel(
      request,
      at: Scenario.Moment(seed, lane, request.tunnelKey, ordinal, context),
      isOpened: isOpened
    )
  }

  /// Decides the faults of a request that will receive the recording with this number, if any.
  mutating func decide(
    _ prepared: PreparedRequest,
    _ lane: Lane,
    _ ordinal: Int,
    isIgnored: Bool,
    recording: Int?,
    at now: Date?
  ) -> FaultDecision {
    var context = clock.context(scenario, of: prepared.request, in: lane, at: now)
    if isIgnored || scenario.rules.isEmpty && mutants.rules.isEmpty {
      return FaultDecision(lane: lane, key: prepared.key.text, ordinal: ordinal, faults: [])
    }
    context.recording = recording
    if ruleUse.isWaiting { ruleUse.meet(prepared.request) }
    let moment = Scenario.Moment(seed, lane, prepared.key.text, ordinal, context)
    var decision =
      isProxied
      ? scenario.decideProxied(prepared.request, at: moment)
      : scenario.decide(prepared.request, at: moment)
    // If the scenario withholds the recording from the client, there is nothing to mutate.
    if !mutants.rules.isEmpty, !decision.faults.contains(where: \.replacesOrCuts) {
      decision.faults += mutants.decide(prepared.request, at: moment).faults
    }
    return decision
  }

  /// Returns the link and the draws of a connection's packets; `nil` if there is no link.
  ///
  /// Each exchange has its own draws, so a client's reuse of connections does not change which of
  /// its packets are lost.
  func path(_ decision: FaultDecision) -> LinkPath? {
    scenario.link.map { link in
      LinkPath(
        link: link,
        draws: ConnectionDraws(
          seed: seed,
          scenario: scenario.name,
          lane: decision.lane,
          key: decision.key,
          ordinal: decision.ordinal
        ),
        shared: link.isShared ? shared : nil
      )
    }
  }
}

/// The clock of a scenario, and the facts about earlier requests that some rules need.
struct ScenarioClock: Sendable {
  /// The time at which the scenario began; `nil` until a time is passed.
  private var beginning: Date?
  /// The age of the scenario at the first time that is passed.
  var age = Duration.zero
  private var firstValues = FirstValues()
  private var credentials = CredentialMemory()

  /// Begins the scenario, unless it has begun or the time is `nil`.
  mutating func start(at now: Date?) {
    if beginning == nil { beginning = now?.addingTimeInterval(-age.inMilliseconds / 1000) }
  }

  /// Returns the facts that rules can test in addition to the seed.
  mutating func context(
    _ scenario: Scenario,
    of request: Request?,
    in lane: Lane,
    at now: Date?
  ) -> TriggerContext {
    start(at: now)
    var context = TriggerContext()
    // Without rules no fact is needed.
    if scenario.rules.isEmpty { return context }
    if let now, let elapsed = elapsed(at: now) { context.elapsed = elapsed }
    if let request {
      context.headers = request.headers
      context.changed = firstValues.changed(scenario, request, in: lane)
      context.hasExpired = credentials.hasExpired(scenario, request, in: lane)
    }
    return context
  }

  /// Returns the time since the beginning; `nil` if no time has been passed.
  func elapsed(at now: Date) -> Duration? {
    guard let beginning else { return nil }
    let milliseconds = now.timeIntervalSince(beginning) * 1000
    // A clock may be set back.
    return Duration(milliseconds: min(max(0, milliseconds), Self.longestMilliseconds))
  }

  /// A hundred years; a clock that shows more is wrong.
  private static let longestMilliseconds = 3.2e12
}

/// The values of the fields that rules observe, in the first requests of each lane.
private struct FirstValues: Sendable {
  private var values: [LaneKey: String?] = [:]

  /// Returns the indices of the rules whose field has changed.
  mutating func changed(_ scenario: Scenario, _ request: Request, in lane: Lane) -> Set<Int> {
    var changed: Set<Int> = []
    for (place, rule) in scenario.rules.enumerated() {
      guard let name = rule.trigger.untilHeaderChanges,
        rule.trigger.request?.matches(request) != false
      else { continue }
      let value = request.headers[name]
      let key = LaneKey(lane, Fingerprint(scenario.identity(of: place)))
      if let first = values[key] {
        if first != value { changed.insert(place) }
      } else {
        values[key] = .some(value)
      }
    }
    return changed
  }
}
