import Testing
import WindTunnelSearch

@Suite struct PlantedShopTests {
  @Test func soundShopIsNotSunk() async throws {
    var plan = SearchPlan()
    plan.storms = 3000
    plan.invariants = invariants
    let found = try await Drill(ShopCassette.cassette).search(plan) { try await visit($0, nil) }
    #expect(found.finds.map { "\($0.wreck.rule) \($0.wreck.seen) \($0.words)" } == [])
    #expect(found.depth >= 1)
    #expect(found.isRepeatable)
  }

  @Test(arguments: PlantedBug.allCases)
  func plantedBugIsFound(_ bug: PlantedBug) async throws {
    var plan = SearchPlan()
    plan.storms = 3000
    plan.invariants = invariants
    let found = try await Drill(ShopCassette.cassette).search(plan) { try await visit($0, bug) }
    for find in found.finds { print(bug, find.wreck.rule, find.wreck.request ?? "", find.words, find.storm.order, find.after) }
    #expect(!found.finds.isEmpty)
  }

  private var invariants: [Invariant] {
    [.exactlyOnce("POST /payments"), .requests(atMost: 8, "POST /token")]
  }
}
