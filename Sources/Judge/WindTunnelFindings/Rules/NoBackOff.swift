extension FindingRule {
  /// Retries follow each other without a pause.
  static let noBackOff = FindingRule(
    id: "no-back-off",
    title: "Tries again and again without a pause.",
    condition: "at least two calls tried the same at least four times, and no answer said when to",
    cost: "What a server needs to recover is time, and it gets load in its place.",
    fix:
      "Double the wait from attempt to attempt, with a random part; the first may be at once.",
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
    // Waits that are drawn at random are short now and then: a call alone proves nothing.
    let none = rows.filter { $0.row.hasNoWait }
    let short = rows.filter { $0.row.isHasty }
    let isHasty = rows.count >= manyCalls && Double(short.count) >= Double(rows.count) * nearlyAll
    let found = none.count >= 2 && none.count * 2 > rows.count ? none : isHasty ? short : []
    return rule.standing(found.map(\.call), of: rows.count) { call in
      Violation(Row(call.longestRow, of: call).words)
    }
  }

  /// Fewer attempts may all be at once: one retry is common, and some clients re-send twice.
  private static let leastRow = Row.stretch
  /// So many calls, and such a share of them, are no chance.
  private static let manyCalls = 12
  private static let nearlyAll = 0.8
}

/// The waits of a call's attempts for the same.
private struct Row {
  /// So many attempts in a row are looked at together.
  static let stretch = 4
  /// A wait that no back-off has three times in a row: of waits drawn below 100, 200 and 400 ms all
  /// three are as short as that in one call of a thousand.
  private static let noPause = Duration.milliseconds(20)
  /// A wait that such a back-off has three times in a row in one call of eight.
  private static let pause = Duration.milliseconds(100)
  /// A burst with a longer wait in it is one that grows.
  private static let longPause = Duration.milliseconds(250)
  /// So many attempts in a second are a burst.
  private static let burst = 5
  /// A wait that grows from nothing begins here: what is shorter is the machine's own.
  private static let shortestGrown = Duration.milliseconds(5)

  private let waits: [Duration]
  private let starts: [Duration]

  init(_ row: [Int], of call: JudgedCall) {
    waits = zip(row, row.dropFirst()).map { call.gap($0, $1) ?? .zero }
    starts = row.compactMap { call.attempts[$0].start }
  }

  /// Tells whether attempts follow each other at once.
  var hasNoWait: Bool { longest < Self.noPause || flatStretch(below: Self.noPause) != nil }

  /// Tells whether they come so fast that no server has had time for anything.
  var isHasty: Bool {
    longest < Self.pause || flatStretch(below: Self.pause) != nil
      || isBurst && longest < Self.longPause
  }

  /// The sentence that says what was seen.
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

  /// The place of the first attempts in a row between which each wait is shorter than that, and
  /// none grows as a back-off does from there on: one that begins with some milliseconds is a
  /// back-off, too.
  private func flatStretch(below limit: Duration) -> Int? {
    let count = Self.stretch - 1
    return waits.indices.dropLast(count - 1).first { place in
      let stretch = waits[place..<place + count]
      return stretch.allSatisfy { $0 < limit }
        && waits[place + count - 1] < max(waits[place], Self.shortestGrown) * 2
    }
  }

  private var isBurst: Bool { shortestBurst < .seconds(1) }

  /// The shortest time in which a burst began; a day where there are too few attempts for one.
  private var shortestBurst: Duration {
    starts.indices.dropLast(Self.burst - 1).map { starts[$0 + Self.burst - 1] - starts[$0] }.min()
      ?? .seconds(86_400)
  }
}
