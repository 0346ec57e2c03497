extension FindingRule {
  /// Finds clients that send all waiting requests at once when the server has recovered.
  static let comesBackInAHerd = FindingRule(
    id: "comes-back-in-a-herd",
    title: "Sends all waiting requests at the moment when the server recovers.",
    condition:
      "at least 20 calls, some begun before the scenario's last fault ended and some more than "
      + "\(Figures.wait(settling)) after it",
    cost: "The recovering server is overloaded again.",
    fix: "Send waiting requests at a limited rate, spread at random over a few seconds.",
    source:
      "Huang et al., Metastable Failures in the Wild, OSDI 2022; AWS Builders' Library, Timeouts, "
      + "retries and backoff with jitter",
    clients: [.service, .library],
    leastCalls: 20,
    restsOnTime: true
  ).together(.afterWindow) { rule, _, flight in
    guard flight.calls.count >= rule.leastCalls, let end = flight.endOfWeather else {
      return rule.notMet(by: 0)
    }
    let requests = flight.requestTimes
    let begins = flight.calls.compactMap(\.start).sorted()
    guard let last = begins.last, let first = begins.first, first < end,
      last - end >= settling + .seconds(5)
    else { return rule.notMet(by: 0) }
    let calm = requests.rate(from: end + settling, to: last)
    // If the client makes no more requests, there is no rate to compare with.
    guard calm > 0 else {
      return .notMet("No request was sent in the calm period after the faults.")
    }
    let after = requests.busiestSecond(from: end, to: end + settling)
    let before = requests.busiestSecond(from: max(.zero, end - .seconds(5)), to: end)
    // Calls that begin at once are caused by the drill. Another rule covers a rate that was as high
    // before the end.
    let load = max(calm, Double(begins.busiestSecond(from: end, to: end + settling).count))
    guard Double(after.count) >= times * load, after.count >= 2 * before.count,
      let example = flight.lastBefore(end)
    else {
      // If calls are made one at a time, only one can be waiting.
      let isTold = flight.mostAtOnce > 1 || !flight.traffic.lateRequests.isEmpty
      return isTold
        ? .passed(flight.calls.count)
        : .notMet("Calls were made one at a time, so only one waited. Run it with --concurrency.")
    }
    let (call, all) = (JudgedCall.one(at: example, in: flight), flight.calls.count)
    let seen = Violation(
      "\(after.count) requests arrived within a second, \(Figures.time(after.start - end)) after "
        + "the server recovered; later there were \(Figures.decimal(calm)) a second."
    )
    return rule.broken(seen, in: call, calls: Swift.min(after.count, all), of: all)
  }

  /// The time in which a client sends its waiting requests.
  private static let settling = Duration.seconds(10)
  private static let times = 4.0
}

extension ClientRun {
  /// The end of the scenario's last window, on the clock of the attempts. `nil` if it has none, or
  /// if no call ended after it.
  fileprivate var endOfWeather: Duration? {
    let ends = calls.compactMap { call in
      call.end.flatMap { end in call.afterWindow.map { end - $0 } }
    }.sorted()
    return ends.isEmpty ? nil : ends[ends.count / 2]
  }

  /// The times of all requests, in order.
  fileprivate var requestTimes: [Duration] {
    (calls.flatMap { $0.attempts.lazy.filter(\.isRequest).compactMap(\.start) }
      + traffic.lateRequests).sorted()
  }

  /// Returns the index of the last call that had begun before a moment.
  fileprivate func lastBefore(_ moment: Duration) -> Int? {
    calls.indices.filter { place in calls[place].start.map { $0 < moment } ?? false }
      .max { (calls[$0].start ?? .zero) < (calls[$1].start ?? .zero) }
  }
}

extension [Duration] {
  /// Returns the number of times per second between two moments.
  fileprivate func rate(from start: Duration, to end: Duration) -> Double {
    let length = (end - start).inMilliseconds / 1000
    return length > 0 ? Double(count { $0 >= start && $0 <= end }) / length : 0
  }

  /// Returns the second with the most times, which begins with one of them. The times must be in
  /// order.
  fileprivate func busiestSecond(
    from start: Duration,
    to end: Duration
  ) -> (start: Duration, count: Int) {
    var best = (start: start, count: 0)
    var first = startIndex
    for place in indices where self[place] >= start && self[place] < end {
      while self[first] < start || self[place] - self[first] >= .seconds(1) { first += 1 }
      if place - first + 1 > best.count { best = (self[first], place - first + 1) }
    }
    return best
  }
}
