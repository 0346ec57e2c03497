import Testing
import WindTunnel

@testable import WindTunnelDrill

@Suite struct SitesTests {
  static let offline = Fault.connection(.offline)

  @Test(
    arguments: [
      ([], nil), ([.always(.always, .status(503), .reset())], nil),
      ([.always(.always, offline)], nil), ([.always(.always, .connection(.hostNotFound))], nil),
      ([.always(.always, .connection(.tls(.plaintext)))], nil),
      ([.always(.always, .connection(.tls(.expired)))], "certificate"),
      ([.on("GET /home", .always, offline)], "by their request"),
      ([.always(.probability(0.5), offline)], "lets others through"),
      ([.always(.first(1), offline)], "lets others through"),
      ([.always(.always, offline, .connection(.refused))], "lets others through"),
      ([.always(.always, .delay(.exactly(.seconds(1))), offline)], "by one rule"),
    ] as [([Rule], String?)]
  )
  func `what keeps a scenario off the wire is said in words`(rules: [Rule], words: String?) throws {
    let scenario = Scenario("s", rules: rules)
    let obstacle = Sites.obstacle(to: scenario)
    if let words {
      #expect(obstacle?.contains(words) == true, "\(obstacle ?? "none")")
    } else {
      #expect(obstacle == nil)
    }
    let isFree = words == nil
    #expect(try drill(scenario, nil).plan.stage(of: scenario) == (isFree ? .onTheWire : .inProcess))
    #expect(try drill(scenario, .inProcess).plan.stage(of: scenario) == .inProcess)
    if isFree {
      #expect(try drill(scenario, .onTheWire).plan.stage(of: scenario) == .onTheWire)
    } else {
      let error = try #require(throws: DrillError.self) { _ = try drill(scenario, .onTheWire) }
      #expect("\(error)".contains("--stage in-process"))
    }
  }

  private func drill(_ scenario: Scenario, _ stage: Stage?) throws -> ProcessDrill {
    try TestSubjects.drill("fine") { ($0.scenarios, $0.stage) = ([scenario], stage) }
  }

  @Test func `attempts at an address where nobody is are not seen on the wire`() throws {
    for scenario in try Shipped.scenarios() {
      let isUnseen = ["offline", "dns-failure"].contains(scenario.name)
      #expect(Sites.seesAttempts(in: scenario, on: .onTheWire) != isUnseen)
      #expect(Sites.seesAttempts(in: scenario, on: .inProcess))
    }
  }

  @Test(
    arguments: [
      { $0.calls = 0 }, { $0.calls = -1 }, { $0.load = .closedLoop(concurrency: 0) },
      { $0.scenarios = [] },
      { $0.subjects = [] }, { $0.subjects = ["curl"] }, { $0.deadline = .zero },
      { $0.attemptTimeout = .seconds(1_000_000) }, { $0.cassette = Cassette([]) },
    ] as [@Sendable (inout DrillPlan) -> Void]
  )
  func `a plan that cannot be flown is refused`(edit: @Sendable (inout DrillPlan) -> Void) {
    #expect(throws: DrillError.self) { _ = try TestSubjects.drill("fine", edit: edit) }
  }
}
