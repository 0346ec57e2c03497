extension FindingRule {
  /// All clients of a kind try again at the same moment.
  static let retriesInStep = FindingRule(
    "retries-in-step",
    .note,
    "Waits the same time before each first retry, so that many clients come back at once.",
    condition: "at least 20 calls that failed at first without Retry-After tried again",
    cost: "Those who failed together come back together, and fail together.",
    remedy: "Draw the wait at random between zero and its bound (full jitter).",
    source: "AWS Architecture Blog, Exponential Backoff and Jitter (2015)",
    leastCalls: 20,
    scope: .flight { rule, troubled, _ in
      let waits = troubled.compactMap { call -> (wait: Duration, call: JudgedCall)? in
        guard call.isJudged, let first = call.repeats.first,
          call.attempts[first.before].retryAfter == nil,
          let wait = call.gap(first.before, first.after)
        else { return nil }
        return (wait, call)
      }.sorted { $0.wait < $1.wait }
      guard waits.count >= rule.leastCalls else { return .notMet(rule.unmet(by: waits.count)) }
      let median = waits[waits.count / 2].wait
      let spread = waits[waits.count * 3 / 4].wait - waits[waits.count / 4].wait
      guard median >= least, spread < median * share else { return .passed(waits.count) }
      let example = waits.min { $0.call.observation.call < $1.call.observation.call }
      guard let example else { return .passed(waits.count) }
      return .broken(
        rule.finding(
          Violation(
            "Half of \(waits.count) first waits lie within \(Figures.time(spread)) of "
              + "\(Figures.time(median))."
          ),
          in: example.call,
          calls: waits.count,
          judged: waits.count
        )
      )
    }
  )

  /// A shorter wait is a timer's own error.
  private static let least = Duration.milliseconds(200)
  /// The share of the wait that timers are late by.
  private static let share = 0.03
}
