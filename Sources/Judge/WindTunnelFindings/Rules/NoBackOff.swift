extension FindingRule {
  /// Finds clients whose retries follow each other without a pause.
  static let noBackOff = FindingRule(
    id: "no-back-off",
    title: "Tries again and again without a pause.",
    condition: "at least two calls made the same request four times or more, without Retry-After",
    cost: "A server that needs time to recover gets load instead.",
    fix: "Double the wait with each attempt, with a random part. The first may be immediate.",
    source: "AWS Architecture Blog, Exponential Backoff and Jitter (2015); RFC 8961 §4",
    clients: Set(ClientRun.Client.allCases),
    leastCalls: 2,
    restsOnTime: true
  ).together { rule, troubled, _ in
    var rows: [(row: Row, call: JudgedCall)] = []
    for call in troubled where call.isJudged && call.traits.isSuperset(of: [.many, .repeats]) {
      let row = call.longestRow
      let attempts = row.map { call.attempts[$0] }
      guard row.count >= leastRow, attempts.allSatisfy({ $0.start != nil && !$0.asksToWait })
      else { continue }
      rows.append((Row(row, of: call), call))
    }
    guard rows.count >= rule.leastCalls else { return rule.notMet(by: rows.count) }
    // Random waits are sometimes short, so a single call proves nothing.
    let none = rows.filter { $0.row.hasNoWait }
    let short = rows.filter { $0.row.isHasty }
    let isHasty = rows.count >= manyCalls && Double(short.count) >= Double(rows.count) * nearlyAll
    let found = none.count >= 2 && none.count * 2 > rows.count ? none : isHasty ? short : []
    return rule.standing(found.map(\.call), of: rows.count) { call in
      Violation(Row(call.longestRow, of: call).words)
    }
  }

  /// The minimum number of attempts. Fewer may all be made at once: one retry is common, and some
  /// clients repeat a request twice.
  private static let leastRow = Row.stretch
  /// With this number of calls and this share of them, short waits are not random.
  private static let manyCalls = 12
  private static let nearlyAll = 0.8
}

/// The waits between a call's attempts for the same request.
private struct Row {
  /// The number of consecutive attempts that are compared.
  static let stretch = 4
  /// The maximum wait that counts as none. Random waits below 100, 200 and 400 ms are all three
  /// below it in only one call of a thousand.
  private static let noPause = Duration.milliseconds(20)
  /// The maximum wait that counts as short. With such a back-off, three consecutive waits are below
  /// it in one call of eight.
  private static let pause = Duration.milliseconds(100)
  /// The wait from which a burst counts as one with growing waits.
  private static let longPause = Duration.milliseconds(250)
  /// The number of attempts in a second that counts as a burst.
  private static let burst = 5
  /// The minimum of a wait from which growth is measured. Shorter waits are caused by the machine.
  private static let shortestGrown = Duration.milliseconds(5)

  private let waits: [Duration]
  private let starts: [Duration]

  init(_ row: [Int], of call: JudgedCall) {
    waits = zip(row, row.dropFirst()).map { call.gap($0, $1) ?? .zero }
    starts = row.compactMap { call.attempts[$0].start }
  }

  /// Whether attempts follow each other at once.
  var hasNoWait: Bool { longest < Self.noPause || flatStretch(below: Self.noPause) != nil }

  /// Whether attempts follow each other so fast that a server has no time to recover.
  var isHasty: Bool {
    longest < Self.pause || flatStretch(below: Self.pause) != nil
      || shortestBurst < .seconds(1) && longest < Self.longPause
  }

  /// The sentence that describes the waits.
  var words: String {
    if longest < Self.pause {
      return "It tried \(starts.count) times and never waited more than \(Figures.time(longest))."
    }
    if let place = flatStretch(below: Self.pause) {
      let time = starts[place + Self.stretch - 1] - starts[place]
      return "It tried \(Self.stretch) times within \(Figures.time(time))."
    }
    return "It tried \(Self.burst) times within \(Figures.time(shortestBurst))."
  }

  private var longest: Duration { waits.max() ?? .zero }

  /// Returns the index of the first consecutive attempts with waits below a limit that do not grow
  /// as in a back-off. A back-off may begin with some milliseconds.
  private func flatStretch(below limit: Duration) -> Int? {
    let count = Self.stretch - 1
    return waits.indices.dropLast(count - 1).first { place in
      let stretch = waits[place..<place + count]
      return stretch.allSatisfy { $0 < limit }
        && waits[place + count - 1] < max(waits[place], Self.shortestGrown) * 2
    }
  }

  /// The shortest duration of a burst's number of attempts. It is a day if there are too few
  /// attempts.
  private var shortestBurst: Duration {
    starts.indices.dropLast(Self.burst - 1).map { starts[$0 + Self.burst - 1] - starts[$0] }.min()
      ?? .seconds(86_400)
  }
}
