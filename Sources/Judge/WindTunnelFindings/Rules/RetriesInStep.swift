internal import WindTunnelSymptoms

extension FindingRule {
  /// Finds clients that all retry at the same moment.
  static let retriesInStep = FindingRule(
    id: "retries-in-step",
    severity: .note,
    title: "Waits the same time before each first retry, so that many clients retry at once.",
    condition: "at least 10 calls that failed at first without Retry-After tried again",
    cost: "Clients that failed together retry together, and fail together again.",
    fix: "Draw the wait at random between zero and its limit (full jitter).",
    source: "AWS Architecture Blog, Exponential Backoff and Jitter (2015)",
    leastCalls: 10,
    restsOnTime: true
  ).together { rule, troubled, flight in
    // A link adds its round trips to each wait.
    let least = Duration.milliseconds(flight.scenario?.link == nil ? 10 : 200)
    return rule.inStep(troubled, "first waits", least: least) { call in
      guard let first = call.repeats.first else { return nil }
      let before = call.attempts[first.before]
      // After a silence, the wait includes the client's timeout, and does not show its back-off.
      let isOwn = !before.asksToWait && !before.isSilence
      return isOwn ? call.gap(first.before, first.after) : nil
    }
  }

  /// Returns the result of the rule for some waits. It is broken if half of the waits are equal,
  /// given the accuracy of timers.
  ///
  /// - Parameters:
  ///   - troubled: The calls that may have waited. The first one with such a wait is the example.
  ///   - noun: The name of the waits in the sentence.
  ///   - least: The minimum wait. A client needs up to this time to send its next request.
  ///   - wait: Returns the wait of a call, or `nil` if it has none.
  /// - Returns: The result of the rule.
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

  /// The share of a wait by which timers are late.
  private static let share = 0.03
}
