import TestSupport
import WindTunnelDrillTesting
import WindTunnelNetworkLayer
import WindTunnelReferenceSubject
import WindTunnelSearch

/// The code in the comments of the API, line for line.
@Suite(.onThisSystem, .timeLimit(.minutes(5))) struct DocExamples {
  private struct Shop {
    let baseURL: URL
    let session: URLSession

    func signIn() async throws { _ = try await session.data(from: baseURL.appending(path: "home")) }
    func pay() async throws -> Int {
      try await session.data(from: baseURL.appending(path: "cart")).0.count
    }
  }

  @Sendable private func checkout(_ flow: DrillCall) async throws -> Int {
    try await flow.send(Request("GET", RequestURL("https://shop.example/cart"))).status
  }

  @Test func `a search, and what it is asked`() async throws {
    let cassette = ShopCassette.cassette
    var plan = SearchPlan()
    plan.expectations = .swiftTesting
    (plan.faultSets, plan.orders) = (5, 5)
    let once = Invariant.exactlyOnce("POST /payments")
    let calm = Invariant("no more than ten requests") { origin in origin.requests.count <= 10 }
    #expect([once, calm].map(\.name).count == 2)
    do {
      let certificate = try await Drill(cassette).search(as: "checkout", plan) { flow in
        let shop = Shop(baseURL: flow.baseURL, session: flow.session)
        try await flow.step("sign in") { try await shop.signIn() }
        return try await shop.pay()
      }
      try certificate.require("searchedDepth >= 2", "finds == 0")
      Issue.record("five fault sets are not all single ones")
    } catch is GatesFailed {}
  }

  private struct Device: FlowSurroundings {
    let folder = FileManager.default.temporaryDirectory
    func processEnded() {}
    func runEnded() -> [Violation] { [] }
  }

  @Sendable private func visit(_ flow: DrillCall, keeping folder: URL) async throws -> Int {
    try await checkout(flow)
  }

  @Test func `a search for what breaks something that outlives its process`() async throws {
    let cassette = ShopCassette.cassette
    var plan = SearchPlan()
    (plan.faultSets, plan.orders) = (5, 5)
    plan.restarts = true
    let found = try await Drill(cassette).search(plan, amid: Device.init) { flow, device in
      try await visit(flow, keeping: device.folder)
    }
    #expect(found.runs == 5)
  }

  @Test func `a fault set, and a client in it`() async throws {
    let cassette = ShopCassette.cassette
    let faultSet = FaultSet(Scenario("tunnel", rules: [.on("GET /home", .first(1), .status(503))]))
    try await Drill(cassette).run(through: faultSet) { flow in try await checkout(flow) }
    try await Drill(cassette).run(through: faultSet) { call in
      let client = NetworkClient(
        builder: RequestBuilder(baseURL: call.baseURL),
        transport: call.transport
      )
      return try await client.call(Endpoint(.get, target: "/home")).body
    }
  }
}
