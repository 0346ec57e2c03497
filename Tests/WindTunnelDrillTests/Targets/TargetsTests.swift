import TestSupport

@testable import WindTunnelDrill

@Suite struct TargetsTests {
  #if canImport(Darwin)
    static let losesSYNs = false
  #else
    static let losesSYNs = true
  #endif
  static let offline = Fault.connection(.offline)

  @Test(
    arguments: [
      ([], nil), ([.always(.always, .status(503), .reset(.afterRequest))], nil),
      ([.always(.always, offline)], nil), ([.always(.always, .connection(.hostNotFound))], nil),
      ([.always(.always, .connection(.tls(.plaintext)))], nil),
      ([.always(.always, .connection(.tls(.expired)))], "certificate"),
      ([.always(.always, .connection(.tls(.stallAfterClientHello)))], nil),
      ([.always(.first(1), .connection(.lostSYNs(2)))], losesSYNs ? nil : "only on Linux"),
      ([.always(.always, .connection(.connectTimeout))], losesSYNs ? nil : "only on Linux"),
      ([.always(.first(1), .connection(.connectTimeout))], "fails only some connections"),
      ([.on("GET /home", .always, .connection(.lostSYNs(1)))], "by their request"),
      ([.on("GET /home", .always, offline)], "by their request"),
      ([.always(.probability(0.5), offline)], "fails only some connections"),
      ([.always(.first(1), offline)], "fails only some connections"),
      ([.always(.always, offline, .connection(.refused))], "fails only some connections"),
      ([.always(.always, .delay(.exactly(.seconds(1))), offline)], "one rule"),
    ] as [([FaultRule], String?)]
  )
  func `the obstacle to running a scenario on the wire is a sentence`(
    rules: [FaultRule],
    words: String?
  )
    throws
  {
    let scenario = Scenario("s", rules: rules)
    let obstacle = Targets.obstacle(to: scenario)
    if let words {
      expectEqual(obstacle?.contains(words), true, "\(obstacle ?? "none")")
    } else {
      expectNil(obstacle)
    }
    let isFree = words == nil
    try expectEqual(
      drill(scenario, nil).plan.stage(of: scenario),
      (isFree ? .onTheWire : .inProcess)
    )
    try expectEqual(drill(scenario, .inProcess).plan.stage(of: scenario), .inProcess)
    if isFree {
      try expectEqual(drill(scenario, .onTheWire).plan.stage(of: scenario), .onTheWire)
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
      let isUnseen = [
        "offline", "dns-failure", "airplane-mode", "connect-timeout", "offline-start",
      ].contains(scenario.name)
      #expect(Targets.seesAttempts(in: scenario, on: .onTheWire) != isUnseen)
      #expect(Targets.seesAttempts(in: scenario, on: .inProcess))
    }
    let timeout: Scenario = [.always(.always, .connection(.connectTimeout))]
    #expect(!Targets.seesAttempts(in: timeout, on: .onTheWire))
    let lost: Scenario = [.always(.always, .connection(.lostSYNs(1)))]
    #expect(Targets.seesAttempts(in: lost, on: .onTheWire))
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
