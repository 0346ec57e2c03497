internal import WindTunnelSymptoms

extension FindingRule {
  /// Finds clients that all retry at the same moment.
  static let retriesInStep = FindingRule(
    id: "retries-in-step",
    title: "Waits the same time before its retries, so that many clients retry at once.",
    condition:
      "at least 10 calls that failed at first without Retry-After tried again (a note), or some "
      + "calls tried again at least twice each, with at least 10 waits (an error if all are equal)",
    cost: "Clients that failed together retry together, and fail together again.",
    fix: "Draw the wait at random between zero and its limit (full jitter).",
    source: "AWS Architecture Blog, Exponential Backoff and Jitter (2015)",
    leastCalls: 10,
    restsOnTime: true
  ).together { rule, troubled, flight in
    // A link adds its round trips to each wait, which may be most of an equal wait.
    let hasLink = flight.scenario?.link != nil
    let least = Duration.milliseconds(hasLink ? 200 : 10)
    if !hasLink, let constant = rule.constant(troubled, least: least) { return constant }
    // The first wait of an exponential back-off may be the same in all calls.
    return rule.inStep(troubled, "first waits", least: least, severity: .note) {
      $0.ownWaits.first ?? nil
    }
  }

  /// Returns the result for a client with neither growing nor random waits: all of them are equal.
  /// Returns `nil` for any other client.
  private func constant(_ troubled: [JudgedCall], least: Duration) -> RuleStanding.Standing? {
    let calls = troubled.filter { $0.isJudged && $0.ownWaits.count { $0 != nil } > 1 }
    let waits = calls.flatMap(\.ownWaits).compactMap(\.self)
    guard waits.count >= leastCalls, let shortest = waits.min(), let longest = waits.max(),
      shortest >= least, longest - shortest < shortest * Self.share, let example = calls.smallest
    else { return nil }
    let words = "All \(waits.count) waits of \(calls.count) calls lasted \(Figures.time(shortest))."
    return broken(Violation(words), in: example, calls: calls.count, of: calls.count)
  }

  /// Returns the result of the rule for some waits. It is broken if half of the waits are equal,
  /// given the accuracy of timers.
  ///
  /// - Parameters:
  ///   - troubled: The calls that may have waited. The first one with such a wait is the example.
  ///   - noun: The name of the waits in the sentence.
  ///   - least: The minimum wait. A client needs up to this time to send its next request.
  ///   - severity: A severity below the rule's own, or `nil` for the rule's own.
  ///   - wait: Returns the wait of a call, or `nil` if it has none.
  /// - Returns: The result of the rule.
  func inStep(
    _ troubled: [JudgedCall],
    _ noun: String,
    least: Duration,
    severity: Finding.Severity? = nil,
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
    let words = "Half of \(waits.count) \(noun) lie within \(place)."
    let violation = Violation(words, severity: severity)
    return broken(violation, in: example, calls: waits.count, of: waits.count)
  }

  /// The share of a wait by which timers are late.
  private static let share = 0.03
}

extension JudgedCall {
  /// The waits before its retries; `nil` for each that is not the client's own choice.
  fileprivate var ownWaits: [Duration?] {
    repeats.map { before, after in
      let failed = attempts[before]
      // A server may request the wait, and a client may poll for a recorded response. After a
      // silence, the wait includes the client's timeout, and after a 401 the time of a renewal.
      let isOwn =
        !failed.asksToWait && !failed.isAnswered && !failed.isSilence && failed.status != 401
      return isOwn ? gap(before, after) : nil
    }
  }
}
