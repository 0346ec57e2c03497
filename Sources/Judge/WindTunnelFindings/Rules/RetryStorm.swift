extension FindingRule {
  /// Finds clients that multiply their load during an outage.
  static let retryStorm = FindingRule(
    id: "retry-storm",
    title: "Multiplies the load by more than four in an outage.",
    condition: "at least 20 calls, and five that failed at first",
    cost: "The recovering server is overloaded again by clients that waited for it.",
    fix: "Limit retries to 10 to 20 % of the requests, and use a circuit breaker.",
    source: "Bronson et al., Metastable Failures in Distributed Systems, HotOS 2021",
    clients: Set(ClientRun.Client.allCases),
    leastCalls: 20
  ).together { rule, troubled, flight in
    guard flight.calls.count >= rule.leastCalls else { return rule.notMet(by: flight.calls.count) }
    let failed = troubled.filter { $0.isJudged && $0.traits.contains(.failedAtFirst) }
    guard let worst = Burst.all(of: failed).max(by: { $0.load < $1.load }) else {
      return .notMet("No call met the condition: \(rule.condition).")
    }
    let greedy = failed.filter { Double($0.rowCount) > most }
    guard worst.load > most, let example = greedy.smallest else { return .passed(failed.count) }
    let seen = Violation(
      "The \(worst.calls) calls that began within \(Figures.time(worst.length)) made "
        + "\(worst.requests) requests: \(Figures.decimal(worst.load)) each.",
      severity: worst.load > grave ? nil : .warning
    )
    return rule.broken(seen, in: example, calls: greedy.count, of: failed.count)
  }

  /// The maximum load per call: a first attempt and three retries, which most libraries do not
  /// exceed.
  private static let most = 4.0
  /// The load of an error: one retry more, which is the default of hashicorp/go-retryablehttp.
  private static let grave = 5.0
}

/// Consecutive calls with their requests.
private struct Burst {
  private(set) var calls = 0
  private(set) var requests = 0
  private let start: Duration
  private var last: Duration

  /// The minimum number of calls, so that a single call does not decide.
  private static let callsMin = 5

  /// The number of requests per call.
  var load: Double { Double(requests) / Double(max(1, calls)) }

  /// The time from the first call's beginning to the last one's.
  var length: Duration { last - start }

  private init(at start: Duration) { (self.start, last) = (start, start) }

  private mutating func add(_ requests: Int, at start: Duration) {
    calls += 1
    self.requests += requests
    last = start
  }

  private var isEnough: Bool { calls >= Self.callsMin }

  /// Divides calls into bursts, in the order of their beginnings. A burst lasts a second, or longer
  /// if a machine begins few calls in a second. Remaining calls at the end belong to the last
  /// burst.
  static func all(of calls: [JudgedCall]) -> [Burst] {
    var begins = calls.compactMap { call in
      let start = call.observation.intendedStart ?? call.observation.start
      return start.map { (start: $0, requests: call.rowCount) }
    }
    begins.sort { $0.start < $1.start }
    var bursts: [Burst] = []
    for (place, begin) in begins.enumerated() {
      let isOver = bursts.last.map { $0.isEnough && begin.start - $0.start >= .seconds(1) } ?? true
      // Too few calls for a burst are added to the previous one.
      if isOver, bursts.isEmpty || begins.count - place >= Self.callsMin {
        bursts.append(Burst(at: begin.start))
      }
      bursts[bursts.count - 1].add(begin.requests, at: begin.start)
    }
    return bursts.filter(\.isEnough)
  }
}
