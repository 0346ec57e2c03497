internal import WindTunnel

extension FindingRule {
  /// An outage is answered with a multiple of the load.
  static let retryStorm = FindingRule(
    "retry-storm",
    .error,
    "Answers an outage with more than four times its load.",
    condition: "at least 20 calls, and five that began in one second and failed at first",
    cost: "The server that comes back is taken down again by those who waited for it.",
    remedy:
      "Allow retries a share of the requests (a budget of 10 to 20 %), and break the circuit.",
    source: "Bronson et al., Metastable Failures in Distributed Systems, HotOS 2021",
    clients: Set(Flight.Client.allCases),
    leastCalls: 20,
    scope: .flight { rule, troubled, flight in
      guard flight.calls.count >= rule.leastCalls else {
        return .notMet(rule.unmet(by: flight.calls.count))
      }
      var seconds: [Int: Second] = [:]
      let failed = troubled.filter { $0.isJudged && $0.traits.contains(.failedAtFirst) }
      for call in failed {
        guard let start = call.observation.intendedStart ?? call.observation.start else { continue }
        let second = Int(start.components.seconds)
        seconds[second, default: Second()].calls += 1
        seconds[second, default: Second()].requests += call.rowCount
      }
      let crowded = seconds.filter { $0.value.calls >= 5 }.sorted { $0.key < $1.key }.map(\.value)
      guard let worst = crowded.max(by: { $0.load < $1.load }) else {
        return .notMet("No call met it: \(rule.condition).")
      }
      let greedy = failed.filter { Double($0.rowCount) > most }
      guard worst.load > most, let example = greedy.smallest else { return .passed(failed.count) }
      let times = Figures.decimal(worst.load)
      return .broken(
        rule.finding(
          Violation(
            "The \(worst.calls) calls that began in its worst second made \(worst.requests) requests: "
              + "\(times) each.",
            severity: worst.load > grave ? nil : .warning
          ),
          in: example,
          calls: greedy.count,
          judged: failed.count
        )
      )
    }
  )

  /// A first attempt and three retries, which is what most libraries do at most.
  private static let most = 4.0
  /// A retry more is what hashicorp/go-retryablehttp makes where nobody says otherwise.
  private static let grave = 5.0
}

/// The calls that began in a second, and the requests that they made.
private struct Second {
  var calls = 0
  var requests = 0

  var load: Double { Double(requests) / Double(max(1, calls)) }
}
