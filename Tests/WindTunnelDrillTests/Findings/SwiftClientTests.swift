import TestSupport
import WindTunnelDrill

/// Clients in Swift, each with one planted bug or with none; those in other languages lie in
/// `Tests/PlantedBugs`.
@Suite(.timeLimit(.minutes(5))) struct SwiftClientTests {
  private func found(_ client: SwiftClient) async throws -> [Finding] {
    var drill = Drill(
      try Shipped.cassette(),
      in: try Shipped.scenarios(named: [client.scenario]),
      calls: client.calls,
      load: client.load,
      deadline: client.deadline
    )
    // No machine is too busy to wait.
    drill.plan.time = .virtualTime
    return try await drill.run(as: "client", client.client()).findings.map(\.finding)
  }

  @Test(arguments: SwiftClient.planted)
  func `each bug is found by its name, and no error beside what follows from it`(
    client: SwiftClient
  ) async throws {
    let rules = try await found(client)
    #expect(rules.contains { $0.rule == client.rule }, "\(rules)")
    let errors = Set(rules.filter { $0.severity == .error }.map(\.rule))
    expectEqual(errors.subtracting(client.follows + [client.rule ?? ""]), [], "\(rules)")
  }

  @Test(arguments: SwiftClient.careful)
  func `nothing is said against a careful one`(client: SwiftClient) async throws {
    let errors = try await found(client).filter { $0.severity == .error }
    expectEqual(errors, [])
  }
}
