import TestSupport

@testable import WindTunnelDrill

@Suite struct CriticalTests {
  private static let cassette = Cassette([
    Interaction(Request("GET", "https://a.test/feed?page=2"), Response.json(["a": 1])),
    Interaction(Request("POST", "https://a.test/login"), Response.json(["b": 1])),
  ])

  private func critical(
    _ scenario: [RequestPattern] = [],
    plan: [RequestPattern] = [],
    marking: Bool = false
  ) -> (names: [String], screens: Screens) {
    var cassette = Self.cassette
    if marking { cassette.interactions[0].notes = [JSON.Member("critical", true)] }
    var drill = DrillPlan(cassette, in: [Scenario("s", critical: scenario)])
    drill.critical = plan
    drill.nameCritical()
    return (
      drill.scenarios[0].critical.map(\.description), drill.screens(in: drill.scenarios[0])
    )
  }

  @Test func `the plan's word comes before the scenario's and the cassette's`() {
    #expect(critical() == ([], .byDefault))
    #expect(critical(marking: true) == (["GET /feed"], .named))
    #expect(critical(["POST /login"], marking: true) == (["POST /login", "GET /feed"], .named))
    #expect(
      critical(["POST /login"], plan: ["GET /feed"], marking: true) == (["GET /feed"], .named)
    )
  }

  @Test func `a scenario of another API leaves the screens to the default`() {
    #expect(critical(["GET /home", "POST /payments"]).screens == .byDefault)
  }

  @Test func `a mark is of one endpoint alone`() {
    var marked = Cassette(
      ["https://a.test/feed", "https://b.test/feed", "https://a.test/{id}", "https://a.test/x"].map
      {
        Interaction(Request("GET", RequestURL($0)), Response.json(["a": 1]))
      }
    )
    for place in [0, 2] { marked.interactions[place].notes = [JSON.Member("critical", true)] }
    var drill = DrillPlan(marked, in: [Scenario("s")])
    drill.nameCritical()
    let critical = marked.interactions.map { drill.scenarios[0].isCritical($0.request) }
    expectEqual(critical, [true, false, true, false])
  }

  @Test func `a pattern that nothing on the cassette is is refused`() async throws {
    var plan = DrillPlan(Self.cassette, in: [.calm])
    plan.critical = ["GET /nope"]
    let problem =
      "--critical GET /nope: the cassette has no such request. It has GET /feed, POST /login."
    let drill = Drill(plan)
    await #expect(throws: DrillError.plan(problem)) { try await drill.run { _ in true } }
  }

  @Test func `no shipped scenario names an endpoint, and the shop does`() throws {
    #expect(try Shipped.scenarios().allSatisfy { $0.critical.isEmpty })
    expectEqual(
      try Shipped.cassette().interactions.filter(\.isCritical).map(\.request.url.path),
      ["/home", "/login", "/payments"]
    )
  }
}
