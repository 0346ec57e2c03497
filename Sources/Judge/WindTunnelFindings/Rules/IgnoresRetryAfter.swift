extension FindingRule {
  /// A wait that the server asked for is cut short.
  static let ignoresRetryAfter = FindingRule(
    id: "ignores-retry-after",
    title: "Tries again before the time that Retry-After asks for.",
    condition: "a 429 or 503 with Retry-After was followed by another attempt",
    cost: "A server that is short of breath gets none, and the client may be locked out.",
    fix: "Wait as long as the field says, in seconds or until the date, or give up.",
    source: "RFC 9110 §10.2.3; RFC 6585 §4",
    clients: Set(ClientRun.Client.allCases),
    restsOnTime: true
  ).eachCall([.asksToWait, .repeats]) { call in
    var isMet = false
    for (before, after) in call.repeats {
      let attempt = call.attempts[before]
      // Who was cut off may not have read it.
      guard attempt.status == 429 || attempt.status == 503, attempt.error == nil,
        let start = call.attempts[after].start
      else { continue }
      guard let earliest = attempt.earliestRetry else { continue }
      isMet = true
      guard start < earliest else { continue }
      // A date's wait is shown by no number of seconds.
      let wait = attempt.retryNotBefore == nil ? attempt.retryAfter : nil
      let asked = wait.map(Figures.wait) ?? "until a date"
      // Beyond it a client gives up, or waits as long as it waits at most.
      let isFar = wait.map { $0 > longestSilence } ?? false
      let gap = call.gap(before, after).map(Figures.time) ?? "less"
      let status = attempt.status.map { "a \($0)" } ?? "an answer"
      return .broken(
        "Asked by \(status) to wait \(asked), it tried again after \(gap).",
        severity: isFar ? .warning : nil
      )
    }
    return isMet ? .kept : .notMet
  }
}
