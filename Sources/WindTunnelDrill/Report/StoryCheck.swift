internal import WindTunnel

/// Holds what was met against the story: every decision that was fired must be one that it tells.
struct StoryCheck: Sendable {
  let scenario: Scenario
  let seed: UInt64
  let workload: Workload

  /// Throws at the first decision that the story does not tell of its call.
  func check(_ observations: [Observation]) throws(DrillError) {
    for observation in observations {
      for attempt in observation.attempts where !tells(attempt.decision, of: observation.call) {
        throw .harness(
          "call \(observation.call) met a decision that is not in the story: "
            + Observation.keyMasked(attempt.decision)
        )
      }
    }
  }

  private func tells(_ line: String, of call: Int) -> Bool {
    let parts = line.split(separator: "\t", omittingEmptySubsequences: false)
    let lane = Workload.lane(scenario.name, call)
    guard parts.count == 4, parts[0] == lane.name, let ordinal = Int(parts[2]), ordinal > 0 else {
      return false
    }
    if parts[1] == Decision.connectionKey {
      return scenario.tells(line, ofConnection: ordinal, seed: seed, lane: lane)
    }
    // A rule may ask for a host, which is not in the key.
    return workload.requests(of: String(parts[1]), call: call).contains { request in
      let key = Matcher.pathAndQuery.key(request)
      return scenario.tells(line, of: request, key: key, seed: seed, lane: lane, ordinal: ordinal)
    }
  }
}
