extension FindingRule {
  /// Retries follow each other without a pause.
  static let noBackOff = FindingRule(
    "no-back-off",
    .error,
    "Tries again and again without a pause.",
    condition: "at least two calls tried the same at least four times, and no answer said when to",
    cost: "What a server needs to recover is time, and it gets load in its place.",
    remedy:
      "Double the wait from attempt to attempt, with a random part; the first may be at once.",
    source: "AWS Architecture Blog, Exponential Backoff and Jitter (2015); RFC 8961 §4",
    leastCalls: 2,
    scope: .flight { rule, troubled, _ in
      var waits: [(most: Duration, burst: Duration?, call: JudgedCall)] = []
      for call in troubled where call.isJudged && call.traits.isSuperset(of: [.many, .repeats]) {
        let row = call.longestRow
        let attempts = row.map { call.attempts[$0] }
        guard row.count >= leastRow, attempts.allSatisfy({ $0.start != nil && !$0.asksToWait })
        else { continue }
        let most = zip(row, row.dropFirst()).compactMap { call.gap($0, $1) }.max() ?? .zero
        waits.append((most, attempts.shortest(of: burst), call))
      }
      guard waits.count >= rule.leastCalls else { return .notMet(rule.unmet(by: waits.count)) }
      // Waits that are drawn at random are short now and then: a call alone proves nothing.
      let none = waits.filter { $0.most < noPause }
      let short = waits.filter { $0.most < pause || $0.burst != nil && $0.most < longPause }
      let isHasty =
        waits.count >= manyCalls && Double(short.count) >= Double(waits.count) * nearlyAll
      let found = none.count >= 2 && none.count * 2 > waits.count ? none : isHasty ? short : []
      guard let example = found.map(\.call).smallest,
        let shown = found.first(where: { $0.call.observation.call == example.observation.call })
      else { return .passed(waits.count) }
      let seen =
        if shown.most < pause {
          "It tried \(example.rowCount) times and never waited more than \(Figures.time(shown.most))."
        } else {
          "It tried \(burst) times within \(Figures.time(shown.burst))."
        }
      return .broken(
        rule.finding(Violation(seen), in: example, calls: found.count, judged: waits.count)
      )
    }
  )

  /// Fewer attempts may all be at once: one retry is common, and some clients re-send twice.
  private static let leastRow = 4
  /// A wait that no back-off has three times in a row: of waits drawn below 100, 200 and 400 ms all three
  /// are as short as that in one call of a thousand.
  private static let noPause = Duration.milliseconds(20)
  /// A wait that such a back-off has three times in a row in one call of eight.
  private static let pause = Duration.milliseconds(100)
  /// A burst with a longer wait in it is one that grows.
  private static let longPause = Duration.milliseconds(250)
  /// So many attempts in a second are a burst.
  private static let burst = 5
  /// So many calls, and such a share of them, are no chance.
  private static let manyCalls = 12
  private static let nearlyAll = 0.8
}

extension Observation.Attempt {
  /// Tells whether its answer says when to come again.
  fileprivate var asksToWait: Bool { retryAfter != nil || retryNotBefore != nil }
}

extension [Observation.Attempt] {
  /// The shortest time in which so many in a row began; `nil` where that is a second or more.
  fileprivate func shortest(of count: Int) -> Duration? {
    let starts = compactMap(\.start)
    guard starts.count >= count else { return nil }
    let times = starts.indices.dropLast(count - 1).map { starts[$0 + count - 1] - starts[$0] }
    return times.min().flatMap { $0 < .seconds(1) ? $0 : nil }
  }
}
