internal import WindTunnel
internal import WindTunnelReports

// The critical endpoints of each scenario.
extension DrillPlan {
  /// Sets the critical requests of each scenario: those of the plan, or the scenario's own with
  /// those of the cassette.
  mutating func nameCritical() {
    let marked = cassette.interactions.filter(\.isCritical).map { interaction in
      RequestPattern("\(interaction.request.method) \(interaction.request.url.path)")
    }
    for place in scenarios.indices {
      guard critical.isEmpty else {
        scenarios[place].critical = critical
        continue
      }
      for pattern in marked where !scenarios[place].critical.contains(pattern) {
        scenarios[place].critical.append(pattern)
      }
    }
  }

  /// Refuses a critical request that no call makes.
  func refuseUnknownCritical(among recorded: [Request]) throws(DrillError) {
    for pattern in critical where !recorded.contains(where: { pattern.matches($0) }) {
      throw .plan(
        "--critical \(pattern): nothing on the cassette is that. There are "
          + "\(Self.list(recorded.map(\.endpointName)))."
      )
    }
  }

  /// Returns the calls that count as screens in a scenario: by default if it calls no request of
  /// the cassette critical.
  func screens(in scenario: Scenario) -> Screens {
    cassette.interactions.contains { scenario.isCritical($0.request) } ? .named : .byDefault
  }
}
