// The critical endpoints of each scenario.
extension DrillPlan {
  /// Sets the critical requests of each scenario: the plan's, or the scenario's own and the
  /// cassette's if the plan has none.
  mutating func nameCritical() {
    let marked = cassette.interactions.filter(\.isCritical).map { pattern(of: $0.request) }
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

  /// Returns the pattern of a marked request. The pattern includes the host if another host has the
  /// same path without a mark. Stars and braces in a recorded path are matched literally.
  private func pattern(of request: Request) -> RequestPattern {
    let path = request.url.path.replacing("{", with: "%7B").replacing("*", with: "%2A")
    let ofAnyHost = RequestPattern("\(request.method) \(path)")
    let spreads = cassette.interactions.contains { other in
      !other.isCritical && other.request.url.host != request.url.host
        && ofAnyHost.matches(other.request)
    }
    guard spreads, let origin = request.url.origin else { return ofAnyHost }
    return RequestPattern("\(request.method) \(origin)\(path)")
  }

  /// Throws if no call makes a critical request of the plan.
  func refuseUnknownCritical(among recorded: [Request]) throws(DrillError) {
    for pattern in critical where !recorded.contains(where: { pattern.matches($0) }) {
      throw .plan(
        "--critical \(pattern): the cassette has no such request. It has "
          + "\(Self.list(recorded.map(\.endpointName)))."
      )
    }
  }

  /// Returns the calls that count as screens in a scenario. It is the default if no request of the
  /// cassette is critical there.
  func screens(in scenario: Scenario) -> Screens {
    cassette.interactions.contains { scenario.isCritical($0.request) } ? .named : .byDefault
  }
}

extension Request {
  /// The name of the endpoint, such as `GET /home`.
  var endpointName: String { "\(method) \(url.path)" }
}
