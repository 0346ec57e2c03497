@_spi(WindTunnel) internal import WindTunnelCore

/// The values that the first requests of each lane had in the fields that rules wait to change.
struct FirstValues: Sendable {
  private var values: [LaneKey: String?] = [:]

  /// The places of the rules whose field is another by now.
  mutating func changed(_ scenario: Scenario, _ request: Request, in lane: Lane) -> Set<Int> {
    var changed: Set<Int> = []
    for (place, rule) in scenario.rules.enumerated() {
      guard let name = rule.trigger.untilHeaderChanges,
        rule.trigger.request?.matches(request) != false
      else { continue }
      let value = request.headers[name]
      let key = LaneKey(lane, Fingerprint(scenario.identity(of: place)))
      if let first = values[key] {
        if first != value { changed.insert(place) }
      } else {
        values[key] = .some(value)
      }
    }
    return changed
  }
}
