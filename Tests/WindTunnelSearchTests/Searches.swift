import TestSupport
import WindTunnelNetworkLayer
import WindTunnelReferenceSubject
import WindTunnelSearch

/// Searches that compute for many seconds.
///
/// A process has one run in virtual time at a time, so a search takes as long as all that run beside
/// it. One after the other, each has its time limit for itself.
@Suite(.serialized) enum Searches {}

extension SearchPlan {
  /// Creates a plan that no time ends, with five orders of tasks for pairs and one for single things.
  init(faultSets: Int, depth: Int? = nil, finds: Int? = nil) {
    self.init()
    (self.faultSets, budget, orders, ordersOfSingles) = (faultSets, nil, 5, 1)
    self.depth = depth ?? self.depth
    self.finds = finds ?? self.finds
  }
}

extension Searches {
  @Suite(.world, .onThisSystem, .timeLimit(.minutes(5))) struct LongSearchTests {
    @Test func `the reference client is broken by no single thing`() async throws {
      let drill = Drill(ShopCassette.cassette)
      let plan = SearchPlan(faultSets: 3000, depth: 1)
      let found = try await drill.search(as: "network-layer", plan) { flow in
        let client = NetworkClient(
          builder: RequestBuilder(baseURL: flow.baseURL),
          transport: flow.transport,
          limits: CallLimits(attemptTimeout: .seconds(5), deadline: .seconds(19))
        )
        var all = Data()
        for path in ["/home", "/users/7", "/cart"] {
          all += try await flow.step(path) {
            try await client.call(Endpoint(.get, target: path)).body
          }
        }
        return all + (try await client.call(Endpoint(.post, target: "/payments")).body)
      }
      expectEqual(found.finds.map { "\($0.violation.rule) \($0.violation.seen) \($0.words)" }, [])
      expectEqual(found.depth, 1)
      try found.require("searchedDepth >= 1", "finds == 0", "faultSets > 200")
    }

    @Test func `searches of a seed are one, whatever the number of workers`() async throws {
      @Sendable func search(by workers: Int) async throws -> SearchReport {
        var plan = SearchPlan(faultSets: 900)
        plan.workers = workers
        return try await Drill(ShopCassette.cassette).search(plan) {
          try await visit($0, .triesTwiceOnly)
        }
      }
      let one = try await search(by: 1)
      #expect(!one.finds.isEmpty)
      for workers in [1, 2, 5] {
        let other = try await search(by: workers)
        expectEqual(one.finds.map(\.faultSet), other.finds.map(\.faultSet), "\(workers) workers")
        expectEqual(one.finds.map(\.requests), other.finds.map(\.requests), "\(workers) workers")
        expectEqual(one.faultSets, other.faultSets, "\(workers) workers")
        expectEqual(one.orders, other.orders, "\(workers) workers")
        expectEqual(one.coverage, other.coverage, "\(workers) workers")
      }
    }
  }
}
