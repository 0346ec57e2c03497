extension FindingRule {
  /// A client that had an answer shows nothing when the server is gone.
  static let blankWhereStale = FindingRule(
    id: "blank-where-stale",
    title: "Shows nothing in an outage, where it had an answer before that may be shown.",
    condition:
      "an answer came that may be shown when its server cannot be asked, and the server failed a later call for "
      + "it, at the same address; the client keeps answers (a note), or the scenario expects it "
      + "(`\"expects\"`)",
    cost: "The user sees an error in place of what was on the screen a minute ago.",
    fix:
      "Keep the last good answer, show it when a request fails or ends in 500, 502, 503 or 504, and say that it is "
      + "a copy.",
    source: "RFC 9111 §4.2.4 (stale when disconnected); RFC 5861 §4 (stale-if-error)",
    clients: [.service, .library],
    leastCalls: 2
  ).together { rule, _, flight in
    guard flight.keepsAddresses else { return .notMet(ClientRun.changesAddresses) }
    let outages = flight.calls.indices.filter { place in
      flight.calls[place].isJudged && flight.calls[place].isInOutage
    }
    if outages.isEmpty { return rule.notMet(by: 0) }
    let kept = KeptAnswers(of: flight.calls)
    let met = outages.filter { place in
      let call = flight.calls[place]
      guard let start = call.start else { return false }
      return kept.last(for: call.endpoint, before: start)?.terms.allowsStale == true
    }
    guard met.count >= rule.leastCalls else { return rule.notMet(by: met.count) }
    let isExpected = flight.scenario?.expects.contains(.stale) == true
    guard isExpected || flight.showsCache else {
      return .notMet(
        "Nothing shows that the client keeps answers, which none has to; \"expects\": [\"stale\"] in the scenario "
          + "asks it to."
      )
    }
    let blank = met.filter { flight.calls[$0].isBlank }
    return rule.standing(blank, of: met.count, in: flight) { _ in
      Violation(
        "The server failed, and it showed nothing, where it had had an answer that may be shown then.",
        severity: isExpected ? nil : .note
      )
    }
  }
}

extension Observation {
  /// Tells whether the server was asked, and failed, or nobody asked it and the call failed.
  fileprivate var isInOutage: Bool {
    guard ending != .crashed, ending != .hung, !wasGivenUp, !attempts.contains(where: \.isAnswered)
    else { return false }
    if attempts.isEmpty { return attemptCount == 0 && ending != .succeeded }
    return attempts.allSatisfy { attempt in
      guard attempt.error == nil else { return true }
      return attempt.injectedStatus.map { [500, 502, 503, 504].contains($0) } ?? false
    }
  }

  /// Tells whether its user had nothing of it.
  fileprivate var isBlank: Bool { ending != .succeeded && !showed && self.isStale != true }
}
