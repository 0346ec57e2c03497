extension FindingRule {
  /// An outage is answered with a multiple of the load.
  static let retryStorm = FindingRule(
    id: "retry-storm",
    title: "Answers an outage with more than four times its load.",
    condition: "at least 20 calls, and five that failed at first",
    cost: "The server that comes back is taken down again by those who waited for it.",
    fix:
      "Allow retries a share of the requests (a budget of 10 to 20 %), and break the circuit.",
    source: "Bronson et al., Metastable Failures in Distributed Systems, HotOS 2021",
    clients: Set(ClientRun.Client.allCases),
    leastCalls: 20
  ).together { rule, troubled, flight in
    guard flight.calls.count >= rule.leastCalls else { return rule.notMet(by: flight.calls.count) }
    let failed = troubled.filter { $0.isJudged && $0.traits.contains(.failedAtFirst) }
    guard let worst = Burst.all(of: failed).max(by: { $0.load < $1.load }) else {
      return .notMet("No call met it: \(rule.condition).")
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

  /// A first attempt and three retries, which is what most libraries do at most.
  private static let most = 4.0
  /// A retry more is what hashicorp/go-retryablehttp makes where nobody says otherwise.
  private static let grave = 5.0
}

/// Calls that began one after the other, and the requests that they made.
private struct Burst {
  private(set) var calls = 0
  private(set) var requests = 0
  private let start: Duration
  private var last: Duration

  /// So many calls tell what a client does from what one call did.
  private static let callsMin = 5

  /// The requests of each call.
  var load: Double { Double(requests) / Double(max(1, calls)) }

  /// From the first call's beginning to the last one's.
  var length: Duration { last - start }

  private init(at start: Duration) { (self.start, last) = (start, start) }

  private mutating func add(_ requests: Int, at start: Duration) {
    calls += 1
    self.requests += requests
    last = start
  }

  private var isEnough: Bool { calls >= Self.callsMin }

  /// Cuts calls in the order in which they began: a second makes a burst, or longer where a machine
  /// begins few calls in one. Those that are left over at the end belong to the last.
  static func all(of calls: [JudgedCall]) -> [Burst] {
    var begins = calls.compactMap { call in
      let start = call.observation.intendedStart ?? call.observation.start
      return start.map { (start: $0, requests: call.rowCount) }
    }
    begins.sort { $0.start < $1.start }
    var bursts: [Burst] = []
    for (place, begin) in begins.enumerated() {
      let isOver = bursts.last.map { $0.isEnough && begin.start - $0.start >= .seconds(1) } ?? true
      // Fewer than make a burst go with the one before them.
      if isOver, bursts.isEmpty || begins.count - place >= Self.callsMin {
        bursts.append(Burst(at: begin.start))
      }
      bursts[bursts.count - 1].add(begin.requests, at: begin.start)
    }
    return bursts.filter(\.isEnough)
  }
}
