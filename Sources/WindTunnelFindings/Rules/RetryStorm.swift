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
    leastCalls: 20,
    scope: .flight { rule, troubled, flight in
      guard flight.calls.count >= rule.leastCalls else {
        return .notMet(rule.unmet(by: flight.calls.count))
      }
      var seconds: [Int: Second] = [:]
      for call in troubled where call.isJudged && call.attempts.first?.isFailed == true {
        guard let start = call.observation.intendedStart ?? call.observation.start else { continue }
        let second = Int(start.components.seconds)
        seconds[second, default: Second()].calls += 1
        seconds[second, default: Second()].requests += call.longestRow.count
      }
      let crowded = seconds.values.filter { $0.calls >= 5 }
      guard let worst = crowded.max(by: { $0.load < $1.load }) else {
        return .notMet("No call met it: \(rule.condition).")
      }
      let judged = troubled.count { $0.isJudged && $0.attempts.first?.isFailed == true }
      let greedy = troubled.filter { $0.isJudged && Double($0.longestRow.count) > most }
      guard worst.load > most,
        let example = greedy.min(by: {
          ($0.attempts.count, $0.observation.call) < ($1.attempts.count, $1.observation.call)
        })
      else { return .passed(judged) }
      let times = Figures.decimal(worst.load)
      return .broken(
        rule.finding(
          Violation(
            "The \(worst.calls) calls of its worst second made \(worst.requests) requests: "
              + "\(times) each."
          ),
          in: example,
          calls: greedy.count,
          judged: judged
        )
      )
    }
  )

  /// A first attempt and three retries, which is what most libraries do at most.
  private static let most = 4.0
}

/// The calls that began in a second, and the requests that they made.
private struct Second {
  var calls = 0
  var requests = 0

  var load: Double { Double(requests) / Double(max(1, calls)) }
}
