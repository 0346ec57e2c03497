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
    var waits: [Int64] = []
    var example: JudgedCall?
    for call in troubled where call.isJudged && call.traits.contains(.repeats) {
      guard let wait = call.firstWait else { continue }
      waits.append(wait.wholeMicroseconds)
      if call.observation.call < (example?.observation.call ?? .max) { example = call }
    }
    // A link adds its round trips to each wait.
    let least = Duration.milliseconds(flight.scenario?.link == nil ? 10 : 200)
    return rule.inStep(waits, "first waits", example, least: least)
  }

  /// Returns the standing of waits: those of half of them may not be the same but for what timers
  /// are late by.
  ///
  /// - Parameters:
  ///   - waits: One wait of each call, in microseconds.
  ///   - noun: The name of the waits, for the sentence.
  ///   - example: The call that is shown.
  ///   - least: The shortest wait that counts: less is the time that a client needs for its next
  ///     request.
  /// - Returns: The standing.
  func inStep(
    _ waits: [Int64],
    _ noun: String,
    _ example: JudgedCall?,
    least: Duration
  ) -> RuleStanding.Standing {
    guard waits.count >= leastCalls, let example else { return notMet(by: waits.count) }
    let waits = waits.sorted()
    let median = Duration.microseconds(waits[waits.count / 2])
    let spread = Duration.microseconds(waits[waits.count * 3 / 4] - waits[waits.count / 4])
    guard median >= least, spread < median * Self.share else { return .passed(waits.count) }
    let place = "\(Figures.time(spread)) of \(Figures.time(median))"
    let seen = "Half of \(waits.count) \(noun) lie within \(place)."
    return broken(seen, in: example, calls: waits.count, of: waits.count)
  }

  /// The share of the wait that timers are late by.
  private static let share = 0.03
}

extension JudgedCall {
  /// The wait before the first attempt that asks again, where nobody asked for one.
  fileprivate var firstWait: Duration? {
    // A time-out of its own is in the wait after a silence, and says nothing about its back-off.
    guard let first = repeats.first, attempts[first.before].retryAfter == nil,
      attempts[first.before].retryNotBefore == nil,
      attempts[first.before].error != Symptom.timedOut.rawValue
    else { return nil }
    return gap(first.before, first.after)
  }
}
