public import WindTunnel
@_spi(WindTunnel) internal import WindTunnelCore
public import WindTunnelSymptoms
internal import WindTunnelVirtualTime

/// A drill of your own client: runs it in one scenario after another and reports how it did.
///
/// ```swift
/// let report = try await Drill(cassette, in: .preRelease, calls: 400, seed: 7).run { call in
///   try await ShopAPI(baseURL: call.baseURL, session: call.session).get(call.url)
/// }
/// try report.require([Gate("successRate >= 0.99"), Gate("blankScreens == 0")])
/// ```
///
/// The client runs in this process, and the report states this. A crash of the client ends the
/// whole process. `ProcessDrill` runs each client in a process of its own.
public struct Drill: Sendable {
  /// The plan of the drill. Its list of clients is ignored.
  public var plan: DrillPlan

  /// Creates a drill from a plan.
  public init(_ plan: DrillPlan) { self.plan = plan }

  /// Creates a drill from a cassette and scenarios.
  ///
  /// - Parameters:
  ///   - cassette: The recordings that the responses are taken from.
  ///   - scenarios: The scenarios, run one after the other, such as `.preRelease`.
  ///   - calls: The number of calls that the client makes in each scenario. `nil` means the
  ///     scenario's number, or 60 if it has none.
  ///   - seed: The seed of all random draws.
  ///   - load: The times at which the calls begin, by default fifty a second. On a busy machine,
  ///     calls can begin late. The report then gives the delay, and a latency that misses a gate's
  ///     bar by no more than this delay is inconclusive. A closed loop takes less time, but shows a
  ///     slow client as faster than it is.
  ///   - deadline: The time that a call may take. A call that takes much longer counts as hung.
  ///     `nil` means the scenario's deadline, or twenty seconds if it has none.
  ///   - stage: The stage. `nil` means the wire if real faults are possible there and every attempt
  ///     can be observed, else in process.
  ///   - errors: The platform whose errors the faults produce in process.
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

  /// Runs the client through all scenarios, and returns the report.
  ///
  /// A call succeeds if `body` returns, and fails if it throws. It counts as showing content if the
  /// returned value is not empty: not `nil`, not an empty collection, and not JSON that cannot be
  /// decoded. `call.showed(_:)` overrides this. A call that does not end in time hangs. It is
  /// abandoned without being cancelled, and its later effects are not counted.
  ///
  /// - Parameters:
  ///   - name: The client's name in the report.
  ///   - time: The clock to run by. `nil` means the plan's clock.
  ///   - body: One use of the client, with the call's session and base URL. All work that it starts
  ///     must have ended when it returns, because the session is invalidated then.
  /// - Returns: The report, with the verdicts on the gates of the scenarios and of the plan.
  /// - Throws: `DrillError` if the plan cannot be carried out. `CancellationError` if the task is
  ///   cancelled. `NotVirtual` if virtual time was requested and the client or this system does not
  ///   support it.
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

  /// Runs the clients of a plan in this process, and returns the report. In virtual time,
  /// `progress` receives the number of finished cells and the number of all cells.
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
    // Rejects an impossible stage before any call is made.
    for scenario in plan.scenarios { _ = try plan.stage(of: scenario, seeingAttempts: true) }
    let flown =
      switch plan.time {
      case .realTime: try await flyOneByOne(subjects, plan)
      case .virtualTime: try await flyInCells(subjects, plan, progress)
      }
    return plan.report(flown, facts: [.sharedProcess])
  }

  /// Runs the scenarios one after the other. Scenarios that use little processor time run beside
  /// the others.
  private static func flyOneByOne(
    _ subjects: [any Subject],
    _ plan: DrillPlan
  ) async throws -> [Report.ScenarioResult] {
    try await plan.scenarios.flown { scenario, allBegan in
      let stage = try plan.stage(of: scenario, seeingAttempts: true)
      let cell = Cell(calls: plan.numbers(in: scenario))
      let beginnings = CallStarts(of: cell.calls.count * plan.subjects.count, then: allBegan)
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

  /// Runs each cell in a virtual time of its own. The number of cells at once is the number of
  /// workers.
  private static func flyInCells(
    _ subjects: [any Subject],
    _ plan: DrillPlan,
    _ progress: @escaping @Sendable (_ done: Int, _ all: Int) -> Void
  ) async throws -> [Report.ScenarioResult] {
    let rows = try plan.rows(of: subjects)
    if let shard = plan.shard, rows.allSatisfy({ $0.cells.allSatisfy(\.calls.isEmpty) }) {
      throw DrillError.plan(
        "Shard \(shard) has no call: in virtual time each shard takes blocks of \(Cell.callsMax) "
          + "calls of a scenario. Use fewer shards, or none."
      )
    }
    let parts = rows.enumerated().flatMap { place, row in row.cells.map { (row: place, cell: $0) } }
    let landed = Locked(rows.map { CompletedCalls(of: $0.cells.reduce(0) { $0 + $1.calls.count }) })
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

  /// Runs one call of a client in one scenario, and returns its observation.
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

  /// The calls of one or several cells, with the traffic that belongs to no call.
  private struct CompletedCalls: Sendable {
    var calls: [Observation]
    var traffic = ClientRun.Traffic()

    init(_ calls: [Observation], _ traffic: ClientRun.Traffic) {
      (self.calls, self.traffic) = (calls, traffic)
    }

    /// Creates an empty result with capacity for a number of calls.
    init(of count: Int) {
      calls = []
      calls.reserveCapacity(count)
    }

    /// Adds the age of the scenario to all times, so that they count from the scenario's beginning.
    mutating func begin(later age: Duration) {
      guard age > .zero else { return }
      for place in calls.indices { calls[place].begin(later: age) }
      traffic.lateRequests = traffic.lateRequests.map { $0 + age.inWholeMicroseconds }
    }

    mutating func merge(_ other: CompletedCalls) {
      calls += other.calls
      traffic.merge(other.traffic)
    }
  }

  private static func row(
    of subject: any Subject,
    _ landed: CompletedCalls,
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

  /// The maximum real time to wait for work on another thread before a call in virtual time counts
  /// as hung.
  private static let hangsMost = Duration.milliseconds(500)

  /// Runs the calls of a cell. `begins` receives the number of each call that begins.
  private static func run(
    _ cell: Cell,
    of subject: any Subject,
    _ plan: DrillPlan,
    _ scenario: Scenario,
    _ stage: Stage,
    begins: @escaping @Sendable (Int) -> Void = { _ in }
  ) async throws -> CompletedCalls {
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
        httpVersions: plan.httpVersions,
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
    // In virtual time, a call can appear to hang: it waits for a thread while virtual time moves
    // on.
    if calls.contains(where: { $0.ending == .hung }) { VirtualTime.listen(for: hangsMost) }
    try StoryCheck(scenario: scenario, seed: plan.seed, workload: runner.workload).check(calls)
    var landed = CompletedCalls(calls, traffic)
    landed.calls.maskKeys()
    landed.begin(later: cell.age ?? .zero)
    return landed
  }
}

extension DrillPlan {
  /// Returns the clients that the plan names, in the plan's order.
  fileprivate func flown(of subjects: [any Subject]) -> [any Subject] {
    self.subjects.compactMap { name in subjects.first { $0.name == name } }
  }

  /// The cells of a client in a scenario.
  fileprivate struct CellRow: Sendable {
    var scenario: Scenario
    var stage: Stage
    var subject: any Subject
    var cells: [Cell]
  }

  /// Returns the cells of each client in each scenario: ordered by scenario, then by client.
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
