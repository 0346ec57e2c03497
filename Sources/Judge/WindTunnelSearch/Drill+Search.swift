internal import CWindTunnelSystem

extension Drill {
  /// Searches for the smallest fault sets that sink a flow.
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
  /// The flow is flown in virtual time: in calm, with every single thing that can go wrong at every
  /// request, with every pair, and deeper as far as the plan says. Broken is a flow that hangs,
  /// breaks a rule of findings whose weight is an error, an invariant or an expectation, returns
  /// something else than in calm, or gives up where the next attempt would have had its answer.
  ///
  /// - Parameters:
  ///   - name: The flow's name.
  ///   - search: The extent of the search.
  ///   - progress: Is told how far it is, every thousand fault sets and at each find.
  ///   - body: The flow, which is what one user does: by the call's session, `transport` or `send`.
  ///     It makes its client anew each time, and leaves nothing behind.
  /// - Returns: The certificate, with the finds.
  /// - Throws: `NotVirtual` where the flow cannot have virtual time, `DrillError` where it fails
  ///   when nothing goes wrong.
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

  /// Searches for the smallest fault sets that sink a flow whose client keeps something that
  /// outlives its process, as ``search(as:_:progress:_:)`` does.
  ///
  /// - Parameters:
  ///   - name: The flow's name.
  ///   - search: The extent of the search, by ``SearchPlan/restarts`` with processes that end.
  ///   - surroundings: Makes the surroundings of one flight: a device, and servers that know
  ///     something.
  ///   - progress: Is told how far it is, every thousand fault sets and at each find.
  ///   - body: The flow. It makes its client anew each time, of what it finds on the device.
  /// - Returns: The certificate, with the finds.
  /// - Throws: As the other does, and the error of surroundings that cannot be made.
  public func search<Surroundings: FlowSurroundings, Shown: Sendable>(
    as name: String = "flow",
    _ search: SearchPlan = SearchPlan(),
    amid surroundings: @escaping @Sendable () throws -> Surroundings,
    progress: @escaping @Sendable (SearchReport) -> Void = { _ in },
    _ body: @escaping @Sendable @concurrent (DrillCall, Surroundings) async throws -> Shown
  ) async throws -> SearchReport {
    guard 1...SearchPlan.workersMax ~= search.workers else {
      throw DrillError.plan(
        "\(search.workers) workers: there can be 1 to \(SearchPlan.workersMax)."
      )
    }
    let (expectations, workers) = (search.expectations, search.workers)
    let flight = flowFlight(name, in: .virtualTime, amid: surroundings, expectations, body)
    if VirtualTime.isSupported { wt_crash_watch() }
    var search = try await FaultSetSearch(flight, search, upon: scenario, telling: progress)
    if workers == 1 { return try await search.search() }
    return try await VirtualTime.together { try await search.search() }
  }

  /// Flies a flow in one fault set, and throws what it breaks: a test for a find.
  ///
  /// ```swift
  /// try await Drill(cassette).run(through: faultSet) { flow in try await checkout(flow) }
  /// ```
  ///
  /// - Parameters:
  ///   - faultSet: The fault set.
  ///   - time: The time to fly in; in real time the plan's stage is used, and turns have no order.
  ///   - invariants: The things that must be true at the origin afterwards.
  ///   - body: The flow.
  /// - Throws: `FaultSetError` where something is broken.
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

  /// Flies a flow whose client keeps something that outlives its process in one fault set, and
  /// throws what it breaks.
  ///
  /// - Parameters:
  ///   - faultSet: The fault set.
  ///   - time: The time to fly in.
  ///   - invariants: The things that must be true at the origin afterwards.
  ///   - surroundings: Makes the surroundings of one flight.
  ///   - body: The flow.
  /// - Throws: `FaultSetError` where something is broken.
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

  /// The weather in which nothing goes wrong: the plan's first scenario, else an answer that takes
  /// 20 ms, so that there is a time in which requests are under way.
  private var scenario: Scenario {
    let way = Link.Direction(delay: .milliseconds(10))
    var scenario = plan.scenarios.first ?? Scenario("search", link: Link(up: way, down: way))
    // So that a find's file says it.
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

  /// Makes a drill of a cassette for a search, which makes its own weather.
  public init(_ cassette: Cassette) { self.init(cassette, in: []) }
}

/// The error of a flow that a fault set sank.
public struct FaultSetError: Error, Sendable, CustomStringConvertible {
  /// The things that are broken.
  public let violations: [Violation]

  /// The things that are broken, each in a line.
  public var description: String {
    violations.map { "\($0.rule): \($0.seen)" }.joined(separator: "\n")
  }
}

extension FlowFlight {
  /// Flies the flow in calm and in a fault set, and returns what the fault set breaks.
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
