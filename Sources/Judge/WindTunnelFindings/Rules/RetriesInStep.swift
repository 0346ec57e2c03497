internal import WindTunnelSymptoms

extension FindingRule {
  /// All clients of a kind try again at the same moment.
  static let retriesInStep = FindingRule(
    id: "retries-in-step",
    severity: .note,
    title: "Waits the same time before each first retry, so that many clients come back at once.",
    condition: "at least 10 calls that failed at first without Retry-After tried again",
    cost: "Those who failed together come back together, and fail together.",
    fix: "Draw the wait at random between zero and its bound (full jitter).",
    source: "AWS Architecture Blog, Exponential Backoff and Jitter (2015)",
    leastCalls: 10,
    restsOnTime: true
  ).together { rule, troubled, flight in
    // A link adds its round trips to each wait.
    let least = Duration.milliseconds(flight.scenario?.link == nil ? 10 : 200)
    return rule.inStep(troubled, "first waits", least: least) { call in
      guard let first = call.repeats.first else { return nil }
      let before = call.attempts[first.before]
      // A time-out of its own is in the wait after a silence, and says nothing about its back-off.
      let isOwn = !before.asksToWait && !before.isSilence
      return isOwn ? call.gap(first.before, first.after) : nil
    }
  }

  /// Returns the standing of waits: those of half of them may not be the same but for what timers
  /// are late by.
  ///
  /// - Parameters:
  ///   - troubled: The calls that may have waited; the first that did is shown.
  ///   - noun: The name of the waits, for the sentence.
  ///   - least: The shortest wait that counts: less is the time that a client needs for its next
  ///     request.
  ///   - wait: Returns the wait of a call, if it has one.
  /// - Returns: The standing.
  func inStep(
    _ troubled: [JudgedCall],
    _ noun: String,
    least: Duration,
    _ wait: (JudgedCall) -> Duration?
  ) -> RuleStanding.Standing {
    let seen = troubled.filter(\.isJudged).compactMap { call in
      wait(call).map { (call: call, wait: $0.wholeMicroseconds) }
    }
    let example = seen.map(\.call).min { $0.observation.call < $1.observation.call }
    guard seen.count >= leastCalls, let example else { return notMet(by: seen.count) }
    let waits = seen.map(\.wait).sorted()
    let median = Duration.microseconds(waits[waits.count / 2])
    let spread = Duration.microseconds(waits[waits.count * 3 / 4] - waits[waits.count / 4])
    guard median >= least, spread < median * Self.share else { return .passed(waits.count) }
    let place = "\(Figures.time(spread)) of \(Figures.time(median))"
    let words = Violation("Half of \(waits.count) \(noun) lie within \(place).")
    return broken(words, in: example, calls: waits.count, of: waits.count)
  }

  /// The share of the wait that timers are late by.
  private static let share = 0.03
}
