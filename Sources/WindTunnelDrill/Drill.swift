public import WindTunnel
@_spi(WindTunnel) internal import WindTunnelCore
public import WindTunnelSymptoms

/// Flies a client of yours through weather, call by call, and reports how it did.
///
///     let report = try await Drill(cassette, in: .preRelease, calls: 400, seed: 7).fly { call in
///       try await ShopAPI(baseURL: call.baseURL, session: call.session).get(call.url)
///     }
///     try report.require("successRate >= 0.99", "blankPages == 0")
///
/// The client flies in this very process. What would end it – a crash – ends the drill with it, and
/// the report says so; `ProcessDrill` gives each client a process of its own.
public struct Drill: Sendable {
  /// The plan; its subjects are not asked.
  public var plan: DrillPlan

  /// Makes a drill of a plan.
  public init(_ plan: DrillPlan) { self.plan = plan }

  /// Makes a drill.
  ///
  /// - Parameters:
  ///   - cassette: What answers.
  ///   - scenarios: The weather, one after the other, such as `.preRelease`.
  ///   - calls: How many calls the client makes in each scenario; `nil`: as many as it says, else
  ///     60.
  ///   - seed: What all draws start from.
  ///   - load: When the calls begin: fifty a second unless it says otherwise. A test shares its
  ///     machine with others; where that begins calls late the report says how late, and a latency
  ///     that is over a gate's bar by no more is inconclusive. A closed loop is quicker, and
  ///     flatters a client that is slow.
  ///   - deadline: How long a call may take; one that takes much longer hangs. `nil`: as long as
  ///     the scenario says, else twenty seconds.
  ///   - stage: Where to fly; `nil`: on the wire where the faults can be made for real and every
  ///     attempt is seen, else in process.
  ///   - errors: Whose errors faults surface as in process.
  public init(
    _ cassette: Cassette,
    in scenarios: [Scenario],
    calls: Int? = nil,
    seed: UInt64 = 1,
    load: Load = .standard,
    deadline: Duration? = nil,
    stage: Stage? = nil,
    errors: Symptom.Platform = .current
  ) {
    plan = DrillPlan(cassette, in: scenarios)
    plan.calls = calls
    plan.seed = seed
    plan.load = load
    plan.deadline = deadline
    plan.stage = stage
    plan.errors = errors
  }

  /// Makes the calls and folds what was seen.
  ///
  /// A call succeeds when `body` returns and fails when it throws. It has something to show when
  /// what it returned is not empty: no `nil`, no empty collection, no JSON that does not decode;
  /// `call.showed(_:)` overrules that. One that does not end in time hangs: it is abandoned and
  /// never cancelled, and what it does later counts nowhere.
  ///
  /// - Parameters:
  ///   - name: The client's name in the report.
  ///   - body: One use of the client, by the call's session and base URL. Whatever it starts must
  ///     be over when it returns, for its session ends then.
  /// - Returns: The report; the gates of the scenarios and of the plan are judged in it.
  /// - Throws: `DrillError` where the plan cannot be flown, `CancellationError` where nobody waits.
  public func fly<Shown: Sendable>(
    as name: String = "client",
    _ body: @escaping @Sendable @concurrent (DrillCall) async throws -> Shown
  ) async throws -> Report {
    var plan = plan
    plan.subjects = [name]
    try plan.validate(known: plan.subjects)
    let subject = ClosureSubject(name: name, body: body)
    // Refused before anything is flown.
    for scenario in plan.scenarios { _ = try plan.stage(of: scenario, seeingAttempts: true) }
    let flown = try await plan.scenarios.flown { [plan] scenario, allBegan in
      let stage = try plan.stage(of: scenario, seeingAttempts: true)
      let beginnings = Beginnings(of: plan.numbers(in: scenario).count, then: allBegan)
      let flown = try await Self.fly(subject, plan, scenario, stage, beginnings)
      let row = Report.Row(
        name,
        flown.calls.withKeysMasked(),
        plannedFaults: scenario.faultNames,
        traffic: flown.traffic
      )
      return plan.flown(scenario, on: stage, [row])
    }
    return plan.report(flown, facts: [.sharedProcess])
  }

  private static func fly(
    _ subject: any Subject,
    _ plan: DrillPlan,
    _ scenario: Scenario,
    _ stage: Stage,
    _ beginnings: Beginnings
  ) async throws -> (calls: [Observation], traffic: Flight.Traffic) {
    let log = Locked(WorkerLog())
    let runner = try await CallRunner(
      subject,
      CallRunner.Setup(
        cassette: plan.cassette,
        scenario: scenario,
        mix: plan.asked,
        seed: plan.seed,
        stage: stage,
        errors: plan.errors
      ),
      deadline: plan.deadline(in: scenario),
      attemptTimeout: plan.attemptTimeout(in: scenario)
    ) { message in
      if case .began(let call) = message { beginnings.note(call, of: subject.name) }
      _ = log.withLock { $0.apply(message) }
    }
    await runner.run(plan.numbers(in: scenario), load: plan.load)
    await runner.close()
    try Task.checkCancellation()
    let (landed, traffic, refusal) = log.withLock { ($0.finished, $0.traffic, $0.refusal) }
    if let refusal { throw refusal }
    let observations = landed.sorted { $0.call < $1.call }
    try StoryCheck(scenario: scenario, seed: plan.seed, workload: runner.workload)
      .check(observations)
    return (observations, traffic)
  }
}
