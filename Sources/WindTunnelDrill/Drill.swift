public import WindTunnel
@_spi(WindTunnel) internal import WindTunnelCore
public import WindTunnelSymptoms
internal import WindTunnelVirtualTime

/// A test flight of your own client: its calls are made in the weather of scenarios, one after the
/// other, and a report says how it did.
///
/// ```swift
/// let report = try await Drill(cassette, in: .preRelease, calls: 400, seed: 7).fly { call in
///   try await ShopAPI(baseURL: call.baseURL, session: call.session).get(call.url)
/// }
/// try report.require("successRate >= 0.99", "blankPages == 0")
/// ```
///
/// The client runs in this very process. A crash ends the drill with it, and the report says so;
/// `ProcessDrill` gives each client a process of its own.
public struct Drill: Sendable {
  /// The plan of the drill; its subjects are ignored.
  public var plan: DrillPlan

  /// Makes a drill of a plan.
  public init(_ plan: DrillPlan) { self.plan = plan }

  /// Makes a drill of a cassette and scenarios.
  ///
  /// - Parameters:
  ///   - cassette: The recordings that answer.
  ///   - scenarios: The scenarios, one after the other, such as `.preRelease`.
  ///   - calls: The number of calls that the client makes in each scenario; `nil`: the scenario's
  ///     number, else 60.
  ///   - seed: The seed of all random draws.
  ///   - load: The times at which the calls begin, by default fifty a second. A test shares its
  ///     machine with others; where calls begin late for that reason, the report says by how much,
  ///     and a latency that misses a gate's bar by no more is inconclusive. A closed loop is
  ///     quicker, and flatters a slow client.
  ///   - deadline: The time that a call may take; one that takes much longer hangs. `nil`: the
  ///     scenario's deadline, else twenty seconds.
  ///   - stage: The stage; `nil`: the wire where the faults can be made for real and every attempt
  ///     is seen, else in process.
  ///   - errors: The platform whose errors faults surface as in process.
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

  /// Makes the calls and folds the observations into a report.
  ///
  /// A call succeeds when `body` returns and fails when it throws. It has something to show when
  /// what it returned is not empty: no `nil`, no empty collection, no JSON that does not decode;
  /// `call.showed(_:)` overrules that. A call that does not end in time hangs: it is abandoned and
  /// never cancelled, and its later effects are not counted.
  ///
  /// - Parameters:
  ///   - name: The client's name in the report.
  ///   - time: The time to fly in; `nil`: the plan's.
  ///   - body: One use of the client, by the call's session and base URL. All work that it starts
  ///     must have ended when it returns, since its session ends then.
  /// - Returns: The report, with the verdicts on the gates of the scenarios and of the plan.
  /// - Throws: `DrillError` where the plan cannot be carried out, `CancellationError` where the
  ///   task is cancelled, `NotVirtual` where virtual time was asked for and the client, or this
  ///   system, cannot have it.
  public func fly<Shown: Sendable>(
    as name: String = "client",
    in time: FlightTime? = nil,
    _ body: @escaping @Sendable @concurrent (DrillCall) async throws -> Shown
  ) async throws -> Report {
    var plan = plan
    plan.subjects = [name]
    plan.time = time ?? plan.time
    return try await Self.fly([ClosureSubject(name: name, body: body)], plan)
  }

  /// Makes the calls of a plan's subjects in this process.
  static func fly(_ subjects: [any Subject], _ plan: DrillPlan) async throws -> Report {
    try plan.validate(known: subjects.map(\.name))
    // Refused before anything is flown.
    for scenario in plan.scenarios { _ = try plan.stage(of: scenario, seeingAttempts: true) }
    let flown = try await plan.scenarios.flown { scenario, allBegan in
      let stage = try plan.stage(of: scenario, seeingAttempts: true)
      let calls = plan.numbers(in: scenario).count * plan.subjects.count
      let beginnings = Beginnings(of: calls, then: allBegan)
      var rows: [Report.Row] = []
      for subject in plan.subjects.compactMap({ name in subjects.first { $0.name == name } }) {
        let flown = try await plan.inItsTime {
          try await Self.fly(subject.anew(), plan, scenario, stage, beginnings)
        }
        rows.append(
          Report.Row(
            subject.name,
            flown.calls.withKeysMasked(),
            plannedFaults: scenario.faultNames,
            traffic: flown.traffic
          )
        )
      }
      return plan.flown(scenario, on: stage, rows)
    }
    return plan.report(flown, facts: [.sharedProcess])
  }

  /// Makes one call of a subject in one scenario, and returns what was observed of it.
  package static func one(
    _ subject: any Subject,
    _ plan: DrillPlan,
    _ scenario: Scenario
  ) async throws -> Observation {
    guard !plan.workload.isEmpty else {
      throw DrillError.plan("The cassette has no interactions, so there is nothing to call.")
    }
    let stage = try plan.stage(of: scenario, seeingAttempts: true)
    var plan = plan
    (plan.calls, plan.load) = (1, .closedLoop(concurrency: 1))
    return try await plan.inItsTime { [plan] in
      let beginnings = Beginnings(of: 1) {}
      let seen = try await Self.fly(subject.anew(), plan, scenario, stage, beginnings).calls
      guard let first = seen.first else { throw DrillError.harness("the call was not observed") }
      return first
    }
  }

  /// The most of the machine's time that work on another thread takes, if it is to end at all.
  private static let hangsMost = Duration.milliseconds(500)

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
        matcher: plan.matcher,
        seed: plan.seed,
        stage: stage,
        errors: plan.errors,
        patience: plan.patience
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
    // In virtual time one may only seem to: it waits for a thread, and time went on without that.
    if observations.contains(where: { $0.ending == .hung }) { VirtualTime.listen(for: hangsMost) }
    try StoryCheck(scenario: scenario, seed: plan.seed, workload: runner.workload)
      .check(observations)
    return (observations, traffic)
  }
}
