extension FindingRule {
  /// A wait that the server asked for is cut short.
  static let ignoresRetryAfter = FindingRule(
    "ignores-retry-after",
    .error,
    "Tries again before the time that Retry-After asks for.",
    condition: "a 429 or 503 with Retry-After was followed by another attempt",
    cost: "A server that is short of breath gets none, and the client may be locked out.",
    remedy: "Wait as long as the field says, in seconds or until the date, or give up.",
    source: "RFC 9110 §10.2.3; RFC 6585 §4",
    clients: Set(Flight.Client.allCases),
    scope: .call([.asksToWait, .repeats]) { call in
      var isMet = false
      for (before, after) in call.repeats {
        let attempt = call.attempts[before]
        // Who was cut off may not have read it.
        guard attempt.status == 429 || attempt.status == 503, attempt.error == nil,
          let start = call.attempts[after].start
        else { continue }
        let asked: String
        let early: Duration
        // Beyond it a client gives up, or waits as long as it waits at most.
        var isFar = false
        if let moment = attempt.retryNotBefore {
          // A date has whole seconds, and the two clocks need not agree on where one ends.
          early = moment - start - .seconds(1)
          asked = "until a date"
        } else if let wait = attempt.retryAfter, let heard = attempt.headCame {
          early = heard + wait - start
          isFar = wait > longestSilence
          asked = Figures.wait(wait)
        } else {
          continue
        }
        isMet = true
        guard early > tolerance else { continue }
        let gap = call.gap(before, after).map(Figures.time) ?? "less"
        let status = attempt.status.map { "a \($0)" } ?? "an answer"
        return .broken(
          Violation(
            "Asked by \(status) to wait \(asked), it tried again after \(gap).",
            severity: isFar ? .warning : nil
          )
        )
      }
      return isMet ? .kept : .notMet
    }
  )

  /// A timer may be early by so much: clocks are not finer than their readers.
  private static let tolerance = Duration.milliseconds(50)
}
