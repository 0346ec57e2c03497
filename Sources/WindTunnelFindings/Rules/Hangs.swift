extension FindingRule {
  /// A call has no end that anybody waits for.
  package static let hangs = FindingRule(
    "hangs",
    .error,
    "A call has not ended when the drill stops waiting.",
    condition: "any call",
    cost:
      "The user looks at a spinner until the app is closed; a server's worker is gone for good.",
    remedy: "Set a limit to the whole call, beside those to connecting and to reading.",
    source: "Google SRE Book, ch. 22 (deadlines); gRPC, Deadlines",
    scope: .flight { rule, troubled, flight in
      rule.fallen(troubled.filter { $0.traits.contains(.hung) }, in: flight) { call in
        let length = Figures.time(call.observation.latency)
        if let wait = call.waitThatWasAskedFor {
          return Violation(
            "Told to wait \(wait), it had not ended after \(length).",
            severity: .warning
          )
        }
        // Who spins waits for one, too, and has had all the time that there was to give.
        if let delay = call.observation.processorDelay, delay * 2 > call.observation.latency {
          return Violation(
            "It had not ended after \(length), of which it waited \(Figures.time(delay)) for a processor.",
            severity: .warning
          )
        }
        // One attempt that takes most of the call is what the call waits on.
        let most = min(longestSilence, call.observation.latency / 2)
        guard let silent = call.silence, silent < most else {
          return Violation("It had not ended after \(length).")
        }
        let last =
          silent == .zero
          ? "its answer came a few bytes at a time"
          : "its last attempt had begun \(Figures.time(silent)) before"
        return Violation("It had not ended after \(length); \(last).", severity: .warning)
      }
    }
  )
}

extension JudgedCall {
  /// The wait that the last answer asked for, in words, where it was longer than the call.
  fileprivate var waitThatWasAskedFor: String? {
    guard let last = attempts.last, last.error == nil, let end = observation.end,
      let heard = last.headCame
    else { return nil }
    if let moment = last.retryNotBefore { return moment > end ? "until a date" : nil }
    guard let wait = last.retryAfter, heard + wait > end else { return nil }
    return Figures.wait(wait)
  }
}
