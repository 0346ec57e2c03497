internal import Foundation
@_spi(WindTunnel) internal import WindTunnelCore

/// The scenario that a deck is in, with its seed, its clock and the use of its rules.
struct ActiveScenario: Sendable {
  private(set) var scenario: Scenario
  /// The start of all draws.
  private(set) var seed: UInt64
  private(set) var ruleUse: RuleUse
  /// Whether it changes no response.
  var isCalm: Bool { scenario.rules.isEmpty && !hasLink && mutants.rules.isEmpty }
  /// The mutants beside the scenario, as its rules.
  var mutants: Scenario = []
  /// Whether a rule depends on the recording that a request is about to get.
  var asksForRecordings: Bool { dependsOnRecordings || !mutants.rules.isEmpty }
  private var dependsOnRecordings: Bool
  private var clock = ScenarioClock()
  private let isProxied: Bool
  /// The rates that the connections of the deck share, where the link says so.
  private let shared = SharedRates()

  init(_ scenario: Scenario, seed: UInt64, isProxied: Bool) {
    (self.scenario, self.seed, self.isProxied) = (scenario, seed, isProxied)
    ruleUse = RuleUse(scenario)
    dependsOnRecordings = Self.asksForRecordings(scenario)
  }

  private static func asksForRecordings(_ scenario: Scenario) -> Bool {
    scenario.rules.contains { $0.trigger.recording != nil }
  }

  /// Tells whether there is a link, by the case alone, which copies nothing.
  var hasLink: Bool { if case .some = scenario.link { true } else { false } }

  /// Changes to another scenario, whose clock begins now.
  mutating func change(to scenario: Scenario, seed: UInt64?) {
    (self.scenario, self.seed) = (scenario, seed ?? self.seed)
    dependsOnRecordings = Self.asksForRecordings(scenario)
    clock = ScenarioClock()
    ruleUse.change(to: scenario)
  }

  /// Begins the same scenario anew.
  mutating func restart() {
    clock = ScenarioClock()
    ruleUse.begin()
  }

  /// Says how old the scenario is when the first moment is told.
  mutating func begin(aged age: Duration) { clock.age = age }

  /// Returns the time since it began; `nil` where no moment was told.
  func elapsed(at now: Date) -> Duration? { clock.elapsed(at: now) }

  /// Takes note of the time, where nothing has to be decided.
  mutating func pass(to now: Date?) { clock.start(at: now) }

  /// Decides what a connection meets before there is a request on it.
  mutating func decideConnection(_ lane: Lane, _ ordinal: Int, at now: Date?) -> FaultDecision {
    if ruleUse.isWaiting { ruleUse.meet(nil) }
    return scenario.decideConnection(
      seed: seed,
      lane: lane,
      ordinal: ordinal,
      in: clock.context(scenario, of: nil, in: lane, at: now)
    )
  }

  /// Decides what a tunnel meets.
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

  /// Decides the faults of a request that is about to get the recording of this number, if any.
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
    // A recording that the scenario keeps from the client leaves nothing to break.
    if !mutants.rules.isEmpty, !decision.faults.contains(where: \.replacesOrCuts) {
      decision.faults += mutants.decide(prepared.request, at: moment).faults
    }
    return decision
  }

  /// Returns the link and the fates of a connection's packets; `nil` where there is no link. An
  /// exchange has a connection of its own, so that no client's reuse of connections changes what it
  /// meets.
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

/// The time of a scenario, and the fields that its first requests had: what some rules count from.
struct ScenarioClock: Sendable {
  /// The first moment that was told in it.
  private var beginning: Date?
  /// The age of the scenario when that is told.
  var age = Duration.zero
  private var firstValues = FirstValues()
  private var credentials = CredentialMemory()

  /// Begins, unless it has begun or no moment is told.
  mutating func start(at now: Date?) {
    if beginning == nil { beginning = now?.addingTimeInterval(-age.inMilliseconds / 1000) }
  }

  /// Returns the facts that rules may ask for beside the seed.
  mutating func context(
    _ scenario: Scenario,
    of request: Request?,
    in lane: Lane,
    at now: Date?
  ) -> TriggerContext {
    start(at: now)
    var context = TriggerContext()
    // There is no rule to ask.
    if scenario.rules.isEmpty { return context }
    if let now, let elapsed = elapsed(at: now) { context.elapsed = elapsed }
    if let request {
      context.headers = request.headers
      context.changed = firstValues.changed(scenario, request, in: lane)
      context.hasExpired = credentials.hasExpired(scenario, request, in: lane)
    }
    return context
  }

  /// Returns the time since the beginning; `nil` where no moment was told.
  func elapsed(at now: Date) -> Duration? {
    guard let beginning else { return nil }
    let milliseconds = now.timeIntervalSince(beginning) * 1000
    // A clock may be set back.
    return Duration(milliseconds: min(max(0, milliseconds), Self.longestMilliseconds))
  }

  /// A hundred years: a clock that tells more is no clock.
  private static let longestMilliseconds = 3.2e12
}

/// The values that the first requests of each lane had in the fields that rules wait to change.
private struct FirstValues: Sendable {
  private var values: [LaneKey: String?] = [:]

  /// Returns the places of the rules whose field is another by now.
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
