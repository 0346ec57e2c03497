extension FindingRule {
  /// Finds clients that try to reconnect without a pause while a server restarts.
  static let reconnectsWithoutPause = FindingRule(
    id: "reconnects-without-pause",
    title: "Reconnects again and again without a pause after losing a conversation.",
    condition:
      "a call lost a conversation, and then failed to get another \(waitsMin) times in a row",
    cost: "A server that needs time to restart gets handshakes instead.",
    fix: "Double the wait with each attempt, with a random part. The first may be immediate.",
    source: "RFC 6455 §7.2.3; AWS Architecture Blog, Exponential Backoff and Jitter (2015)",
    restsOnTime: true
  ).eachCall(.conversed) { call in
    var isMet = false
    for row in call.waitsBeforeReconnections where row.count >= waitsMin {
      isMet = true
      for first in 0...(row.count - waitsMin) {
        guard let longest = row[first..<first + waitsMin].max(), longest < pause else { continue }
        return .broken(
          "After losing a conversation it requested the next \(waitsMin) times and never waited "
            + "more than \(Figures.time(longest))."
        )
      }
    }
    return isMet ? .kept : .notMet
  }

  /// The number of consecutive waits below the pause. With a random back-off of up to 100 ms, this
  /// happens in one call of thirty thousand. With up to 50 ms, it happens in one of a thousand.
  private static let waitsMin = 5
  private static let pause = Duration.milliseconds(50)
}

extension JudgedCall {
  /// The minimum duration of a conversation after which the server counts as recovered.
  private static let held = Duration.seconds(5)

  /// The waits before each handshake after a lost conversation or a rejected handshake. Each row
  /// begins with a loss and ends with a stable conversation.
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
