extension FindingRule {
  /// Finds clients that show nothing in an outage, although they have an earlier response.
  static let blankWhereStale = FindingRule(
    id: "blank-where-stale",
    title: "Shows nothing in an outage although it has a stored response that may be shown.",
    condition:
      "a response arrived that may be shown in an outage, and the server failed a later call for "
      + "it at the same address; the client caches responses (a note), or the scenario expects it "
      + "(`\"expects\"`)",
    cost: "The user sees an error instead of the content that was shown a minute ago.",
    fix:
      "Store the last good response, and show it, marked as a copy, if a request fails or ends in "
      + "500, 502, 503 or 504.",
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
      return kept.last(for: call, before: start)?.terms.allowsStale == true
    }
    guard met.count >= rule.leastCalls else { return rule.notMet(by: met.count) }
    let isExpected = flight.scenario?.expects.contains(.stale) == true
    guard isExpected || flight.showsCache else {
      return .notMet(
        "Nothing shows that the client caches responses, and caching is optional; the scenario's "
          + "\"expects\": [\"stale\"] requires it."
      )
    }
    let blank = met.filter { flight.calls[$0].isBlank }
    return rule.standing(blank, of: met.count, in: flight) { _ in
      Violation(
        "The server failed, and it showed nothing although an earlier response may be shown.",
        severity: isExpected ? nil : .note
      )
    }
  }
}

extension Observation {
  /// Whether the server failed all requests, or the call failed without a request.
  fileprivate var isInOutage: Bool {
    guard ending != .crashed, ending != .hung, !wasGivenUp, !attempts.contains(where: \.isAnswered)
    else { return false }
    if attempts.isEmpty { return attemptCount == 0 && ending != .succeeded }
    return attempts.allSatisfy { attempt in
      guard attempt.error == nil else { return true }
      return attempt.injectedStatus.map { [500, 502, 503, 504].contains($0) } ?? false
    }
  }

  /// Whether the call failed without showing content to its user.
  fileprivate var isBlank: Bool { ending != .succeeded && !showed && self.isStale != true }
}
