extension FindingRule {
  /// A server that starts again is asked for a handshake all the time.
  static let reconnectsWithoutPause = FindingRule(
    id: "reconnects-without-pause",
    title: "Connects again and again without a pause after a conversation was lost.",
    condition:
      "a call lost a conversation, and then asked for it \(waitsMin) times in a row in vain",
    cost: "What a server needs to start again is time, and it gets handshakes in its place.",
    fix:
      "Double the wait from attempt to attempt, with a random part; the first may be at once.",
    source: "RFC 6455 §7.2.3; AWS Architecture Blog, Exponential Backoff and Jitter (2015)",
    restsOnTime: true
  ).eachCall(.conversed) { call in
    var isMet = false
    for row in call.waitsBeforeReconnections where row.count >= waitsMin {
      isMet = true
      for first in 0...(row.count - waitsMin) {
        guard let longest = row[first..<first + waitsMin].max(), longest < pause else { continue }
        return .broken(
          "After a conversation was lost it asked for the next \(waitsMin) times and never "
            + "waited more than \(Figures.time(longest))."
        )
      }
    }
    return isMet ? .kept : .notMet
  }

  /// A back-off of a tenth of a second, drawn from zero, has so many waits in a row below the pause
  /// in one call of thirty thousand, and one of half as much in one of a thousand.
  private static let waitsMin = 5
  private static let pause = Duration.milliseconds(50)
}

extension JudgedCall {
  /// The time for which a conversation has to last that a server is up again.
  private static let held = Duration.seconds(5)

  /// The waits before each handshake that follows a lost conversation or a refused handshake, in
  /// rows that begin with a loss and end with a conversation that holds.
  fileprivate var waitsBeforeReconnections: [[Duration]] {
    var rows: [String: [Duration]] = [:]
    var last: [String: Observation.Attempt] = [:]
    var found: [[Duration]] = []
    for attempt in attempts where attempt.isRequest {
      let key = attempt.key
      defer { last[key] = attempt }
      guard let start = attempt.start, let before = last[key] else { continue }
      if let lost = before.lostAt, lost <= start {
        if let opened = before.end, lost - opened >= Self.held,
          let row = rows.removeValue(forKey: key)
        {
          found.append(row)
        }
        rows[key, default: []].append(start - lost)
      } else if before.conversation == nil, before.isFailed, rows[key] != nil,
        let over = before.headCame, over <= start
      {
        rows[key]?.append(start - over)
      } else if let row = rows.removeValue(forKey: key) {
        found.append(row)
      }
    }
    return found + rows.values
  }
}
