internal import CWindTunnelSystem

extension Drill {
  /// Searches for the smallest fault sets that break a flow.
  ///
  /// ```swift
  /// let certificate = try await Drill(cassette).search(as: "checkout", plan) { flow in
  ///   let shop = Shop(baseURL: flow.baseURL, session: flow.session)
  ///   try await flow.step("sign in") { try await shop.signIn() }
  ///   return try await shop.pay()
  /// }
  /// try certificate.require("searchedDepth >= 2", "finds == 0")
  /// ```
  ///
  /// The flow runs in virtual time: without faults, with every single fault at every request, and
  /// with every pair of faults. The plan can request larger fault sets. A flow counts as broken if
  /// it hangs, or if it breaks a rule with severity `error`, an invariant or an expectation. It
  /// also counts as broken if it returns another result than without faults, or gives up although
  /// the next attempt would have succeeded.
  ///
  /// - Parameters:
  ///   - name: The flow's name.
  ///   - search: The extent of the search.
  ///   - progress: Receives the report so far, after every thousand fault sets and for each find.
  ///   - body: The flow, which is the actions of one user, with the call's session, `transport` or
  ///     `send`. It must create its client again each time, and must not leave any state behind.
  /// - Returns: The report of the search, with the finds.
  /// - Throws: `NotVirtual` if the flow cannot run in virtual time. `DrillError` if it fails
  ///   without faults.
  public func search<Shown: Sendable>(
    as name: String = "flow",
    _ search: SearchPlan = SearchPlan(),
    progress: @escaping @Sendable (SearchReport) -> Void = { _ in },
    _ body: @escaping @Sendable @concurrent (DrillCall) async throws -> Shown
  ) async throws -> SearchReport {
    try await self.search(as: name, search, amid: { NoSurroundings() }, progress: progress) {
      call,
      _ in
      try await body(call)
    }
  }

  /// Searches for the smallest fault sets that break a flow whose client keeps state beyond its
  /// process. Otherwise it works like ``search(as:_:progress:_:)``.
  ///
  /// - Parameters:
  ///   - name: The flow's name.
  ///   - search: The extent of the search. ``SearchPlan/restarts`` adds processes that end.
  ///   - surroundings: Creates the surroundings of one run: a device, and servers with state.
  ///   - progress: Receives the report so far, after every thousand fault sets and for each find.
  ///   - body: The flow. It must create its client again each time, from the state on the device.
  /// - Returns: The report of the search, with the finds.
  /// - Throws: The same errors, and the error of surroundings that cannot be created.
  public func search<Surroundings: FlowSurroundings, Shown: Sendable>(
    as name: String = "flow",
    _ search: SearchPlan = SearchPlan(),
    amid surroundings: @escaping @Sendable () throws -> Surroundings,
    progress: @escaping @Sendable (SearchReport) -> Void = { _ in },
    _ body: @escaping @Sendable @concurrent (DrillCall, Surroundings) async throws -> Shown
  ) async throws -> SearchReport {
    guard 1...SearchPlan.workersMax ~= search.workers else {
      throw DrillError.plan("\(search.workers) workers: expected 1 to \(SearchPlan.workersMax).")
    }
    let (expectations, workers) = (search.expectations, search.workers)
    let flight = flowFlight(name, in: .virtualTime, amid: surroundings, expectations, body)
    if VirtualTime.isSupported { wt_crash_watch() }
    var search = try await FaultSetSearch(flight, search, upon: scenario, telling: progress)
    if workers == 1 { return try await search.search() }
    return try await VirtualTime.together { try await search.search() }
  }

  /// Runs a flow with one fault set, and throws if the flow is broken. This is a test for a find.
  ///
  /// ```swift
  /// try await Drill(cassette).run(through: faultSet) { flow in try await checkout(flow) }
  /// ```
  ///
  /// - Parameters:
  ///   - faultSet: The fault set.
  ///   - time: The clock to run by. In real time, the plan's stage is used, and the task order is
  ///     not controlled.
  ///   - invariants: The conditions that must be true at the origin afterwards.
  ///   - body: The flow.
  /// - Throws: `FaultSetError` if anything is broken.
  public func run<Shown: Sendable>(
    through faultSet: FaultSet,
    in time: DrillClock = .virtualTime,
    keeping invariants: [Invariant] = [],
    _ body: @escaping @Sendable @concurrent (DrillCall) async throws -> Shown
  ) async throws {
    let none: @Sendable () -> NoSurroundings = { NoSurroundings() }
    try await run(through: faultSet, in: time, keeping: invariants, amid: none) { call, _ in
      try await body(call)
    }
  }

  /// Runs a flow whose client keeps state beyond its process with one fault set, and throws if the
  /// flow is broken.
  ///
  /// - Parameters:
  ///   - faultSet: The fault set.
  ///   - time: The clock to run by.
  ///   - invariants: The conditions that must be true at the origin afterwards.
  ///   - surroundings: Creates the surroundings of one run.
  ///   - body: The flow.
  /// - Throws: `FaultSetError` if anything is broken.
  public func run<Surroundings: FlowSurroundings, Shown: Sendable>(
    through faultSet: FaultSet,
    in time: DrillClock = .virtualTime,
    keeping invariants: [Invariant] = [],
    amid surroundings: @escaping @Sendable () throws -> Surroundings,
    _ body: @escaping @Sendable @concurrent (DrillCall, Surroundings) async throws -> Shown
  ) async throws {
    wt_crash_watch()
    let flight = flowFlight("flow", in: time, amid: surroundings, nil, body)
    let violations = try await flight.violations(in: faultSet, keeping: invariants)
    if !violations.isEmpty { throw FaultSetError(violations: violations) }
  }

  /// The scenario without faults: the plan's first scenario, or one whose responses take 20 ms, so
  /// that requests are open for some time.
  private var scenario: Scenario {
    let way = Link.Direction(delay: .milliseconds(10))
    var scenario = plan.scenarios.first ?? Scenario("search", link: Link(up: way, down: way))
    // The file of a find then contains the deadline.
    scenario.deadline = plan.deadline ?? scenario.deadline
    return scenario
  }

  private func flowFlight<Surroundings: FlowSurroundings, Shown: Sendable>(
    _ name: String,
    in time: DrillClock,
    amid surroundings: @escaping @Sendable () throws -> Surroundings,
    _ expectations: Expectations?,
    _ body: @escaping @Sendable @concurrent (DrillCall, Surroundings) async throws -> Shown
  ) -> FlowFlight {
    var plan = plan
    plan.time = time
    return FlowFlight(name: name, plan: plan) {
      let surroundings = try surroundings()
      return SurroundedFlow(surroundings: surroundings) { call in
        await FlowResult(of: { try await body(call, surroundings) }, expectations)
      }
    }
  }

  /// Creates a drill of a cassette for a search, which has its own faults.
  public init(_ cassette: Cassette) { self.init(cassette, in: []) }
}

/// The error of a flow that a fault set broke.
public struct FaultSetError: Error, Sendable, CustomStringConvertible {
  /// The violations in the flow.
  public let violations: [Violation]

  /// The violations, one per line.
  public var description: String {
    violations.map { "\($0.rule): \($0.seen)" }.joined(separator: "\n")
  }
}

extension FlowFlight {
  /// Runs the flow without faults and with a fault set, and returns the violations that the fault
  /// set causes.
  fileprivate func violations(in faultSet: FaultSet, keeping invariants: [Invariant]) async throws
    -> [Violation]
  {
    var scenario = faultSet.scenario
    (scenario.rules, scenario.cancellation) = ([], nil)
    let oracle = try await Oracle(of: self, upon: scenario, invariants, allowing: [])
    let run = try await run(faultSet, hangingAfter: patience(after: oracle.calm, in: scenario))
    let hasOrderAlone =
      faultSet.scenario.rules.isEmpty && faultSet.scenario.cancellation == nil
      && faultSet.interruption == nil
    return oracle.violations(of: run, in: faultSet) + (hasOrderAlone ? oracle.changes(of: run) : [])
  }
}

// The mark of this module in programs, by which `check-release` finds it; the number is its own.
@section("__DATA_CONST,__wt_modules")
@used private let linkMark: (UInt64, UInt64, UInt64) =
  (0xF1D3_8A6C_57E2_94B0, 0x9C0E_B7A5_2D41_F863, 17)
