extension FindingRule {
  /// Finds clients that store responses but request one of them again without validation.
  static let asksAgain = FindingRule(
    id: "asks-again",
    severity: .note,
    title: "Caches responses, but requests one again as if it had none.",
    condition:
      "the client has shown that it caches responses, and later calls requested, one at a time and "
      + "at one address, a response that was still fresh or had a validator",
    cost: "The user waits and pays for bytes that are already on the device.",
    fix:
      "Reuse a response within its max-age. After that, send If-None-Match or If-Modified-Since.",
    source: "RFC 9111 §4 (reuse what is fresh), §4.3 (validation); RFC 9110 §13.1",
    clients: [.service, .library],
    leastCalls: 2
  ).together { rule, _, flight in
    guard flight.keepsAddresses else { return .notMet(ClientRun.changesAddresses) }
    guard flight.showsCache else {
      return .notMet("Nothing shows that the client caches responses, and caching is optional.")
    }
    let kept = KeptAnswers(of: flight.calls)
    var judged = 0
    var again: [Int: Observation.CacheTerms] = [:]
    for place in flight.calls.indices where flight.calls[place].isJudged {
      let call = flight.calls[place]
      guard let start = call.start, let had = kept.last(for: call, before: start),
        had.isUseful(at: start)
      else { continue }
      judged += 1
      let asked = call.attempts.first { $0.isRequest && $0.asks(for: call.endpoint) }
      guard let asked, asked.sent?.isConditional != true else { continue }
      guard had.isUseful(at: asked.start ?? start) else { continue }
      again[place] = had.terms
    }
    return rule.standing(again.keys.sorted(), of: judged, in: flight) { place in
      let fresh = again[place].flatMap { $0.hasValidator ? nil : $0.fresh }
      let what = fresh.map { "was fresh for \(Figures.wait($0))" } ?? "had a validator"
      return "It caches responses, but requested one in full again that \(what)."
    }
  }
}

extension KeptAnswers.Answer {
  /// Returns whether the stored response would be useful at a moment.
  fileprivate func isUseful(at moment: Duration) -> Bool {
    terms.hasValidator || moment < end + terms.fresh
  }
}
