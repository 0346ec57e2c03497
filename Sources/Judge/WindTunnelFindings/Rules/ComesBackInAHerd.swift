extension FindingRule {
  /// All that waited for the server asks at the moment at which it is back.
  static let comesBackInAHerd = FindingRule(
    id: "comes-back-in-a-herd",
    title: "Sends all that waited for the server at the moment at which it is back.",
    condition:
      "at least 20 calls, of which some were made before the scenario's last fault was over, and some more "
      + "than \(Figures.wait(settling)) behind it",
    cost: "The server that has just come back is taken down again.",
    fix:
      "Send what has waited at a bounded rate, and spread it at random over some seconds.",
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
    // Whoever has stopped asking has no rate to be held against.
    guard calm > 0 else {
      return .notMet("No request came when the weather had been calm for long.")
    }
    let after = requests.busiestSecond(from: end, to: end + settling)
    let before = requests.busiestSecond(from: max(.zero, end - .seconds(5)), to: end)
    // Calls that are made at once are the drill's doing, and a rate that was as high before is a
    // storm.
    let load = max(calm, Double(begins.busiestSecond(from: end, to: end + settling).count))
    guard Double(after.count) >= times * load, after.count >= 2 * before.count,
      let example = flight.lastBefore(end)
    else {
      // Of calls that are made one at a time a single one waits, and that is no herd.
      let isTold = flight.mostAtOnce > 1 || !flight.traffic.lateRequests.isEmpty
      return isTold
        ? .passed(flight.calls.count)
        : .notMet(
          "Calls were made one at a time, so that one alone waited. Fly it with --concurrency."
        )
    }
    let (call, all) = (JudgedCall.one(at: example, in: flight), flight.calls.count)
    let seen = Violation(
      "\(after.count) requests came within a second, \(Figures.time(after.start - end)) after the "
        + "server was well again; later there were \(Figures.decimal(calm)) a second."
    )
    return rule.broken(seen, in: call, calls: Swift.min(after.count, all), of: all)
  }

  /// The time in which a client sends what has waited for the server.
  private static let settling = Duration.seconds(10)
  private static let times = 4.0
}

extension ClientRun {
  /// The end of the last window of the weather, by the clock of the attempts; `nil` where it has
  /// none, or no call ended behind it.
  fileprivate var endOfWeather: Duration? {
    let ends = calls.compactMap { call in
      call.end.flatMap { end in call.afterWindow.map { end - $0 } }
    }.sorted()
    return ends.isEmpty ? nil : ends[ends.count / 2]
  }

  /// The moments of all requests, in order.
  fileprivate var requestTimes: [Duration] {
    (calls.flatMap { $0.attempts.lazy.filter(\.isRequest).compactMap(\.start) }
      + traffic.lateRequests).sorted()
  }

  /// The place of the last call that had begun by then.
  fileprivate func lastBefore(_ moment: Duration) -> Int? {
    calls.indices.filter { place in calls[place].start.map { $0 < moment } ?? false }
      .max { (calls[$0].start ?? .zero) < (calls[$1].start ?? .zero) }
  }
}

extension [Duration] {
  /// The number a second between two moments.
  fileprivate func rate(from start: Duration, to end: Duration) -> Double {
    let length = (end - start).inMilliseconds / 1000
    return length > 0 ? Double(count { $0 >= start && $0 <= end }) / length : 0
  }

  /// The second that begins with one of them and has the most of them, of moments in order.
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
