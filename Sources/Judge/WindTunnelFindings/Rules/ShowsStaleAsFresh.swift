extension FindingRule {
  /// Finds clients that show an earlier copy as if it were new.
  static let showsStaleAsFresh = FindingRule(
    id: "shows-stale-as-fresh",
    title: "Shows a stale response without revalidation, and does not mark it as a copy.",
    condition:
      "a response was older than its server allows without revalidation, and the same endpoint was "
      + "called later; or every request of a call failed after an earlier one succeeded",
    cost: "The user acts on an outdated price, balance or departure.",
    fix:
      "Compare a response's Age and the time since its arrival with its max-age. After that, "
      + "revalidate it, and mark a copy that is shown anyway.",
    source: "RFC 9111 §4 (reuse only fresh or validated responses), §4.2.3 (age), §4.2.4",
    clients: [.service, .library]
  ).together { rule, troubled, flight in
    let (failed, copies) = flight.copiesBehindErrors(troubled)
    if let first = copies.first {
      return rule.broken(
        "Every request failed, and it showed an earlier response without marking it as a copy.",
        in: first,
        calls: copies.count,
        of: failed
      )
    }
    let asked = flight.requestsByEndpoint
    let later = flight.calls.indices.filter { place in
      let call = flight.calls[place]
      guard call.isJudged, let start = call.start else { return false }
      return asked[call.endpoint]?.wasStale(before: start) == true
    }
    guard later.count + failed > 0 else { return rule.notMet(by: 0) }
    let shown = later.filter { place in
      let call = flight.calls[place]
      // The call shows its recorded response, and does not report a copy.
      guard call.ending == .succeeded, call.attempts.isEmpty, call.bodyMatches == true,
        call.isStale != true, let start = call.start, let end = call.end
      else { return false }
      return asked[call.endpoint]?.isAsked(from: start, to: end) == false
    }
    if shown.isEmpty { return .passed(later.count + failed) }
    return rule.standing(shown, of: later.count, in: flight) { _ in
      Violation(
        "It sent no request, and showed a response that was already too old on arrival.",
        severity: .warning
      )
    }
  }
}

/// The requests for one endpoint.
private struct EndpointRequests {
  /// The keys of the requests. An endpoint may have several.
  private var keys: Set<String> = []
  private var spans: [(start: Duration, end: Duration)] = []
  private var answers: [(end: Duration, isStale: Bool)] = []
  /// The number of responses before the first one that was not stale.
  private var staleCount = 0

  /// Sorts all requests. Each span gets the maximum end of the spans before it.
  init(_ attempts: [Observation.Attempt]) {
    for attempt in attempts where attempt.isRequest {
      guard let start = attempt.start else { continue }
      keys.insert(attempt.key)
      spans.append((start, attempt.end ?? start))
      if let end = attempt.end, attempt.error == nil {
        answers.append((end, attempt.isStaleOnArrival))
      }
    }
    answers.sort { $0.end < $1.end }
    staleCount = answers.firstIndex { !$0.isStale } ?? answers.count
    spans.sort { $0.start < $1.start }
    for place in spans.indices.dropFirst() {
      spans[place].end = max(spans[place].end, spans[place - 1].end)
    }
  }

  /// Returns whether the last response before a moment was already stale when it arrived. If there
  /// are several keys, a call without a request does not show which one it means. All responses
  /// before it must then have been stale.
  func wasStale(before moment: Duration) -> Bool {
    let count = answers.countOfFirst { $0.end < moment }
    guard count > 0 else { return false }
    return keys.count == 1 ? answers[count - 1].isStale : count <= staleCount
  }

  /// Returns whether any request was open between two moments.
  func isAsked(from start: Duration, to end: Duration) -> Bool {
    let count = spans.countOfFirst { $0.start <= end }
    return count > 0 && spans[count - 1].end >= start
  }
}

extension ClientRun {
  /// Returns the number of calls whose requests all failed after an earlier call with a response.
  /// Also returns the calls among them that show that response after its freshness as a new one.
  fileprivate func copiesBehindErrors(_ troubled: [JudgedCall]) -> (Int, [JudgedCall]) {
    let failed = troubled.filter { call in
      call.traits.contains(.unanswered) && call.isJudged && !call.observation.wasGivenUp
        && call.attempts.contains(where: \.isRequest)
        && call.observation.endpoint.hasPrefix("GET ")
    }
    // Reading each call takes time.
    guard !failed.isEmpty else { return (0, []) }
    let kept = freshness(of: Set(failed.map(\.observation.endpoint)))
    let had = failed.filter { call in
      guard let start = call.observation.start else { return false }
      return kept[call.observation.endpoint]?.first.map { $0.end < start } == true
    }
    let copies = had.filter { call in
      let observation = call.observation
      guard call.claimsSuccess, observation.bodyMatches == true, observation.isStale != true,
        // A complete body with a failed end is the response itself.
        call.attempts.allSatisfy({ $0.error == nil || $0.bytes == 0 }),
        let end = observation.end, let answers = kept[observation.endpoint]
      else { return false }
      let count = answers.countOfFirst { $0.end < end }
      return count > 0 && answers[count - 1].freshUntil < end
    }
    return (had.count, copies.sorted { $0.observation.call < $1.observation.call })
  }

  /// Returns the end of each response by endpoint, in order, with the latest end of freshness so
  /// far. A response that a fault may have changed counts as fresh.
  private func freshness(
    of endpoints: Set<String>
  ) -> [String: [(end: Duration, freshUntil: Duration)]] {
    var kept: [String: [(end: Duration, freshUntil: Duration)]] = [:]
    for call in calls where endpoints.contains(call.endpoint) {
      for attempt in call.attempts where attempt.isAnswered && attempt.asks(for: call.endpoint) {
        guard let end = attempt.end else { continue }
        let isUnknown = attempt.cacheTerms == nil && !attempt.decision.metNothing
        let fresh = isUnknown ? Duration.seconds(1 << 31) : attempt.cacheTerms?.fresh ?? .zero
        kept[call.endpoint, default: []].append((end, end + fresh))
      }
    }
    return kept.mapValues { answers in
      var answers = answers.sorted { $0.end < $1.end }
      for place in answers.indices.dropFirst() {
        answers[place].freshUntil = max(answers[place].freshUntil, answers[place - 1].freshUntil)
      }
      return answers
    }
  }

  /// The requests of each endpoint with a response that was stale on arrival.
  fileprivate var requestsByEndpoint: [String: EndpointRequests] {
    let old = Set(calls.filter { $0.attempts.contains(where: \.isStaleOnArrival) }.map(\.endpoint))
    return Dictionary(grouping: calls.filter { old.contains($0.endpoint) }, by: \.endpoint)
      .mapValues { EndpointRequests($0.flatMap(\.attempts)) }
  }
}
