import TestSupport
import WindTunnelSearch

extension Searches {
  /// Bugs that are planted in a client, each found in a fault set of which nothing can be left out.
  @Suite(.world, .onThisSystem, .timeLimit(.minutes(5))) struct PlantedShopTests {
    private static let invariants: [Invariant] = [.exactlyOnce("POST /payments")]

    private static func searched(
      _ bug: PlantedBug?,
      faultSets: Int,
      finds: Int = 1
    ) async throws -> SearchReport {
      var plan = SearchPlan()
      (plan.faultSets, plan.budget, plan.finds) = (faultSets, nil, finds)
      (plan.orders, plan.ordersOfSingles) = (20, 0)
      plan.invariants = invariants
      return try await Drill(ShopCassette.cassette).search(as: "visit", plan) {
        try await visit($0, bug)
      }
    }

    /// Returns what a fault set breaks of the client with a bug.
    private static func violations(
      of bug: PlantedBug?,
      in faultSet: FaultSet,
      _ time: DrillClock = .virtualTime
    ) async throws -> [Violation] {
      var drill = Drill(ShopCassette.cassette)
      drill.plan.stage = time == .realTime ? .onTheWire : .inProcess
      let pause: Duration = time == .realTime ? .zero : .seconds(120)
      do {
        try await drill.run(through: faultSet, in: time, keeping: invariants) {
          try await visit($0, bug, awayFor: pause)
        }
        return []
      } catch let error as FaultSetError {
        return error.violations
      }
    }

    /// The rules that show a bug.
    private static let rules: [PlantedBug: Set<String>] = [
      .repeatsPost: ["repeats-post", "exactlyOnce(POST /payments)"],
      .ignoresRetryAfter: ["ignores-retry-after"],
      .givesUpOnReset: ["blank-page"],
      .triesTwiceOnly: ["blank-page"],
      .triesForEver: ["hangs"],
      .retriesNotFound: ["retries-permanent-error"],
      .newKeyForEachAttempt: ["repeats-post", "exactlyOnce(POST /payments)"],
      .takesErrorForAnswer: ["another-result"],
      .cachesErrors: ["another-result"],
      .keepsFailedLoad: ["blank-page"],
      .fillsCacheTwice: ["ignores-retry-after", "order-of-turns"],
      .breakerNeverCloses: ["blank-page"],
      .breakerCountsTwice: ["blank-page"],
      .budgetIsNeverRefilled: ["blank-page"],
      .tokenIsRenewedTwice: ["twice-at-once"],
      .waitersAreForgotten: ["hangs"],
      .renewsForEver: ["hangs", "retries-without-bound"],
      .keepsOldToken: ["repeats-refused-credential"],
      .slotIsKeptOnError: ["hangs"],
      .slotIsKeptOnCancel: ["hangs"],
      .countsLoseUpdates: ["another-result"],
      .readsBeforeLoaded: ["another-result"],
      .swallowsErrors: ["another-result"],
    ]

    /// The number of flights on the wire within which a race is met.
    private static let flightsMax = 20

    /// Flies a find's fault set as the file of a drill.
    ///
    /// What a drill cannot do stands in the file as a sentence. A window's ends are instants, at which
    /// a busy machine is late.
    private static func expectSunkOnTheWire(by find: Find, _ bug: PlantedBug) async throws {
      let scenario = try Scenario(data: Data(find.faultSet.file.utf8), source: "find")
      let isBeyondDrills = find.faultSet.interruption != nil || find.faultSet.order != .arrival
      expectEqual(isBeyondDrills, !scenario.notes.isEmpty)
      let hasWindow = scenario.rules.contains { $0.trigger.window != nil }
      if isBeyondDrills || hasWindow { return }
      var faultSet = FaultSet(scenario)
      if find.violation.rule == "hangs" {
        // A run that hangs is waited for by this deadline. The sound client ends before.
        faultSet.scenario.deadline = .seconds(2)
        let sound = try await violations(of: nil, in: faultSet, .realTime)
        expectEqual(sound.filter { $0.rule == "hangs" }, [])
      }
      // Whether two of the client's tasks meet there is the machine's, in each flight anew: under load
      // one may be through before the other begins.
      var isSunk = false
      for _ in 0..<flightsMax where !isSunk {
        let violations = try await violations(of: bug, in: faultSet, .realTime)
        isSunk = violations.contains { $0.rule == find.violation.rule }
      }
      #expect(isSunk, "\(find.words)")
    }

    @Test func `a sound client is not broken`() async throws {
      let found = try await Self.searched(nil, faultSets: 1500, finds: 10)
      expectEqual(found.finds.map { "\($0.violation.rule) \($0.violation.seen) \($0.words)" }, [])
      expectEqual(found.depth, 1)
      #expect(found.isRepeatable)
      expectEqual(found.runs, 1500)
    }

    @Test(arguments: PlantedBug.allCases)
    func `a planted bug is found, and its fault set sinks the flow again, on the wire too`(
      _ bug: PlantedBug
    ) async throws {
      let found = try await Self.searched(bug, faultSets: 6000)
      let find = try #require(found.finds.first, "\(bug) is not found in \(found.runs) faultSets")
      let rules = try #require(Self.rules[bug])
      #expect(rules.contains(find.violation.rule), "\(find.violation.rule): \(find.violation.seen)")
      // Each test that is pasted does this.
      let violations = try await Self.violations(of: bug, in: find.faultSet)
      #expect(violations.contains { $0.rule == find.violation.rule })
      // Nothing can be taken away.
      for place in find.faultSet.scenario.rules.indices {
        var less = find.faultSet
        less.scenario.rules.remove(at: place)
        let same = try await Self.violations(of: bug, in: less).filter {
          $0.rule == find.violation.rule && $0.request == find.violation.request
        }
        expectEqual(same, [], "\(find.words) without \(place)")
      }
      #expect(find.faultSet.file.split(separator: "\n").count <= 10)
      try await Self.expectSunkOnTheWire(by: find, bug)
    }
  }
}
