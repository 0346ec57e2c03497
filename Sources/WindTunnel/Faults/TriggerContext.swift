/// What a rule may ask that no seed knows: how late it is, and what a request's fields say.
struct TriggerContext: Sendable {
  /// Since the scenario began.
  var elapsed = Duration.zero
  /// The request's fields.
  var headers: HeaderFields = [:]
  /// The places of the rules whose field is another by now than it was at first.
  var changed: Set<Int> = []

  func allow(_ trigger: Trigger, at place: Int) -> Bool {
    if let window = trigger.window, !window.contains(elapsed) { return false }
    if let header = trigger.header, !header.holds(headers) { return false }
    return trigger.untilHeaderChanges == nil || !changed.contains(place)
  }
}

/// What a lane's first requests had in the fields that rules wait to change.
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
