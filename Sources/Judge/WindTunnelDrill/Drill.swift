public import WindTunnel
@_spi(WindTunnel) internal import WindTunnelCore
public import WindTunnelSymptoms
internal import WindTunnelVirtualTime

/// A test flight of your own client: its calls are made in the weather of scenarios, one after the
/// other, and a report says how it did.
///
/// ```swift
/// let report = try await Drill(cassette, in: .preRelease, calls: 400, seed: 7).run { call in
///   try await ShopAPI(baseURL: call.baseURL, session: call.session).get(call.url)
/// }
/// try report.require([Gate("successRate >= 0.99"), Gate("blankScreens == 0")])
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
  ///   - critical: The requests of critical endpoints, as in ``DrillPlan/critical``.
  public init(
    _ cassette: Cassette,
    in scenarios: [Scenario],
    calls: Int? = nil,
    seed: UInt64 = 1,
    load: Load = .standard,
    deadline: Duration? = nil,
    stage: Stage? = nil,
    errors: Symptom.Platform = .current,
    critical: [RequestPattern] = []
  ) {
    plan = DrillPlan(cassette, in: scenarios)
    plan.calls = calls
    plan.seed = seed
    plan.load = load
    plan.deadline = deadline
    plan.stage = stage
    plan.errors = errors
    plan.critical = critical
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
  public func run<Shown: Sendable>(
    as name: String = "client",
    in time: DrillClock? = nil,
    _ body: @escaping @Sendable @concurrent (DrillCall) async throws -> Shown
  ) async throws -> Report {
    var plan = plan
    plan.subjects = [name]
    plan.time = time ?? plan.time
    return try await Self.run([ClosureSubject(name: name, body: body)], plan)
  }

  /// Makes the calls of a plan's subjects in this process. In virtual time, `progress` receives the
  /// number of parts that ended.
  static func run(
    _ subjects: [any Subject],
    _ plan: DrillPlan,
    progress: @escaping @Sendable (_ done: Int, _ all: Int) -> Void = { _, _ in }
  ) async throws -> Report {
    var plan = plan
    plan.clients = subjects.map(PlannedClient.init)
    plan.nameCritical()
    try plan.validate()
    try plan.refuseWorlds()
    // Refused before anything is flown.
    for scenario in plan.scenarios { _ = try plan.stage(of: scenario, seeingAttempts: true) }
    let flown =
      switch plan.time {
      case .realTime: try await flyOneByOne(subjects, plan)
      case .virtualTime: try await flyInCells(subjects, plan, progress)
      }
    return plan.report(flown, facts: [.sharedProcess])
  }

  /// Flies the scenarios one after the other, but for those that leave the machine to others.
  private static func flyOneByOne(
    _ subjects: [any Subject],
    _ plan: DrillPlan
  ) async throws -> [Report.ScenarioResult] {
    try await plan.scenarios.flown { scenario, allBegan in
      let stage = try plan.stage(of: scenario, seeingAttempts: true)
      let cell = Cell(calls: plan.numbers(in: scenario))
      let beginnings = Beginnings(of: cell.calls.count * plan.subjects.count, then: allBegan)
      var rows: [Report.Row] = []
      for subject in plan.flown(of: subjects) {
        let landed = try await run(cell, of: subject.anew(), plan, scenario, stage) {
          beginnings.note($0, of: subject.name)
        }
        rows.append(row(of: subject, landed, in: scenario, plan.screens(in: scenario)))
      }
      return plan.flown(scenario, on: stage, rows)
    }
  }

  /// Flies each cell in a virtual time of its own, as many at once as there are workers.
  private static func flyInCells(
    _ subjects: [any Subject],
    _ plan: DrillPlan,
    _ progress: @escaping @Sendable (_ done: Int, _ all: Int) -> Void
  ) async throws -> [Report.ScenarioResult] {
    let rows = try plan.rows(of: subjects)
    if let shard = plan.shard, rows.allSatisfy({ $0.cells.allSatisfy(\.calls.isEmpty) }) {
      throw DrillError.plan(
        "Shard \(shard) has no call: in virtual time a scenario is parted behind every "
          + "\(Cell.callsMax)th. Take fewer shards, or none."
      )
    }
    let parts = rows.enumerated().flatMap { place, row in row.cells.map { (row: place, cell: $0) } }
    let landed = Locked(rows.map { Landed(of: $0.cells.reduce(0) { $0 + $1.calls.count }) })
    let done = Locked(0)
    try await VirtualTime.together {
      try await parts.flown(by: plan.workers) { part in
        let row = rows[part.row]
        var landed = try await plan.inItsTime(of: part.cell) {
          try await run(part.cell, of: row.subject.anew(), plan, row.scenario, row.stage)
        }
        landed.calls.storeAnew()
        return landed
      } then: { place, cell in
        landed.withLock { $0[parts[place].row].merge(cell) }
        let count = done.withLock { count in
          count += 1
          return count
        }
        progress(count, parts.count)
      }
    }
    let flown = zip(rows, landed.withLock { $0 }).map { row, landed in
      (row, Self.row(of: row.subject, landed, in: row.scenario, plan.screens(in: row.scenario)))
    }
    return plan.scenarios.compactMap { scenario in
      let own = flown.filter { $0.0.scenario.name == scenario.name }
      return own.first.map { plan.flown(scenario, on: $0.0.stage, own.map(\.1)) }
    }
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
      let cell = Cell(calls: plan.numbers(in: scenario))
      let seen = try await run(cell, of: subject.anew(), plan, scenario, stage).calls
      guard let first = seen.first else { throw DrillError.harness("the call was not observed") }
      return first
    }
  }

  /// The calls of a cell, or of several, and the traffic that belongs to none.
  private struct Landed: Sendable {
    var calls: [Observation]
    var traffic = ClientRun.Traffic()

    init(_ calls: [Observation], _ traffic: ClientRun.Traffic) {
      (self.calls, self.traffic) = (calls, traffic)
    }

    /// Has room for so many calls.
    init(of count: Int) {
      calls = []
      calls.reserveCapacity(count)
    }

    /// Counts its times from a moment that was so much earlier.
    mutating func begin(later age: Duration) {
      guard age > .zero else { return }
      for place in calls.indices { calls[place].begin(later: age) }
      traffic.lateRequests = traffic.lateRequests.map { $0 + age.inWholeMicroseconds }
    }

    mutating func merge(_ other: Landed) {
      calls += other.calls
      traffic.merge(other.traffic)
    }
  }

  private static func row(
    of subject: any Subject,
    _ landed: Landed,
    in scenario: Scenario,
    _ screens: Screens
  ) -> Report.Row {
    Report.Row(
      subject.name,
      landed.calls,
      plannedFaults: scenario.faultNames,
      traffic: landed.traffic,
      screens: screens
    )
  }

  /// The most of the machine's time that work on another thread takes, if it is to end at all.
  private static let hangsMost = Duration.milliseconds(500)

  /// Makes the calls of a cell; `begins` is told of the beginning of each.
  private static func run(
    _ cell: Cell,
    of subject: any Subject,
    _ plan: DrillPlan,
    _ scenario: Scenario,
    _ stage: Stage,
    begins: @escaping @Sendable (Int) -> Void = { _ in }
  ) async throws -> Landed {
    let log = Locked(WorkerLog())
    let runner = try await CallRunner(
      subject,
      CallRunner.Setup(
        cassette: plan.cassette,
        scenario: scenario,
        mix: plan.asked,
        coveringCalls: plan.coveringCalls(in: scenario),
        matcher: plan.matcher,
        seed: plan.seed,
        stage: stage,
        errors: plan.errors,
        elapsed: cell.age ?? plan.elapsed,
        patience: plan.patience
      ),
      deadline: plan.deadline(in: scenario),
      attemptTimeout: plan.attemptTimeout(in: scenario)
    ) { message in
      if case .began(let call, _) = message { begins(call) }
      _ = log.withLock { $0.apply(message) }
    }
    if let arrivals = cell.arrivals {
      await runner.run(cell.calls, arrivals)
    } else {
      await runner.run(cell.calls, load: plan.load)
    }
    await runner.close()
    try Task.checkCancellation()
    let (calls, traffic, refusal) = log.withLock { ($0.takeFinished(), $0.traffic, $0.refusal) }
    if let refusal { throw refusal }
    // In virtual time one may only seem to: it waits for a thread, and time went on without that.
    if calls.contains(where: { $0.ending == .hung }) { VirtualTime.listen(for: hangsMost) }
    try StoryCheck(scenario: scenario, seed: plan.seed, workload: runner.workload).check(calls)
    var landed = Landed(calls, traffic)
    landed.calls.maskKeys()
    landed.begin(later: cell.age ?? .zero)
    return landed
  }
}

extension DrillPlan {
  /// Returns those of the subjects that fly, in the plan's order.
  fileprivate func flown(of subjects: [any Subject]) -> [any Subject] {
    self.subjects.compactMap { name in subjects.first { $0.name == name } }
  }

  /// The cells of a subject in a scenario.
  fileprivate struct CellRow: Sendable {
    var scenario: Scenario
    var stage: Stage
    var subject: any Subject
    var cells: [Cell]
  }

  /// Returns the cells of each subject in each scenario, in this order.
  fileprivate func rows(of subjects: [any Subject]) throws -> [CellRow] {
    try scenarios.flatMap { scenario in
      let stage = try stage(of: scenario, seeingAttempts: true)
      return flown(of: subjects).map { subject in
        CellRow(
          scenario: scenario,
          stage: stage,
          subject: subject,
          cells: cells(in: scenario, of: subject)
        )
      }
    }
  }
}

// The mark of this module in programs, by which `check-release` finds it; the number is its own.
@section("__DATA_CONST,__wt_modules")
@used private let linkMark: (UInt64, UInt64, UInt64) =
  (0xF1D3_8A6C_57E2_94B0, 0x9C0E_B7A5_2D41_F863, 6)
