/// The search for fault sets that break a flow: without faults, with every single element, with
/// every pair, and deeper within a budget.
struct FaultSetSearch {
  private let flight: FlowFlight
  private let plan: SearchPlan
  private let scenario: Scenario
  private let progress: @Sendable (SearchReport) -> Void
  private var elements: FaultSetElements
  private var certificate: SearchReport
  private let begun = ContinuousClock.now
  private var oracle: Oracle
  private var flights: FlightsAhead
  /// The violations that could not be reproduced.
  private var unsteady: Set<Violation.Identity> = []
  /// The faults that another fault represents in larger fault sets.
  private var alike: Set<FaultSetElement.General> = []
  private var calm: FlowRun { oracle.calm }

  /// A fault set that ran and did not break the flow.
  private struct Parent {
    var candidate: Candidate
    var run: FlowRun
    /// Whether this fault set showed a new behaviour of the client.
    var isNew: Bool

    var elements: [FaultSetElement] { candidate.elements }
  }

  /// A fault set that will run. A lower rank runs earlier.
  private struct Candidate {
    var elements: [FaultSetElement]
    var rank: Int
  }

  /// Runs the flow without faults.
  ///
  /// - Throws: `DrillError.plan` if the flow fails or is broken without faults.
  init(
    _ flight: FlowFlight,
    _ plan: SearchPlan,
    upon scenario: Scenario,
    telling progress: @escaping @Sendable (SearchReport) -> Void
  ) async throws {
    (self.flight, self.plan, self.scenario, self.progress) = (flight, plan, scenario, progress)
    oracle = try await Oracle(of: flight, upon: scenario, plan.invariants, allowing: plan.allowed)
    let calm = oracle.calm
    let again = try await flight.run(FaultSet(scenario), hangingAfter: FlowFlight.longest)
    elements = FaultSetElements(flight.plan, plan)
    flights = FlightsAhead(of: 0, flight, hangingAfter: .zero, workers: 1) { _ in FaultSet(scenario)
    }
    certificate = SearchReport(flow: flight.name, seed: flight.plan.seed)
    certificate.isRepeatable =
      calm.observation == again.observation && calm.ending == again.ending
      && calm.broken == again.broken
    certificate.comparesResults = oracle.comparesResults
    certificate.calm = calm.requestLines
    let broken = oracle.violations(of: calm, in: FaultSet(scenario))
    if let first = broken.first {
      throw DrillError.plan("The flow fails in calm: \(first.seen)")
    }
  }

  /// Runs the search and returns its report.
  mutating func search() async throws -> SearchReport {
    do {
      let found = try await searched()
      await flights.end()
      return found
    } catch {
      await flights.end()
      throw error
    }
  }

  private mutating func searched() async throws -> SearchReport {
    try await searchOrders(of: [], count: plan.orders)
    var parents = [Parent(candidate: Candidate(elements: [], rank: 0), run: calm, isNew: true)]
    var behaviours: Set<Int> = [calm.behaviour]
    var known: Set<Set<FaultSetElement>> = []
    for depth in 1...max(1, plan.depth) {
      var next: [Parent] = []
      var left = false
      let candidates = candidates(after: parents, depth: depth, &known)
      await begin(candidates.count) { [scenario] in
        FaultSet(candidates[$0].elements, upon: scenario)
      }
      for candidate in candidates {
        if isOver {
          left = true
          break
        }
        guard let run = try await judge(candidate.elements) else { continue }
        guard run.shows(candidate.elements[depth - 1]) else {
          certificate.withoutEffect += 1
          continue
        }
        // For the last depth, only the behaviour is stored.
        let isNew = behaviours.insert(run.behaviour).inserted
        guard depth < plan.depth || depth == 1 else { continue }
        next.append(Parent(candidate: candidate, run: run, isNew: isNew))
      }
      if left || certificate.isCutShort {
        certificate.isCutShort = true
        break
      }
      certificate.depth = depth
      if depth == 1 {
        for single in next where !isOver {
          try await searchOrders(of: single.elements, count: plan.ordersOfSingles)
        }
        next = withoutAlike(next)
      }
      parents = next
    }
    return finished()
  }

  /// Returns the fault sets with one more element, the most promising first. Frequent faults
  /// precede rare ones, requests that occur only in fault sets precede others, and so do fault sets
  /// that showed a new behaviour.
  private mutating func candidates(
    after parents: [Parent],
    depth: Int,
    _ known: inout Set<Set<FaultSetElement>>
  ) -> [Candidate] {
    let ofCalm = Set(calm.places)
    var candidates: [Candidate] = []
    for parent in parents {
      if candidates.count >= Self.candidatesMax || isOver {
        certificate.isCutShort = true
        break
      }
      let novelty = parent.isNew ? 0 : Self.rankOfKnown
      for (element, frequency) in elements.all(after: parent.run, beside: parent.elements) {
        if depth > 1, alike.contains(element.general) { continue }
        guard parent.elements.allSatisfy({ $0.agrees(with: element) }) else { continue }
        let faultSet = parent.elements + [element]
        guard known.insert(Set(faultSet)).inserted else { continue }
        let isOfFaultSet = element.place.map { !ofCalm.contains($0) } ?? false
        let rank = parent.candidate.rank + frequency + novelty - (isOfFaultSet ? Self.rankOfNew : 0)
        candidates.append(Candidate(elements: faultSet, rank: rank))
      }
    }
    if depth == 1 { return candidates }
    // Stable, so that each search with the same seed has the same order.
    return candidates.enumerated()
      .sorted { ($0.element.rank, $0.offset) < ($1.element.rank, $1.offset) }
      .map(\.element)
  }

  /// The maximum number of fault sets of a depth. A deeper search runs only the first of them.
  private static let candidatesMax = 1_000_000
  /// Rank penalty for fault sets that extend a known behaviour.
  private static let rankOfKnown = 6
  /// Rank bonus for faults at requests that occur only in fault sets.
  private static let rankOfNew = 12

  /// Removes single faults with the same effect on the client, to the microsecond, except the
  /// first. They are not combined with other elements.
  private mutating func withoutAlike(_ singles: [Parent]) -> [Parent] {
    var first: Set<RunSignature> = []
    return singles.filter { single in
      guard case .fault(let element)? = single.elements.first else { return true }
      let course = RunSignature(key: element.key, reach: element.reach, course: single.run.course)
      if first.insert(course).inserted { return true }
      alike.insert(single.elements[0].general)
      certificate.alike += 1
      return false
    }
  }

  private struct RunSignature: Hashable {
    var key: String?
    var reach: FaultSetElement.Reach
    var course: Int
  }

  private func finished() -> SearchReport {
    var certificate = certificate
    certificate.time = .now - begun
    certificate.notCarried = elements.notCarried
    certificate.equals = elements.equals
    return certificate
  }

  private var isOver: Bool {
    if Task.isCancelled || certificate.finds.count >= plan.finds { return true }
    if let faultSets = plan.faultSets, certificate.runs >= faultSets { return true }
    return plan.budget.map { .now - begun >= $0 } ?? false
  }

  // MARK: One fault set

  /// Runs a fault set and judges it.
  ///
  /// - Returns: The run, or `nil` if no larger fault set should contain this one.
  private mutating func judge(_ elements: [FaultSetElement]) async throws -> FlowRun? {
    let faultSet = FaultSet(elements, upon: scenario)
    guard let run = try await run(elements) else { return nil }
    certificate.count(elements)
    if certificate.runs.isMultiple(of: 1000) { progress(finished()) }
    let violations = oracle.violations(of: run, in: faultSet)
    for violation in violations { try await note(violation, elements, .arrival) }
    // A flow that hangs or crashes with fewer elements also does so with more, and each run takes
    // time.
    return run.ending.isFallen ? nil : run
  }

  /// Returns the run of the next fault set. Returns `nil` if it has no virtual time, which is
  /// recorded, or if the search is cancelled.
  private mutating func run(_ elements: [FaultSetElement]) async throws -> FlowRun? {
    do {
      return try await flights.next()
    } catch let error as NotVirtual {
      let words = elements.isEmpty ? "calm" : elements.map(\.words).joined(separator: "; ")
      certificate.notVirtual.append(SearchReport.NotCarried(words, error.description))
      // A single case may be caused by the fault set. If it happens repeatedly, the client is the
      // cause.
      if certificate.notVirtual.count >= Self.notVirtualMax { throw error }
      return nil
    } catch is CancellationError {
      certificate.isCutShort = true
      return nil
    }
  }

  /// The number of fault sets without virtual time at which the search ends.
  private static let notVirtualMax = 20

  /// Starts the runs of other fault sets.
  private mutating func begin(_ count: Int, _ faultSet: @escaping (Int) -> FaultSet) async {
    await flights.end()
    flights = FlightsAhead(
      of: count,
      flight,
      hangingAfter: patience,
      workers: plan.workers,
      faultSet
    )
  }

  private var patience: Duration { flight.patience(after: calm, in: scenario) }

  private mutating func note(
    _ violation: Violation,
    _ elements: [FaultSetElement],
    _ order: TurnOrder
  ) async throws {
    if let place = certificate.finds.firstIndex(where: {
      $0.violation.identity == violation.identity
    }) {
      certificate.finds[place].others += 1
      return
    }
    guard certificate.finds.count < plan.finds, !unsteady.contains(violation.identity) else {
      return
    }
    let after = ContinuousClock.now - begun
    let shrinking = Shrinking(
      flight: flight,
      oracle: oracle,
      scenario: scenario,
      identity: violation.identity,
      patience: patience
    )
    guard let least = try await shrinking.least(elements, order) else {
      // The fault set did not break the flow again, so the find would not be reproducible.
      certificate.isRepeatable = false
      unsteady.insert(violation.identity)
      return
    }
    let number = certificate.finds.count + 1
    certificate.finds.append(
      Find(least, upon: scenario, after: after, seed: flight.plan.seed, number: number)
    )
    progress(finished())
  }

  // MARK: Task orders

  /// Runs a fault set in several task orders.
  private mutating func searchOrders(of elements: [FaultSetElement], count: Int) async throws {
    let faultSet = FaultSet(elements, upon: scenario)
    func drawn(_ seed: Int) -> FaultSet {
      var drawn = faultSet
      drawn.order = .drawn(seed: UInt64(seed))
      return drawn
    }
    await begin(max(0, count), drawn)
    for seed in 0..<max(0, count) where !isOver {
      let drawn = drawn(seed)
      guard let run = try await run(elements) else { continue }
      certificate.orders += 1
      var violations = oracle.violations(of: run, in: drawn)
      if elements.isEmpty { violations += oracle.changes(of: run) }
      for violation in violations { try await note(violation, elements, drawn.order) }
      if run.ending.isFallen { return }
    }
  }
}

extension FlowRun {
  /// Returns whether an element of its fault set had an effect.
  fileprivate func shows(_ element: FaultSetElement) -> Bool {
    switch element {
    case .interruption: return true
    case .fault(let element):
      return zip(places, attempts).contains { place, attempt in
        guard attempt.isHit, element.key == nil || element.key == place.key else { return false }
        if case .attempt(let ordinal) = element.reach { return ordinal == place.ordinal }
        return true
      }
    }
  }
}
