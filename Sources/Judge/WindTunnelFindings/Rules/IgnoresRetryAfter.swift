extension FindingRule {
  /// Finds clients that retry before the end of the wait that a response requests.
  static let ignoresRetryAfter = FindingRule(
    id: "ignores-retry-after",
    title: "Tries again before the time in Retry-After.",
    condition: "a 429 or 503 with Retry-After was followed by another attempt",
    cost: "An overloaded server gets no time to recover, and may block the client.",
    fix: "Wait for the time in the field, in seconds or until the date, or give up.",
    source: "RFC 9110 §10.2.3; RFC 6585 §4",
    clients: Set(ClientRun.Client.allCases),
    restsOnTime: true
  ).eachCall([.asksToWait, .repeats]) { call in
    var isMet = false
    for (before, after) in call.repeats {
      let attempt = call.attempts[before]
      // A client may not have read the field of a response that was cut.
      guard attempt.status == 429 || attempt.status == 503, attempt.error == nil,
        let start = call.attempts[after].start
      else { continue }
      guard let earliest = attempt.earliestRetry else { continue }
      isMet = true
      guard start < earliest else { continue }
      // A date is not reported as a number of seconds.
      let wait = attempt.retryNotBefore == nil ? attempt.retryAfter : nil
      let asked = wait.map(Figures.wait) ?? "until a date"
      // For a longer wait, a client fails the call or waits only up to its own maximum.
      let isFar = wait.map { $0 > longestSilence } ?? false
      let gap = call.gap(before, after).map(Figures.time) ?? "less"
      let status = attempt.status.map { "a \($0)" } ?? "a response"
      return .broken(
        "Asked by \(status) to wait \(asked), it tried again after \(gap).",
        severity: isFar ? .warning : nil
      )
    }
    return isMet ? .kept : .notMet
  }
}
